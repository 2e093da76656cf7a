"""No name of a plan, a scenario or a table ends the line it stands in, or is more than a word of it, in any format."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import xoff
from conftest import ROOT, examples
from xoff.errors import InputError, PlanError
from xoff.switches.export import Format
from xoff.switches.export.export import Export
from xoff.switches.lint.switches import by_switch, parse
from xoff.switches.plan import file
from xoff.switches.switch_tables import SwitchTables
from xoff.text import toml_text

T = TypeVar("T")

HOSTILE = (Path(__file__).parent / "hostile_plan.toml").read_text(encoding="utf-8")
TABLES = json.loads((ROOT / "examples" / "sonic" / "good" / "config_db.json").read_text(encoding="utf-8"))

SHELLS = {Format.NVUE, Format.HOST}
"""Formats whose lines are commands of a shell."""

_WORDS = [
    *("\n", "\r", "\x85", "\u2028", "\x0b", "\x00", "\t", " ", "-", "--", "'", '"', "\\", "`id`", "$(id)", "${x}"),
    *(";", "|", "&", ">", "<", "#", "!", "?", "%", "/", ".", ":", "*", "~", "{{x}}", "\x1b[31m", "\u202e", "ü", "日本"),
    *("Ethernet1/1", "swp1", "exit", "username evil privilege 15", "touch pwned", "x" * 70),
]
ANY_NAME = st.one_of(st.text(max_size=8), st.lists(st.sampled_from(_WORDS), max_size=4).map("".join))
GOOD_NAMES = st.fixed_dictionaries(
    {
        "title": st.just("Plan"),
        "group": st.from_regex("[a-p][ -~]{0,29}", fullmatch=True),
        "other": st.from_regex("[a-p][ -~]{0,29}", fullmatch=True),
        "port": st.from_regex("[A-P][A-Za-z0-9./:_-]{0,62}", fullmatch=True),
        "class": st.from_regex("[A-Pa-p][A-Za-z0-9_-]{0,28}", fullmatch=True),
    }
)
"""Names that a plan takes, quoted or as they are."""


HARMLESS = {"title": "Plan", "group": "qqgroup", "other": "qqother", "port": "qqport", "class": "qqclass"}


def plan(names: dict[str, str]) -> xoff.SwitchPlan:
    """A plan of two groups of ports and two classes, one of them lossless."""
    lossless = {"name": names["class"], "priorities": [3], "lossless": True}
    return xoff.SwitchPlan.from_text(
        toml_text.document(
            {
                "title": names["title"],
                "chip": "trident_3",
                "ports": [
                    {"name": names["group"], "names": [names["port"], "qqlast"], "cable": "3m"},
                    {"name": names["other"], "names": ["qqfar"], "cable": "300m"},
                ],
                "class": [lossless, {"name": "qqlossy", "priorities": [0]}],
                "congestion": {"scheme": "dcqcn"},
            }
        )
    )


def substituted(text: str, names: dict[str, str]) -> str:
    """The harmless plan's text with other names; groups and classes are parts of words, and written as such."""
    for role, harmless in HARMLESS.items():
        written = names[role] if role == "port" else re.sub("[^A-Za-z0-9_-]+", "-", names[role])
        for case in (str, str.upper):  # SONiC's profiles of marks are in capitals
            text = text.replace(case(harmless), case(written) if role == "class" else written)
    return text


@pytest.mark.parametrize(
    ("mended", "told"),
    [
        (
            [],
            'title: "x username evil2 $(touch pwned)" has control characters or several lines; expected one line of '
            "text",
        ),
        (
            ["title=x"],
            'ports[0].name: "ser vers; $(touch pwned)" is no name of a group; expected 1 to 30 characters in one line, '
            "all of which can be seen",
        ),
        (
            ["title=x", "ports[0].name=servers"],
            'ports[0].names[0]: no switch has a port called "Eth0 username evil privilege 15 nopasswo..."; expected a '
            "letter, then at most 62 letters, digits and ./:_-, such as Ethernet1/1 or swp1s0",
        ),
    ],
)
def test_a_hostile_plan_is_refused_with_file_key_and_remedy(mended: list[str], told: str) -> None:
    with pytest.raises(PlanError) as refused:
        file.parse(HOSTILE, "hostile_plan.toml", mended)
    assert str(refused.value) == f"hostile_plan.toml: {told}"


@pytest.mark.parametrize("target", Format)
@settings(max_examples=examples(30))
@given(names=GOOD_NAMES, worse=st.dictionaries(st.sampled_from([*HARMLESS]), ANY_NAME, max_size=1))
@example(names=HARMLESS | {"port": "Ethernet1/1.100:2"}, worse={})
@example(names=HARMLESS | {"group": "to $(id); `servers` 'a' \"b\""}, worse={})
def test_a_plan_writes_the_lines_of_a_plan_with_harmless_names(
    target: Format, names: dict[str, str], worse: dict[str, str]
) -> None:
    names = names | worse
    planned = or_refused(lambda: plan(names))
    if planned is None:
        return
    found, harmless = planned.export(target), plan(HARMLESS).export(target)
    expected = substituted(harmless.text, names)
    if target is Format.SONIC:
        assert json.loads(found.text) == json.loads(expected)
        return
    assert found.text == expected
    if target in SHELLS:
        assert [shlex.split(line, comments=True) for line in found.text.split("\n")] == [
            [substituted(word, names) for word in shlex.split(line, comments=True)]
            for line in harmless.text.split("\n")
        ]
    check_comments(found)


def or_refused(make: Callable[[], T]) -> T | None:
    """Returns what is made; None where it is refused, which takes one line."""
    try:
        return make()
    except InputError as error:
        told = str(error)
    assert len(told.splitlines()) == 1
    return None


def check_comments(found: Export) -> None:
    """Every note is a comment of one line, and nothing else is added."""
    lines = found.annotated.splitlines()
    assert len(lines) == len(found.text.splitlines()) + len(found.notes)
    added = list(lines)
    for line in found.text.splitlines():
        added.remove(line)
    assert all(line.startswith(f"{found.comment} ") and line.isprintable() for line in added)


@pytest.mark.parametrize("target", Format)
@settings(max_examples=examples(30))
@given(names=st.fixed_dictionaries(dict.fromkeys(("title", "host", "switch", "transport"), ANY_NAME)))
def test_a_scenario_writes_the_lines_of_one_with_harmless_names(target: Format, names: dict[str, str]) -> None:
    found = or_refused(lambda: fabric(names).export(target))
    if found is None:
        return
    usual = fabric({"title": "Usual", "host": "left", "switch": "leaf", "transport": "dctcp"})
    assert found.text == usual.export(target).text
    if found.comment:
        check_comments(found)


def fabric(names: dict[str, str]) -> xoff.Scenario:
    """Two hosts around two switches."""
    host, switch, transport = names["host"], names["switch"], names["transport"]
    ends = [(host, switch), ("right", "spine"), (switch, "spine")]
    return xoff.Scenario.from_text(
        toml_text.document(
            {
                "title": names["title"],
                "topology": {
                    "kind": "custom",
                    "hosts": [host, "right"],
                    "switches": [switch, "spine"],
                    "links": [{"between": list(both), "rate": "10Gbps", "delay": "1us"} for both in ends],
                },
                "switch": [{"total": "1MB", "marking": {"queue": {"kind": "threshold", "threshold": "30kB"}}}],
                "transport": {transport: {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}}},
                "workload": [{"kind": "permutation", "transport": transport, "size": "100kB"}],
            }
        )
    )


def part(name: str, port: str, profile: str) -> str:
    """The part of a scenario that sound tables come to, with other names of a port and of its lossless profile."""
    text = json.dumps(TABLES)
    for before, after in (("Ethernet0", port), ("pg_lossless_100000_40m_profile", profile)):
        text = text.replace(before, json.dumps(after)[1:-1])
    return SwitchTables(tuple(by_switch([parse(name, text)]))).part_of_scenario().text


@settings(max_examples=examples(50))
@given(port=ANY_NAME, profile=ANY_NAME, name=ANY_NAME)
@example(port="Ethernet0", profile="pg\nseed = 7\n_profile", name="a\nseed = 7\u2028x = 1")
def test_imported_tables_are_the_toml_of_tables_with_harmless_names(port: str, profile: str, name: str) -> None:
    found = or_refused(lambda: part(f"{name}.json", port, profile))
    if found is None:
        return
    assert all(line.isprintable() for line in found.split("\n"))
    assert toml_text.parse(found).keys() == {"class", "switch", "pfc"}
    if port.strip() and profile and not set(port + profile) & set("|,[]"):  # which mean something in these tables
        assert toml_text.parse(found) == toml_text.parse(part("a.json", "Ethernet1", "profile"))
