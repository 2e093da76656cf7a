"""The published figures: every folder is whole, and what is claimed here of a figure is measured at the quick scale."""

import json
import re
import subprocess
from collections.abc import Callable

import pytest

from conftest import ROOT, Outcome
from xoff.reproduce import paper_rows
from xoff.reproduce.atlas import find, shipped
from xoff.reproduce.figure import Figure
from xoff.reproduce.scale import Scale
from xoff.reproduce.verdict import Verdict

Command = Callable[..., Outcome]

FIGURES = find()
EXPERIMENT = re.compile(r"`[a-z0-9_.\[\]]+ = [^`]+`|^reading: |^[a-z_]+/[a-z0-9_]+ ")
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


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_what_was_measured_is_of_what_stands_here(figure: Figure) -> None:
    record = figure.record
    assert record is not None, f"nothing measured: xoff reproduce {figure.id} --scale paper --record"
    published = {row.told: row for row in figure.judged_at_paper_size}
    for row in record.rows:
        assert row.verdict == figure.recorded_verdict(published[row.row]), row.row
    again = f"measured.json is older than what decides it: xoff reproduce {figure.id} --scale paper --record"
    assert record.digest is None or not figure.is_older, again


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.id)
def test_only_what_is_missed_is_explained(figure: Figure) -> None:
    if (figure.folder / "expected.csv").is_symlink():
        pytest.skip("published values of another figure")
    explained = [row for row in figure.expected if row.explained]
    assert all(verdict.is_missed for row in explained if (verdict := figure.recorded_verdict(row)))
    for row in explained:
        named = EXPERIMENT.search(row.explained)
        assert named, f"{row.told}: expected a key and its value, `KEY = VALUE`, another figure, or `reading: `"


def test_every_figure_has_its_rows_in_the_atlas() -> None:
    rows = paper_rows.read(shipped())
    there = {figure.id: figure for figure in FIGURES}
    assert {row.figure for row in rows} - {""} <= set(there)
    told = " ".join(f"{row.figure} {row.note}" for row in rows).split()
    assert set(there) <= set(told), "a figure is a row of rows.csv, or a note on one names it"
    for figure in FIGURES:
        named = {one for row in figure.expected if row.row for one in row.row.split()}
        assert named <= {row.row for row in rows if row.figure == figure.id}
    assert {row.paper for row in rows} == set(paper_rows.PAPERS)


def test_make_runs_them_though_their_folder_has_the_name() -> None:
    done = subprocess.run(["make", "--dry-run", "figures"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "xoff reproduce" in done.stdout
