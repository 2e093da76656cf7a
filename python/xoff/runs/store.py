"""Store of finished runs on disk, so that no run is done twice."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import warnings
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import getfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from xoff import _xoff
from xoff.errors import OutputError, ResultWarning
from xoff.results import checksums, folder
from xoff.results.staging import Staging
from xoff.runs import source_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from xoff.results.result import Result
    from xoff.scenario.scenario import Scenario

_DIGITS = 16  # of a digest in the name of a folder: 64 bits

_MAKE_RESULTS = ("runs/execution", "results/folder")
_MOST_TOLD = 3  # of edited runs, by name
_LONGEST = 200
"""Most bytes of a scenario's name in a folder's name; digest and staging suffix need the rest of 255."""
_GONE = {"", *(os.strerror(number).lower() for number in (errno.ENOENT, errno.EEXIST))}
"""Reasons of the system when a folder that staging has found or made is gone since."""


def build() -> str:
    """Returns the digest of the simulator and of all modules that make results, which tells builds apart."""
    files = [Path(getfile(_xoff)), *source_files.files(_MAKE_RESULTS)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@contextmanager
def kept_in(root: str | Path | None) -> Iterator[KeptRuns]:
    """Yields a store of runs in a folder; without `root`, one that lasts as long as the context."""
    with TemporaryDirectory() as temporary:
        yield KeptRuns(Path(root or temporary))


@dataclass(frozen=True)
class KeptRuns:
    """A folder of result folders, named by a digest of scenario, input files and this build of xoff."""

    root: Path
    build: str = field(default_factory=build)
    """Digest of the build when the store was opened; workers use it even if another build is installed meanwhile."""
    _digests: dict[int, tuple[Scenario, str]] = field(default_factory=dict, compare=False, repr=False)
    """Scenarios, which stay alive here, and their digests, by the scenarios' ids: a digest takes 1 ms."""

    def digest(self, scenario: Scenario) -> str:
        """Returns the digest of a scenario, with its files as they were when first asked for."""
        if id(scenario) not in self._digests:
            self._digests[id(scenario)] = (scenario, scenario.digest())
        return self._digests[id(scenario)][1]

    def place(self, scenario: Scenario) -> Path:
        """Returns the folder for the result of a scenario."""
        key = hashlib.sha256(f"{self.digest(scenario)} {self.build}".encode()).hexdigest()
        name = os.fsencode(scenario.name)[:_LONGEST].decode(errors="ignore")
        return self.root / f"{name}-{key[:_DIGITS]}"

    def __reduce__(self) -> tuple[type[KeptRuns], tuple[Path, str]]:
        """Leaves what this process has found out behind where a worker, perhaps in another folder, gets the store."""
        return KeptRuns, (self.root.absolute(), self.build)

    def has(self, scenario: Scenario) -> bool:
        """Whether the store has the result of a scenario as it was kept; an edited one does not count."""
        return not folder.edited(self.place(scenario))

    def warn_if_edited(self, scenarios: Iterable[Scenario]) -> None:
        """Warns, with a ResultWarning, of kept runs that do not count because they were edited or damaged."""
        places = [place for place in map(self.place, scenarios) if os.path.lexists(place)]
        edited = [f"{place.name} ({', '.join(names)})" for place in places if (names := folder.edited(place))]
        if edited:
            some = ", ".join(edited[:_MOST_TOLD]) + (", ..." if len(edited) > _MOST_TOLD else "")
            several = f"{len(edited)} kept runs are no longer as xoff wrote them, and run"
            one = "1 kept run is no longer as xoff wrote it, and runs"
            told = f"{self.root}: {one if len(edited) == 1 else several} again: {some}"
            warnings.warn(told, ResultWarning, stacklevel=3)

    def keep(self, scenario: Scenario, result: Result) -> None:
        """Writes the result of a scenario, unless another process has kept it meanwhile. Raises OutputError."""
        self._keep(scenario, lambda staging: folder.add(result, staging, "."))

    def packed(self, scenario: Scenario, result: Result) -> bytes:
        """Returns the files of a result as they would be kept, for a process that keeps them with `unpack`."""
        with TemporaryDirectory() as temporary, io.BytesIO() as packed:
            here = KeptRuns(Path(temporary), self.build)
            here.keep(scenario, result)
            place = here.place(scenario)
            with zipfile.ZipFile(packed, "w") as archive:
                for path in sorted(path for path in place.rglob("*") if path.is_file()):
                    archive.write(path, path.relative_to(place))
            return packed.getvalue()

    def unpack(self, scenario: Scenario, packed: bytes) -> None:
        """Keeps the files of a result from `packed`. Raises OutputError."""

        def extract(staging: Staging) -> None:
            with staging.writing(), zipfile.ZipFile(io.BytesIO(packed)) as archive:
                archive.extractall(staging.path)
                checksums.write(staging.path, [name for name in archive.namelist() if name != checksums.FILE])

        self._keep(scenario, extract)

    def _keep(self, scenario: Scenario, write: Callable[[Staging], None]) -> None:
        try:
            with Staging.at(self.place(scenario), replaces=lambda _: not self.has(scenario)) as staging:
                write(staging)
                staging.commit_unless_taken()
        except OutputError as error:
            if self.has(scenario):
                return
            if error.reason in _GONE and self._can_be():
                raise self.gone() from None
            raise self._unwritable(error.reason) from None

    def make(self, folder: Path) -> None:
        """Makes the folder of the store, or one in it, if it is missing. Raises OutputError."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = os.strerror(error.errno).lower() if error.errno else str(error)
            raise self._unwritable(reason) from None

    def _can_be(self) -> bool:
        """Whether the folder can be made, so that one which is missing was there."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except FileExistsError:  # made by another, who has removed it, or a link that leads nowhere
            return not self.root.is_symlink()
        except OSError:
            return False
        return True

    def _unwritable(self, reason: str) -> OutputError:
        return OutputError(f"{self.root}: cannot keep runs here: {reason}; expected a folder that can be written")

    def gone(self) -> OutputError:
        """Returns the error for kept runs that someone has removed."""
        message = f"{self.root}: runs that were kept here are gone; doing the same again goes on with what is missing"
        return OutputError(message)
