"""The published figures: every folder is whole, and what is claimed here of a figure is measured at the quick scale."""

import json
import subprocess
from collections.abc import Callable

import pytest

from conftest import ROOT, Outcome
from xoff.reproduce.atlas import find
from xoff.reproduce.figure import Figure
from xoff.reproduce.scale import Scale
from xoff.reproduce.verdict import Verdict

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
def test_every_effect_is_seen_but_for_those_known_to_be_missed(command: Command, figure: Figure) -> None:
    outcome = command("reproduce", figure.id, "--json")
    assert outcome.status == 0, outcome.err
    verdicts = {row["claim"]: row["verdict"] for row in json.loads(outcome.out)}
    assert any(Verdict(verdict).is_met for verdict in verdicts.values())
    misses = {claim for claim, verdict in verdicts.items() if Verdict(verdict).is_missed}
    assert misses == set(figure.file.at(Scale.QUICK).known_misses)


def test_make_runs_them_though_their_folder_has_the_name() -> None:
    done = subprocess.run(["make", "--dry-run", "figures"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "xoff reproduce" in done.stdout
