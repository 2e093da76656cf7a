"""`xoff list` and `xoff explain`."""

import json
from collections.abc import Callable

import pytest

from conftest import Outcome

Command = Callable[..., Outcome]
Compare = Callable[[str], None]


@pytest.mark.parametrize("kind", ["algorithms", "chips", "sizes", "scenarios"])
def test_list(command: Command, matches_snapshot: Compare, kind: str) -> None:
    matches_snapshot(command("list", kind).out)


def test_list_without_a_kind_is_everything(command: Command) -> None:
    out = command("list").out
    assert all(name in out for name in ("dctcp", "web_search", "fat_tree"))


def test_list_as_json(command: Command) -> None:
    assert "web_search" in [entry["name"] for entry in json.loads(command("list", "sizes", "--json").out)]
    assert set(json.loads(command("list", "--json").out)) == {"algorithms", "chips", "sizes", "scenarios"}


@pytest.mark.parametrize(
    "name", ["dctcp", "switch.buffer.alpha", "switch.buffer", "threshold", "tomahawk", "switch.quirks", "ring"]
)
def test_explain(command: Command, matches_snapshot: Compare, name: str) -> None:
    matches_snapshot(command("explain", name).out)


def test_explain_as_json(command: Command) -> None:
    assert json.loads(command("explain", "dctcp", "--json").out)[0]["family"] == "congestion_control"


def test_explain_names_the_nearest(command: Command) -> None:
    outcome = command("explain", "dctpc")
    assert outcome.status == 2
    problem = "no key, no algorithm and no value has this name"
    assert outcome.err == f"dctpc: {problem}; did you mean `dctcp`? see `xoff list`\n"
