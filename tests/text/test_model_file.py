"""`--set` on the tables of a plan, made by the simulator along the plan's own schema."""

from __future__ import annotations

import json
import tomllib

import pytest

from xoff import _xoff
from xoff.errors import ErrorKind, ScenarioError
from xoff.switches.plan.file import Plan

SCHEMA = _xoff.FileSchema(json.dumps(Plan.model_json_schema()))
TWO = """\
title = "T"
ports = [{ count = 1 }, { count = 2, rate = "1Gbps" }]
congestion = { scheme = "bcc", ramp = "8us" }
"""


def changed(*texts: str) -> dict[str, object]:
    return SCHEMA.changed(TWO, texts)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("ports.count=3", "ports", [{"count": 3}, {"count": 3, "rate": "1Gbps"}]),
        ("ports[1].rate=", "ports", [{"count": 1}, {"count": 2}]),
        ("ports[0].rate=100Gbps", "ports", [{"count": 1, "rate": "100Gbps"}, {"count": 2, "rate": "1Gbps"}]),
        ("ports[0]={ count = 9 }", "ports", [{"count": 9}, {"count": 2, "rate": "1Gbps"}]),
        ("ports=[{ count = 9 }]", "ports", [{"count": 9}]),
        ("title=1979-05-27", "title", "1979-05-27"),
        ("title=a = b", "title", "a = b"),
        ("headroom.ratio=1/4", "headroom", {"ratio": "1/4"}),
        ('printed."t.beta_1"=5kB', "printed", {"t.beta_1": "5kB"}),
        ("congestion.ramp=9us", "congestion", {"scheme": "bcc", "ramp": "9us"}),
        ('congestion={ ramp = "9us" }', "congestion", {"scheme": "bcc", "ramp": "9us"}),
        ("congestion={}", "congestion", {}),
        ('congestion={ scheme = "hpcc" }', "congestion", {"scheme": "hpcc"}),
        ("congestion.scheme=hpcc", "congestion", {"scheme": "hpcc"}),
        ("congestion.scheme=bcc", "congestion", {"scheme": "bcc", "ramp": "8us"}),
    ],
)
def test_a_key_is_changed(text: str, key: str, value: object) -> None:
    assert changed(text) == tomllib.loads(TWO) | {key: value}


def test_another_scheme_begins_anew_whatever_the_order() -> None:
    hpcc = {"scheme": "hpcc", "flows": 50}
    for texts in (("congestion.scheme=hpcc", "congestion.flows=50"), ("congestion.flows=50", "congestion.scheme=hpcc")):
        assert changed(*texts)["congestion"] == hpcc


def test_what_is_left_out_is_not_there() -> None:
    assert "congestion" not in changed("congestion=")


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("title", ErrorKind.SYNTAX, "--set title: no `=`; expected KEY=VALUE, such as ports.rate=100Gbps"),
        (
            "ports[x].rate=1",
            ErrorKind.SYNTAX,
            'key "ports[x].rate": malformed; expected one such as ports.rate or ports[1].rate',
        ),
        (
            "ports[2].rate=1",
            ErrorKind.OTHER,
            "ports[2]: `ports` has 2, counted from 0; expected an index below 2",
        ),
        (
            "congestion[0].ramp=1",
            ErrorKind.OTHER,
            "congestion[0]: `congestion` is not a list; expected `congestion` without an index",
        ),
    ],
)
def test_what_cannot_be_changed_is_said(text: str, kind: ErrorKind, says: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        changed(text)
    assert str(refused.value) == says
    assert refused.value.kind is kind


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1), ("0.5", 0.5), ("true", True), ("[1, 2]", [1, 2]), ("100Gbps", "100Gbps")]
)
def test_a_value_needs_no_quotes(text: str, value: object) -> None:
    assert _xoff.value(text) == value
