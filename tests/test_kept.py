"""What is kept: what decides its name, and what must be in it."""

from pathlib import Path

import pytest

import xoff
from conftest import SMALL
from xoff import imported, kept
from xoff.kept import KeptRuns

SCENARIO = xoff.Scenario(SMALL, "small.toml", ("stop.at=950us", "topology.host_link.rate=1Gbps"))


def test_a_build_is_all_that_makes_results_and_nothing_that_shows_them() -> None:
    names = {file.stem for file in imported.files(("execution", "folder"))}
    assert names >= {"columns", "execution", "folder", "inputs", "measured", "observed", "provenance", "summary"}
    assert names.isdisjoint({"application", "comparison", "grids", "render", "scenario", "sweeping", "table"})


def test_another_way_to_sum_up_is_another_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "xoff"
    package.mkdir()
    for file in imported.files(("execution", "folder")):
        (package / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(imported, "_PACKAGE", package)
    before = KeptRuns(tmp_path)
    with (package / "observed.py").open("a", encoding="utf-8") as module:
        module.write("# another\n")
    assert KeptRuns(tmp_path).place(SCENARIO) != before.place(SCENARIO)


@pytest.mark.parametrize("name", ["flows.parquet", "unfinished.parquet", "summary.json"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:100])])
def test_what_lacks_a_file_that_comparisons_take_is_to_run_again(tmp_path: Path, name: str, damage: object) -> None:
    runs = KeptRuns(tmp_path)
    runs.keep(SCENARIO, SCENARIO.run())
    assert runs.has(SCENARIO)
    assert callable(damage)
    damage(runs.place(SCENARIO) / name)
    assert not runs.has(SCENARIO)
    runs.keep(SCENARIO, SCENARIO.run())
    assert runs.has(SCENARIO)


@pytest.mark.parametrize("stem", ["n" * 250, "é" * 125])
def test_a_long_name_is_shortened_and_its_digest_is_whole(tmp_path: Path, stem: str) -> None:
    runs = KeptRuns(tmp_path)
    long = xoff.Scenario(SMALL, f"{stem}.toml")
    assert not runs.has(long)
    runs.keep(long, long.run())
    assert runs.has(long)
    [folder] = tmp_path.iterdir()
    short, _, digest = folder.name.rpartition("-")
    assert stem.startswith(short)
    assert len(digest) == kept._DIGITS
