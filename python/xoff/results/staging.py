"""Folders that appear under their name only when they are complete."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import OutputError, interrupts_delayed
from xoff.results import leftovers
from xoff.results.exchange import exchange
from xoff.results.flushing import flush
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}
_EXISTS = {
    False: "exists already; {another}, or replace it with {force}",
    True: "exists and is no result folder, so {force} does not replace it; {another}",
}
_TAKEN_MEANWHILE = "was made by another meanwhile; what was to be there is in {numbered}"
_PARTIAL, _UNLOCKED, _REPLACED = ".partial", ".unlocked", ".replaced"
"""Ends of the names of folders that are written, of such without a lock, and of what one of them replaces."""
_IN_PYTHON = {"another": "choose another folder", "force": "force=True"}
_ON_COMMAND_LINE = {"another": "choose another folder with --out", "force": "--force"}


@dataclass
class Staging:
    """A place to write a folder meanwhile, beside the name it will have.

    Staging begins before the run, so that an output that cannot be written fails before any time is spent. As a
    context manager it leaves nothing behind unless `commit` was called.

    A folder that replaces another is exchanged with it in one step, so that the name leads to the old or to the new one
    at any instant. Where the file system has no exchange, the old one is renamed first. The next staging for the name
    finishes what a process left that was killed in between, and removes what never got the name.
    """

    path: Path
    """Folder to write into."""
    wanted: Path | None
    """The name the folder is to have; None where any numbered one will do."""
    names: Iterator[Path]
    """Numbered names; the folder gets the first free one if it cannot have the wanted name."""
    replaces: Callable[[Path], bool] | None
    """Whether a folder that has the name already is replaced; None if no folder is."""
    parents: list[Path]
    """Folders that were made to hold the new one, outermost first."""
    lock: int | None
    """Open file whose lock says that this process writes there; None where the file system has no locks."""

    @classmethod
    def at(cls, path: str | Path, *, replaces: Callable[[Path], bool] | None = None) -> Staging:
        """Begins a folder of a given name.

        Raises OutputError if it cannot be written or is there already, unless `replaces` says it may be replaced.
        """
        path = Path(path).expanduser()
        if path.name in ("", ".."):
            path = path.resolve()
        _finish_replacing(path)
        try:
            is_taken = os.path.lexists(path) and not (replaces and replaces(path))
        except OSError as error:
            raise unwritable(path, error) from None
        if is_taken:
            raise _refusal(path, _EXISTS[replaces is not None])
        return cls._make(path, path.parent, path.name, replaces)

    @classmethod
    def numbered(cls, parent: str | Path, name: str) -> Staging:
        """Begins a folder with the next free name of `NAME-001`, `NAME-002`, ... in `parent`."""
        return cls._make(None, Path(parent), name)

    @classmethod
    def chosen(cls, out: str | Path | None, name: str, *, force: bool, replaces: Callable[[Path], bool]) -> Staging:
        """Begins the folder `out`, or by default a new numbered one, `results/NAME-001`.

        Raises OutputError if it cannot be written or `out` exists, unless `force` is set and `replaces` allows it.
        """
        return cls.numbered("results", name) if out is None else cls.at(out, replaces=replaces if force else None)

    @classmethod
    def of_numbers(cls, out: str | Path | None, name: str, numbers: str, *, force: bool) -> Staging:
        """Begins a folder for the numbers of many runs, which has a file called `numbers`; see `chosen`.

        A folder that Ctrl-C left incomplete is replaced even without `force`, since the same command goes on with it.
        """
        goes_on = out is not None and _is_interrupted(Path(out).expanduser() / numbers)
        return cls.chosen(out, name, force=force or goes_on, replaces=lambda path: (path / numbers).is_file())

    @classmethod
    def _make(
        cls, wanted: Path | None, parent: Path, name: str, replaces: Callable[[Path], bool] | None = None
    ) -> Staging:
        made: list[Path] = []
        try:
            _make_folders(parent, made)
            _remove_abandoned(parent, name)
            path = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=f".{leftovers.host()}{_UNLOCKED}", dir=parent))
            path.chmod(_open_mode(parent))
            lock = leftovers.lock(path)
            if lock is not None:
                path = path.rename(path.with_suffix(_PARTIAL))
        except OSError as error:
            _remove_empty(made)
            at_fault = parent / name if error.errno == errno.ENAMETOOLONG else parent
            raise unwritable(wanted or at_fault, error) from None
        return cls(path, wanted, _numbered(parent, name), replaces, made, lock)

    def commit(self) -> Path:
        """Gives the folder its name, and returns that path.

        All files are flushed to disk first, so that not even a power cut leaves half a folder under that name. If
        another process took the name meanwhile, the folder gets a numbered one, and OutputError says which.
        """
        if self.wanted is not None and self.commit_unless_taken():
            return self.wanted
        with self.writing():
            _flush(self.path)
            numbered = next(name for name in self.names if self._takes(name))
        if self.wanted is not None:
            raise _refusal(self.wanted, _TAKEN_MEANWHILE, numbered=str(numbered))
        return numbered

    def commit_unless_taken(self) -> bool:
        """Gives the folder its name; returns False, and leaves the other in place, if the name was taken meanwhile."""
        assert self.wanted is not None
        with self.writing(), interrupts_delayed():
            _flush(self.path)
            return self._takes(self.wanted, self.replaces)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turns errors of the system inside a block into OutputError."""
        try:
            yield
        except OutputError:
            raise
        except OSError as error:
            raise unwritable(self.wanted or self.path.parent, error) from None

    def _takes(self, name: Path, replaces: Callable[[Path], bool] | None = None) -> bool:
        """Renames the folder; returns False if the name is taken and may not be replaced."""
        new, name = self.path.resolve(), name.parent.resolve() / name.name  # ways may lead through what is replaced
        try:
            new.rename(name)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            if not (replaces and replaces(name)):
                return False
            _replace(name, new)
        return True

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        _remove_empty(self.parents)
        if self.lock is not None:
            os.close(self.lock)


def unwritable(path: Path, error: OSError) -> OutputError:
    """Returns the error for a folder that cannot be written."""
    reason = os.strerror(error.errno) if error.errno else str(error)  # Arrow has its own words for it
    return _refusal(path, "cannot write here: {reason}; {another}", reason=reason.lower())


def _refusal(path: Path, text: str, **said: str) -> OutputError:
    in_python, on_command_line = (text.format(**said, **words) for words in (_IN_PYTHON, _ON_COMMAND_LINE))
    return OutputError(f"{path}: {in_python}", f"{path}: --out: {on_command_line}", said.get("reason", ""))


def _replace(old: Path, new: Path) -> None:
    """Puts a new folder in the place of an old one, which goes; if that fails, the old one stays."""
    if not exchange(new, old):
        _exchange_in_steps(new, old)
    _flush_entry(old.parent)
    _remove(new)


def _exchange_in_steps(new: Path, old: Path) -> None:
    """Exchanges two names by renaming; what a kill leaves in between, `_finish_replacing` completes."""
    aside = new.with_suffix(_REPLACED)
    old.rename(aside)
    try:
        new.rename(old)
    except OSError:
        aside.rename(old)
        raise
    aside.rename(new)


def _remove(path: Path) -> None:
    """Removes a folder, a file or a link, as far as the system lets it."""
    with suppress(OSError):
        if path.is_symlink() or path.is_file():  # what a link leads to is not of this name
            path.unlink()
            return
        path.chmod(0o700)  # one that cannot be read goes, too
    shutil.rmtree(path, ignore_errors=True)


def _finish_replacing(target: Path) -> None:
    """Completes the exchange of a killed process whose new folder has not got its name, or its old one no other.

    Where the name has come to something else meanwhile, both folders stay.
    """
    for aside in leftovers.named(target.parent, rf"\.{re.escape(target.name)}\.\w+\.\w+{re.escape(_REPLACED)}"):
        with suppress(OSError):
            places = [aside.with_suffix(end) for end in (_PARTIAL, _UNLOCKED)]
            new = next(filter(os.path.lexists, places), None)
            if not os.path.lexists(target) and not (new and _is_written(new)):
                (new or aside).rename(target)
                new = None
            if new is None and os.path.lexists(aside):
                _remove(aside.rename(places[0]))


def _is_written(path: Path) -> bool:
    """Whether a living process is writing a staging folder; where there are no locks, none is known to be."""
    opened = leftovers.lock(path)
    if opened is not None:
        os.close(opened)
    return opened is None and path.suffix == _PARTIAL


def _is_interrupted(numbers: Path) -> bool:
    """Whether a file of numbers says that its runs were interrupted."""
    try:
        found = json_text.parse(numbers.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("interrupted") is True


def _open_mode(parent: Path) -> int:
    """Returns the permissions of `parent`, which a result gets too; mkdtemp alone makes a private folder."""
    return parent.stat().st_mode & 0o777


def _remove_abandoned(parent: Path, name: str) -> None:
    """Removes the staging folders for a name that killed processes of this host have left."""
    pattern = rf"\.{re.escape(name)}\.\w+\.{leftovers.host()}{re.escape(_PARTIAL)}"
    for path in leftovers.abandoned(parent, pattern):
        if not os.path.lexists(path.with_suffix(_REPLACED)):
            _remove(path)


def _make_folders(path: Path, made: list[Path]) -> None:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        if path.parent != path:
            _make_folders(path.parent, made)
        path.mkdir(exist_ok=True)
        made.append(path)
    else:
        if not is_folder:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _remove_empty(folders: list[Path]) -> None:
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def _flush(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        flush(path)


def _flush_entry(folder: Path) -> None:
    """Flushes the names in a folder to disk, where the system lets it."""
    with suppress(OSError):
        flush(folder)


def _numbered(parent: Path, name: str) -> Iterator[Path]:
    pattern = re.compile(re.escape(name) + r"-(\d+)")
    taken = [int(match[1]) for entry in parent.iterdir() if (match := pattern.fullmatch(entry.name))]
    number = max(taken, default=0)
    while True:
        number += 1
        yield parent / f"{name}-{number:03}"
