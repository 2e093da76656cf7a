"""The published figures: every folder is whole, and what is claimed here of a figure is measured at the quick scale."""

import json
from collections.abc import Callable

import pytest

from conftest import Outcome
from xoff.reproduce import Figure, Scale, find

Command = Callable[..., Outcome]

FIGURES = find()

# What is known to differ at the quick scale; the figure's README says why.
MISSES = {
    "bcc/fig1": {
        "With bursts DCTCP at 100 KB is far from full throughput",
        "With bursts: least threshold of full throughput under DCTCP (KB)",
    },
}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_a_folder_is_whole(figure: Figure) -> None:
    assert figure.plan.title
    assert figure.plan.source
    assert (figure.folder / "README.md").read_text(encoding="utf-8").startswith(f"# {figure.id}: ")
    assert figure.expected
    for scale in Scale:
        for point in figure.planned(scale):
            point.scenario.check()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_what_is_claimed_is_reproduced_but_for_what_is_known_to_differ(command: Command, figure: Figure) -> None:
    outcome = command("reproduce", figure.id, "--json")
    assert outcome.status == 0, outcome.err
    verdicts = {row["claim"]: row["verdict"] for row in json.loads(outcome.out)}
    assert "reproduced" in verdicts.values()
    assert {claim for claim, verdict in verdicts.items() if verdict == "differs"} == MISSES.get(figure.id, set())
