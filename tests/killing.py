"""Kills a process before each of its steps in turn, and has another go on after it.

Run as a program, which has no threads and so may fork: `killing.py FOLDER [FAULT]...`.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import OutputError
from xoff.results.staging import Staging
from xoff.results.whole_file import written_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KILLED = 9


def before_each_step(act: Callable[[], object]) -> Iterator[int]:
    """Does something in a child that is killed before its first step, then in one killed before its second, ...

    A step is any call that Python's audit hooks hear of, which all that change files are. Yields the number of the
    step after each kill, and ends once a child came to its end.
    """
    step = 0
    while True:
        step += 1
        child = os.fork()
        if child == 0:
            _act(act, step)
        _, status = os.waitpid(child, 0)
        ended = os.waitstatus_to_exitcode(status)
        assert ended in (0, KILLED), f"ended with {ended}"
        if ended == 0:
            return
        yield step


def _act(act: Callable[[], object], step: int) -> None:
    left = step

    def count(_: str, __: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(KILLED)

    try:
        sys.addaudithook(count)
        act()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def complete(path: Path) -> str:
    """Returns the version of a folder, of which each file must be; empty if there is none."""
    if not os.path.lexists(path):
        return ""
    files = sorted(path.iterdir())
    [version] = {file.read_text() for file in files}
    assert [file.name for file in files] == ["first", "second"], files
    return version


def fill(path: Path, version: str) -> None:
    for name in ("first", "second"):
        (path / name).write_text(version)


def replace(out: Path) -> None:
    with Staging.at(out, replaces=lambda _: True) as staging:
        fill(staging.path, "new")
        staging.commit()


def refused(out: Path) -> None:
    """Begins a folder of a name that is taken, which only finishes what others have left."""
    try:
        Staging.at(out)
    except OutputError:
        return
    raise AssertionError(out)


def anew(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    out = folder / "out"
    out.mkdir(parents=True)
    fill(out, "old")
    return out


def folders(folder: Path, *, may_miss: bool) -> None:
    """Replaces a folder; the next process, killed as well before each of its steps, leaves a whole one."""
    out = anew(folder)
    for step in before_each_step(lambda: replace(out)):
        found = complete(out)
        assert found or may_miss, f"nothing is left at step {step}"
        if not found:
            refused_at_each_step(folder, out)
        refused(out)
        version = complete(out)
        assert version == (found or "new")
        replace(out)
        assert complete(out) == "new"
        left = [path.name for path in folder.iterdir() if path != out and path.suffix != ".unlocked"]
        assert not left, f"{left} are left at step {step}"
        anew(folder)
    assert complete(out) == "new"
    assert list(folder.iterdir()) == [out]


def refused_at_each_step(folder: Path, out: Path) -> None:
    kept = folder.with_name("kept")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder, kept)
    for _ in before_each_step(lambda: refused(out)):
        refused(out)
        assert complete(out) == "new"
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)


def write(file: Path) -> None:
    with written_whole(file) as beside, beside.open("w") as text:
        text.write("new")
        text.write("\n")


def files(folder: Path, *, lockless: bool) -> None:
    """Replaces a file; nothing is left once another has been written."""
    file = folder / "file.txt"

    def begin() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        file.write_text("old\n")

    begin()
    for step in before_each_step(lambda: write(file)):
        found = file.read_text()
        assert found in ("old\n", "new\n"), found
        write(folder / "other.txt")
        left = {path.name for path in folder.iterdir() if ".unlocked" not in path.suffixes}
        left -= {"file.txt", "other.txt"}
        assert not left or lockless, f"{left} are left at step {step}"
        begin()
    assert file.read_text() == "new\n"


def main(folder: Path, *faults: str) -> None:
    """Replaces a file, or a folder; faults are what a system lacks: an `exchange` of names, `locks`."""

    def fail(*_: object) -> None:
        raise OSError

    os.fsync = lambda fd: None  # for power cuts; files outlive a kill without
    if "exchange" in faults:
        ctypes.CDLL = fail  # type: ignore[assignment, misc]
    if "locks" in faults:
        fcntl.flock = fail
    files(folder / "files", lockless="locks" in faults)
    folders(folder / "folders", may_miss="exchange" in faults)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
