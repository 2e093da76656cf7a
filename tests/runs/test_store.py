"""Finished runs that are kept: the digest that names them, and the files that must be in them."""

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xoff
from conftest import SMALL
from xoff.errors import OutputError, ResultError, ResultWarning
from xoff.results import folder
from xoff.runs import batch, source_files, store
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


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


EDITS: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one bit": lambda path: path.write_bytes(path.read_bytes()[:-9] + bytes([path.read_bytes()[-9] ^ 1, *range(8)])),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "a pipe": make_pipe,
    "a folder": make_folder,
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> KeptRuns:
    """A store with one run, which nobody may edit."""
    runs = KeptRuns(tmp_path_factory.mktemp("kept"))
    runs.keep(SCENARIO, SCENARIO.run())
    return runs


def names(kept: KeptRuns) -> list[str]:
    return sorted(path.name for path in kept.place(SCENARIO).iterdir())


def copied(kept: KeptRuns, to: Path) -> KeptRuns:
    """Returns a copy of a store, whose files have other times."""
    shutil.copytree(kept.root, to / "copied", copy_function=shutil.copyfile)
    return KeptRuns(to / "copied", kept.build)


@pytest.mark.parametrize("edit", EDITS)
def test_a_run_with_a_file_that_was_edited_is_not_used(kept: KeptRuns, tmp_path: Path, edit: str) -> None:
    assert len(names(kept)) >= 7
    for name in names(kept):
        runs = copied(kept, tmp_path / name)
        assert runs.has(SCENARIO)
        EDITS[edit](runs.place(SCENARIO) / name)
        assert not runs.has(SCENARIO), name


def test_an_edited_run_is_replaced_with_one_note(kept: KeptRuns, tmp_path: Path) -> None:
    runs = copied(kept, tmp_path)
    summary = runs.place(SCENARIO) / "summary.json"
    before = json.loads(summary.read_text(encoding="utf-8"))
    summary.write_text(json.dumps(before | {"loss_rate": 0.5}), encoding="utf-8")
    with pytest.warns(
        ResultWarning, match=r"copied: 1 kept run is no longer as .*: small-\w+ \(summary\.json\)$"
    ) as told:
        batch.run([SCENARIO], runs)
    assert len(told) == 1
    assert json.loads(summary.read_text(encoding="utf-8"))["loss_rate"] == before["loss_rate"]
    batch.run([SCENARIO], runs)  # without a note


def test_many_edited_runs_are_one_note(tmp_path: Path) -> None:
    runs = KeptRuns(tmp_path)
    scenarios = [SCENARIO.with_value("seed", seed) for seed in range(5)]
    batch.run(scenarios, runs)
    for scenario in scenarios:
        (runs.place(scenario) / "flows.parquet").unlink()
    with pytest.warns(ResultWarning) as told:
        runs.warn_if_edited(scenarios)
    [note] = map(str, (warning.message for warning in told))
    assert note.startswith(f"{tmp_path}: 5 kept runs are no longer as xoff wrote them, and run again: small-")
    assert (note.count("(flows.parquet)"), note[-5:]) == (3, ", ...")


def test_tables_that_were_added_count_and_files_of_the_user_do_not(kept: KeptRuns, tmp_path: Path) -> None:
    runs = copied(kept, tmp_path)
    place = runs.place(SCENARIO)
    for name in ("report.html", "links.svg", "mine.parquet"):
        (place / name).touch()
    assert runs.has(SCENARIO)
    shutil.copyfile(place / "flows.parquet", place / "packets.parquet")
    assert not runs.has(SCENARIO)


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
