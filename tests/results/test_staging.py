"""Folders appear whole or not at all."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import ROOT
from xoff.errors import OutputError
from xoff.results import exchange
from xoff.results.leftovers import host
from xoff.results.staging import Staging


def entries(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def fill(staging: Staging, text: str = "new") -> Path:
    (staging.path / "file").write_text(text)
    return staging.commit()


def test_numbers_go_on_from_the_highest(tmp_path: Path) -> None:
    (tmp_path / "run-007").mkdir()
    (tmp_path / "other-009").mkdir()
    with Staging.numbered(tmp_path, "run") as staging:
        assert fill(staging) == tmp_path / "run-008"


def test_a_number_taken_meanwhile_is_passed_over(tmp_path: Path) -> None:
    with Staging.numbered(tmp_path, "run") as first, Staging.numbered(tmp_path, "run") as second:
        assert [fill(first).name, fill(second).name] == ["run-001", "run-002"]


def test_without_commit_nothing_is_left(tmp_path: Path) -> None:
    with Staging.at(tmp_path / "a" / "b" / "out") as staging:
        (staging.path / "file").write_text("half")
    assert entries(tmp_path) == []


WRITES_ON = """
import sys, time
from xoff.results import exchange
from xoff.results.leftovers import host
from xoff.results.staging import Staging
staging = Staging.at(sys.argv[1])
(staging.path / "file").touch()
print("begun", flush=True)
time.sleep(600)
"""


@pytest.fixture
def begin() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts processes that write a folder and do not end."""
    begun = []

    def start(path: Path) -> subprocess.Popen[str]:
        process = subprocess.Popen([sys.executable, "-c", WRITES_ON, str(path)], text=True, stdout=subprocess.PIPE)
        begun.append(process)
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        return process

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def test_what_a_killed_process_left_goes_when_its_name_is_written_again(
    tmp_path: Path, begin: Callable[[Path], subprocess.Popen[str]]
) -> None:
    killed = [begin(tmp_path / name) for name in ("out", "out.other")]
    left = entries(tmp_path)
    begin(tmp_path / "out")
    [written] = set(entries(tmp_path)) - set(left)
    for process in killed:
        process.kill()
        process.wait()
    with Staging.at(tmp_path / "out") as staging:
        [of_another_name] = (name for name in left if name.startswith(".out.other."))
        assert entries(tmp_path) == sorted([of_another_name, written, staging.path.name])
        assert entries(tmp_path / written) == ["file"]
        fill(staging)
    assert entries(tmp_path) == sorted([of_another_name, written, "out"])


@pytest.mark.parametrize("faults", [(), ("exchange",), ("exchange", "locks")], ids="+".join)
def test_a_kill_at_any_step_leaves_the_old_or_the_new(tmp_path: Path, faults: tuple[str, ...]) -> None:
    """Without an exchange, the next process finishes what it finds."""
    program = ROOT / "tests" / "killing.py"
    subprocess.run([sys.executable, program, tmp_path / "killed", *faults], check=True)


def test_a_new_folder_waits_aside_while_its_name_is_anothers(tmp_path: Path) -> None:
    """Someone has used the name between two renames of a killed process: all three stay."""
    aside = [tmp_path / f".out.x.{host()}{end}" for end in (".partial", ".replaced")]
    for path in (tmp_path / "out", *aside):
        path.mkdir()
        (path / "precious").touch()
    with Staging.at(tmp_path / "out", replaces=Path.is_dir) as staging:
        fill(staging)
    assert [entries(path) for path in (tmp_path / "out", *aside)] == [["file"], ["precious"], ["precious"]]


def test_what_exists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="out: exists already; choose another folder"):
        Staging.at(tmp_path / "out")


def test_replacing_leaves_only_the_new(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    with Staging.at(tmp_path / "out", replaces=lambda path: True) as staging:
        fill(staging)
    assert entries(tmp_path) == ["out"]
    assert entries(tmp_path / "out") == ["file"]


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "link").symlink_to("first")
    with Staging.at(tmp_path / "link", replaces=Path.is_dir) as staging:
        (staging.path / "new").touch()
        assert staging.commit() == tmp_path / "link"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "link"]
    assert (tmp_path / "link" / "new").exists()
    assert not (tmp_path / "link").is_symlink()


def test_a_way_may_lead_through_what_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").touch()
    with Staging.at(out / ".." / "out", replaces=Path.is_dir) as staging:
        fill(staging)
    with Staging.at(out / "sub" / "..", replaces=Path.is_dir) as staging:
        assert fill(staging) == out
    assert (entries(tmp_path), entries(out)) == (["out"], ["file"])


def test_what_cannot_be_replaced_after_all_is_there_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    rename = Path.rename
    exchange._call.cache_clear()
    monkeypatch.setattr(sys, "platform", "another")  # which has no exchange

    def fail(path: Path, name: Path) -> Path:
        if path.suffix == ".partial" and not name.exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, name)

    monkeypatch.setattr(Path, "rename", fail)
    with (
        Staging.at(tmp_path / "out", replaces=Path.is_dir) as staging,
        pytest.raises(OutputError, match="out: cannot write here: input/output error"),
    ):
        fill(staging)
    assert (entries(tmp_path), entries(tmp_path / "out")) == (["out"], ["old"])


def test_what_is_to_be_replaced_is_looked_at_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with Staging.at(out, replaces=lambda path: not (path / "precious").exists()) as staging:
        (out / "precious").touch()
        with pytest.raises(OutputError, match="out: was made by another meanwhile"):
            fill(staging)
    assert entries(out) == ["precious"]


def test_a_folder_that_is_gone_is_told_in_a_line(tmp_path: Path) -> None:
    with Staging.numbered(tmp_path / "results", "run") as staging:
        shutil.rmtree(tmp_path / "results")
        gone = "results: cannot write here: no such file or directory; choose another folder$"
        with pytest.raises(OutputError, match=gone), staging.writing():
            (staging.path / "file").touch()
        with pytest.raises(OutputError, match=gone):
            staging.commit()


@pytest.mark.parametrize(
    ("numbers", "goes_on"),
    [('{"interrupted": true}', True), ('{"interrupted": false}', False), ("{}", False), ("[]", False), ("{", False)],
)
def test_only_what_was_interrupted_is_replaced_without_force(tmp_path: Path, numbers: str, goes_on: bool) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "sweep.json").write_text(numbers)
    if goes_on:
        with Staging.of_numbers(out, "sweep", "sweep.json", force=False) as staging:
            fill(staging)
        assert entries(out) == ["file"]
    else:
        with pytest.raises(OutputError, match="out: exists already"):
            Staging.of_numbers(out, "sweep", "sweep.json", force=False)


def test_a_folder_taken_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with Staging.at(tmp_path / "out") as staging:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "precious").touch()
        with pytest.raises(OutputError, match=r"out: was made by another meanwhile; .* is in .*out-001"):
            fill(staging)
    assert entries(tmp_path / "out") == ["precious"]
    assert entries(tmp_path / "out-001") == ["file"]
    assert entries(tmp_path) == ["out", "out-001"]


def test_a_tilde_is_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Staging.at("~/out") as staging:
        assert fill(staging) == tmp_path / "out"


def test_the_folder_that_was_asked_for_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"file/out: cannot write here: not a directory; choose another folder$"):
        Staging.at(tmp_path / "file" / "out")
    with pytest.raises(OutputError, match=r"file: cannot write here: not a directory; choose another folder$"):
        Staging.numbered(tmp_path / "file", "run")


def test_a_name_that_is_too_long_is_told_itself(tmp_path: Path) -> None:
    name = "n" * 256
    with pytest.raises(OutputError, match=f"{name}: cannot write here: file name too long; choose another folder"):
        Staging.at(tmp_path / name)
    assert entries(tmp_path) == []
