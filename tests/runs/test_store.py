"""Finished runs that are kept: the digest that names them, and the files that must be in them."""

import errno
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

import xoff
from conftest import SMALL
from xoff.errors import OutputError, ResultError
from xoff.results import folder
from xoff.runs import source_files, store
from xoff.runs.store import KeptRuns

RESULT_MAKERS = ("runs/execution", "results/folder")
SCENARIO = xoff.Scenario(SMALL, "small.toml", ("stop.at=950us", "topology.host_link.rate=1Gbps"))


def test_a_build_is_all_that_makes_results_and_nothing_that_shows_them() -> None:
    names = {file.stem for file in source_files.files(RESULT_MAKERS)}
    assert names >= {"columns", "execution", "folder", "inputs", "cost", "provenance", "series_statistics", "summary"}
    assert names.isdisjoint({"application", "comparison", "grids", "render", "scenario", "sweep", "table"})


def test_another_way_to_sum_up_is_another_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "xoff"
    package.mkdir()
    for file in source_files.files(RESULT_MAKERS):
        copied = package / file.relative_to(source_files._PACKAGE)
        copied.parent.mkdir(exist_ok=True)
        copied.write_bytes(file.read_bytes())
    monkeypatch.setattr(source_files, "_PACKAGE", package)
    before = KeptRuns(tmp_path)
    with (package / "results" / "series_statistics.py").open("a", encoding="utf-8") as module:
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


def test_a_folder_that_goes_while_a_run_is_kept_is_gone(tmp_path: Path) -> None:
    """Whenever that is, it is said in one way, or the run is kept all the same."""
    root, ends, result = tmp_path / "runs", threading.Event(), SCENARIO.run()
    told: list[str] = []

    def remove() -> None:
        while not ends.is_set():
            shutil.rmtree(root, ignore_errors=True)

    removing = threading.Thread(target=remove)
    removing.start()
    try:
        for _ in range(300):
            try:
                KeptRuns(root, "build").keep(SCENARIO, result)
            except OutputError as error:
                told.append(str(error))
    finally:
        ends.set()
        removing.join()
    assert [message for message in told if "runs that were kept here are gone" not in message] == []


def test_a_link_that_leads_nowhere_cannot_hold_runs(tmp_path: Path) -> None:
    """No command that is given again would help."""
    root = tmp_path / "runs"
    root.symlink_to(tmp_path / "unmounted")
    with pytest.raises(OutputError, match=r"runs: cannot keep runs here: file exists; expected a folder"):
        KeptRuns(root).keep(SCENARIO, SCENARIO.run())


@pytest.mark.parametrize("stem", ["n" * 250, "é" * 125])
def test_a_long_name_is_shortened_and_its_digest_is_whole(tmp_path: Path, stem: str) -> None:
    runs = KeptRuns(tmp_path)
    long = xoff.Scenario(SMALL, f"{stem}.toml")
    assert not runs.has(long)
    runs.keep(long, long.run())
    assert runs.has(long)
    [place] = tmp_path.iterdir()
    short, _, digest = place.name.rpartition("-")
    assert stem.startswith(short)
    assert len(digest) == store._DIGITS


def test_what_may_not_be_read_is_to_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = KeptRuns(tmp_path)
    runs.keep(SCENARIO, SCENARIO.run())
    stat = os.stat

    def refuse(path: str | Path, **options: bool) -> os.stat_result:
        if runs.place(SCENARIO) in Path(path).parents:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", refuse)  # no permission is refused to root
    assert not runs.has(SCENARIO)
    with pytest.raises(ResultError, match=r"summary\.json: cannot read: permission denied; expected what xoff run"):
        folder.read_summary(runs.place(SCENARIO))


def test_what_another_has_kept_meanwhile_is_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, result = KeptRuns(tmp_path), SCENARIO.run()
    add = folder.add

    def meanwhile(*arguments: Any, **options: Any) -> None:  # noqa: ANN401 as they come
        add(*arguments, **options)
        monkeypatch.undo()
        runs.keep(SCENARIO, result)
        (runs.place(SCENARIO) / "first").touch()

    monkeypatch.setattr(folder, "add", meanwhile)
    runs.keep(SCENARIO, result)
    runs.keep(SCENARIO, result)
    assert (runs.place(SCENARIO) / "first").exists()
    assert list(tmp_path.iterdir()) == [runs.place(SCENARIO)]


def test_a_file_in_the_place_of_a_run_is_replaced(tmp_path: Path) -> None:
    runs = KeptRuns(tmp_path)
    runs.place(SCENARIO).touch()
    runs.keep(SCENARIO, SCENARIO.run())
    assert runs.has(SCENARIO)
    assert list(tmp_path.iterdir()) == [runs.place(SCENARIO)]
