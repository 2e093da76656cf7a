"""The published figures: every folder is whole, and what is claimed here of a figure is measured at the quick scale."""

import json
from collections.abc import Callable

import pytest

from conftest import Outcome
from xoff.reproduce import Figure, Scale, find

Command = Callable[..., Outcome]

FIGURES = find()


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
def test_all_that_is_judged_at_the_quick_scale_is_reproduced(command: Command, figure: Figure) -> None:
    outcome = command("reproduce", figure.id, "--json")
    assert outcome.status == 0, outcome.err
    rows = json.loads(outcome.out)
    assert rows
    assert [row for row in rows if row["verdict"] == "differs"] == []
