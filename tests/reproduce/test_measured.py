"""Values measured at the paper's size: how they are kept, when they are too old, and how rows of the atlas end."""

import shutil
from pathlib import Path

import pytest

import xoff
from xoff.reproduce import atlas_tables, deciding, measured
from xoff.reproduce.figure import Figure
from xoff.reproduce.paper_rows import End, PaperRow
from xoff.reproduce.points import Points
from xoff.reproduce.scale import Scale
from xoff.runs import batch
from xoff.runs.store import KeptRuns

CLAIM = "Early marks do not slow an incast"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the folder of a figure of nobody, with two seeds at the paper's scale."""
    copy = Path(shutil.copytree(Path(__file__).parent / "figures", tmp_path / "figures")) / "nobody" / "fig1"
    with (copy / "figure.toml").open("a", encoding="utf-8") as file:
        file.write("[scales.paper]\nseeds = 2\n")
    return copy


def figure(folder: Path) -> Figure:
    return Figure("nobody/fig1", folder)


def keep(folder: Path) -> measured.Measured:
    """Runs a figure at the paper's scale and keeps what it measures."""
    found = figure(folder)
    kept = KeptRuns(folder.parents[2] / "runs")
    batch.run([point.scenario for point in found.planned(Scale.PAPER)], kept)
    points = found.points(Scale.PAPER, kept)
    assert isinstance(points, Points)
    found.keep(found.rows(Scale.PAPER, points), points)
    record = figure(folder).record
    assert record is not None
    return record


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_every_row_is_kept_with_the_interval_of_its_seeds(folder: Path) -> None:
    with (folder / "figure.py").open("a", encoding="utf-8") as measures:
        measures.write('\n\ndef total(points):\n    return sum(p.summary["flows"]["all"]["count"] for p in points)\n')
    with (folder / "expected.csv").open("a", encoding="utf-8") as rows:
        rows.write("total,,,Flows of all runs,120,+-0,,,,\n")
    record = keep(folder)
    found = figure(folder)
    assert [row.row for row in record.rows] == [row.told for row in found.judged_at_paper_size]
    assert not found.is_older
    [ratio] = [row for row in record.rows if row.row == CLAIM]
    assert None not in (ratio.measured, ratio.low, ratio.high)
    assert ratio.low <= ratio.measured <= ratio.high  # type: ignore[operator]
    [flows] = [row for row in record.rows if row.row == "Flows of all runs"]
    assert (flows.measured, flows.low) == (120, None), "a sum over seeds is no mean of them"
    power = next(row for row in record.rows if row.verdict == "not simulated")
    assert (power.measured, power.low) == (None, None)
    assert (folder / "paper.svg").exists()


def test_a_verdict_follows_the_tolerance_that_stands_there_now(folder: Path) -> None:
    keep(folder)
    change(folder / "expected.csv", ">= 1000", ">= 10")
    found = figure(folder)
    assert not found.is_older
    assert {row.told: found.recorded_verdict(row) for row in found.expected}["Many flows"] == "reproduced"


@pytest.mark.parametrize(
    ("name", "old", "new", "is_older"),
    [
        ("scenario.toml", "[topology]", "# words\n[topology]", False),
        ("scenario.toml", 'title = "', 'title = "x', True),
        ("figure.toml", 'title = "', 'title = "x', False),
        ("figure.toml", "values = [1, 2]", "values = [1, 2, 3]", True),
        ("figure.toml", 'groups" = 2', 'groups" = 3', False),
        ("figure.toml", "[scales.paper]\nseeds = 2", "[scales.paper]\nseeds = 3", True),
        ("expected.csv", "Many flows", "Very many flows", False),
        ("figure.py", "return figure", "return None", False),
        ("figure.py", '"late"', '"early"', True),
    ],
)
def test_older_is_what_ran_otherwise_or_was_measured_otherwise(
    folder: Path, name: str, old: str, new: str, *, is_older: bool
) -> None:
    before = deciding.digest(folder)
    change(folder / name, old, new)
    assert (deciding.digest(folder) != before) == is_older


def test_data_beside_the_scenario_decides_too(folder: Path) -> None:
    before = deciding.digest(folder)
    (folder / "paper.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "README.md").write_text("words", encoding="utf-8")
    assert deciding.digest(folder) == before
    (folder / "sizes.csv").write_text("1,1", encoding="utf-8")
    assert deciding.digest(folder) != before


def test_a_file_that_xoff_did_not_write_is_refused(folder: Path) -> None:
    (folder / measured.FILE).write_text('{"command": "x", "source": "guess"}', encoding="utf-8")
    with pytest.raises(xoff.ScenarioError, match=r"measured.json: source: input should be 'run' or 'readme'; expected"):
        _ = figure(folder).record
    (folder / measured.FILE).write_text("{", encoding="utf-8")
    with pytest.raises(xoff.ScenarioError, match=r"measured.json: .*; expected the file that"):
        _ = figure(folder).record


def test_a_row_ends_by_what_is_missed_and_whether_that_is_explained(folder: Path) -> None:
    row = PaperRow("nobody", "F1", "a small figure", "nobody/fig1", "")
    assert row.end(None) is End.OPEN
    assert row.end(figure(folder)) is End.OPEN, "nothing is measured"
    keep(folder)
    assert [missed.told for missed in row.missed(figure(folder))] == ["Many flows"]
    assert row.end(figure(folder)) is End.OPEN
    path = folder / "expected.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    why = ["explained", *("seed = 4: 1000" if "Many flows" in line else "" for line in lines[1:])]
    path.write_text("".join(f"{line},{cell}\n" for line, cell in zip(lines, why, strict=True)), encoding="utf-8")
    assert row.end(figure(folder)) is End.EXPLAINED
    lines = path.read_text(encoding="utf-8").splitlines()
    of_row = ["row", *("F1" if CLAIM in line else "" for line in lines[1:])]
    path.write_text("".join(f"{line},{cell}\n" for line, cell in zip(lines, of_row, strict=True)), encoding="utf-8")
    assert row.end(figure(folder)) is End.REPRODUCED, "what is missed decides another row"


def test_tables_of_the_atlas_tell_what_is_missed(folder: Path) -> None:
    keep(folder)
    rows = [
        PaperRow("lab", "F1", "a small figure", "nobody/fig1", ""),
        PaperRow("lab", "F2", "another", "", "no folder"),
    ]
    lines = atlas_tables.markdown(rows, [figure(folder)]).splitlines()
    assert "| **all** | 0 | 0 | 2 | 2 |" in lines
    change(folder / "scenario.toml", "groups = 10", "groups = 11")
    *_, older = atlas_tables.markdown(rows, [figure(folder)]).splitlines()
    assert older == "- `nobody/fig1`"
    assert lines[-2:] == [
        "| [F1](../figures/nobody/fig1/README.md) | a small figure | open | Many flows: 20, >= 1000 asked |",
        "| F2 | another | open | no folder |",
    ]
