"""The published figures: every folder is whole, and what is claimed here of a figure is measured at the quick scale."""

import json
import subprocess
from collections.abc import Callable

import pytest

from conftest import ROOT, Outcome
from xoff.reproduce.atlas import find
from xoff.reproduce.figure import Figure
from xoff.reproduce.scale import Scale

Command = Callable[..., Outcome]

FIGURES = find()
RUN = [
    pytest.param(figure, id=figure.id, marks=pytest.mark.nightly if figure.file.at(Scale.QUICK).nightly else ())
    for figure in FIGURES
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_a_folder_is_whole(figure: Figure) -> None:
    assert figure.file.title
    assert figure.file.source
    assert (figure.folder / "README.md").read_text(encoding="utf-8").startswith(f"# {figure.id}: ")
    assert figure.expected
    for scale in Scale:
        judged = {row.told for row in figure.expected if row.scale in ("", scale)}
        assert judged >= set(figure.file.at(scale).known_misses)
        for point in figure.planned(scale):
            point.scenario.check()


@pytest.mark.parametrize("figure", RUN)
def test_what_is_claimed_is_reproduced_but_for_what_is_known_to_differ(command: Command, figure: Figure) -> None:
    outcome = command("reproduce", figure.id, "--json")
    assert outcome.status == 0, outcome.err
    verdicts = {row["claim"]: row["verdict"] for row in json.loads(outcome.out)}
    assert "reproduced" in verdicts.values()
    misses = {claim for claim, verdict in verdicts.items() if verdict == "differs"}
    assert misses == set(figure.file.at(Scale.QUICK).known_misses)


def test_make_runs_them_though_their_folder_has_the_name() -> None:
    done = subprocess.run(["make", "--dry-run", "figures"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "xoff reproduce" in done.stdout
