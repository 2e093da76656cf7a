"""Every scenario that is shipped runs; so does every one that `xoff init` can write."""

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import xoff
from conftest import SCENARIOS
from xoff import starters


@pytest.mark.parametrize(
    "path",
    sorted(path for path in SCENARIOS.glob("**/*.toml") if path.parent.name != "bench"),
    ids=lambda path: path.stem,
)
def test_shipped(path: Path) -> None:
    result = xoff.Scenario.load(path).run()
    assert result.flows.num_rows > 0
    assert result.summary["flows"]["unfinished"] == (1 if path.stem == "constant_rate" else 0)  # nothing is sent again


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("bench/*.toml")), ids=lambda path: path.stem)
def test_benchmarks_are_well_formed(path: Path) -> None:
    xoff.Scenario.load(path).check()


ROWS = [
    (topology, transport, workload)
    for topology in starters.TOPOLOGIES
    for transport in starters.TRANSPORTS
    for workload in starters.WORKLOADS
    if transport == "tcp" or (topology != "fabric" and workload != "constant_rate")
]


def pairs(row: tuple[str, ...]) -> set[tuple[str, str]]:
    """Every two kinds that stand together in a row."""
    return set(itertools.combinations(row, 2))


def covering(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Rows in which every two kinds stand together that do in any row."""
    missing = set().union(*map(pairs, rows))
    while missing:
        row = max(rows, key=lambda row: len(missing & pairs(row)))
        missing -= pairs(row)
        yield row


EVERY_CHANGE = set(covering(ROWS))
STARTERS = [
    pytest.param(*row, id="-".join(row), marks=() if row in EVERY_CHANGE else pytest.mark.nightly) for row in ROWS
]


@pytest.mark.parametrize(("topology", "transport", "workload"), STARTERS)
def test_starters(topology: str, transport: str, workload: str, tmp_path: Path) -> None:
    starter = starters.starter([workload, transport, topology])
    for name, text in {"scenario.toml": starter.text, **starter.companions}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    scenario = xoff.Scenario.load(tmp_path / "scenario.toml")
    assert scenario.check() == ()
    assert scenario.run().summary["packets"]["delivered"] > 0


@pytest.mark.parametrize(("topology", "transport", "workload"), STARTERS)
def test_what_starters_suggest_may_be_taken_up(topology: str, transport: str, workload: str, tmp_path: Path) -> None:
    starter = starters.starter([workload, transport, topology])
    text, suggestions = re.subn(r"^# (?=\w+ = )", "", starter.text, flags=re.MULTILINE)
    assert suggestions >= 2
    for name, content in {"scenario.toml": text, **starter.companions}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert xoff.Scenario.load(tmp_path / "scenario.toml").check() == ()
