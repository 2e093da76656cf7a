"""A switch's tables from Python: what `xoff lint` does on the command line."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import InputError, known
from xoff.scenario import catalogue
from xoff.switches.importing import imported
from xoff.switches.lint import CHECKS, Tables, lint
from xoff.switches.lint.switches import by_switch, parse
from xoff.switches.onto import put_onto
from xoff.text import text_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xoff.scenario.catalogue import Entry
    from xoff.scenario.scenario import Scenario
    from xoff.switches.importing import Part
    from xoff.switches.lint import Finding
    from xoff.switches.lint.switches import SwitchFile
    from xoff.switches.onto import Onto

_EXPECTED = "expected config_db.json or pg_profile_lookup.ini of SONiC"


@contextmanager
def _collected(errors: list[InputError]) -> Iterator[None]:
    """Adds an InputError of the block to a list."""
    try:
        yield
    except InputError as error:
        errors.append(error)


@dataclass(frozen=True)
class SwitchTables:
    """Buffer, ECN and PFC tables of one switch or of several, as SONiC's files have them. Make one with `load`."""

    switches: tuple[tuple[SwitchFile, ...], ...]
    """The files of each."""
    chip: Entry | None = None
    """Chip whose memory the pools must fit."""

    @classmethod
    def load(cls, *paths: str | Path, chip: str | None = None) -> SwitchTables:
        """Reads any number of `config_db.json` and `pg_profile_lookup.ini`. Which belong together, they say themselves.

        Args:
            paths: The files.
            chip: A name of `xoff list chips`.

        Raises InputError, one line that names file, key and remedy.
        """
        tables, refused = cls.load_readable(*paths, chip=chip)
        for error in refused:
            raise error
        return tables

    @classmethod
    def load_readable(cls, *paths: str | Path, chip: str | None = None) -> tuple[SwitchTables, list[InputError]]:
        """Reads the files that can be read, and returns them with the errors of the others.

        Also refused are the files of a switch that has two lookup tables. Raises InputError where no file is named, and
        for a chip that is unknown.
        """
        if not paths:
            raise InputError(None, "FILE", "no file is named", _EXPECTED)
        chips = {entry["name"]: entry for entry in catalogue.chips()}
        of_chip = None if chip is None else chips[known("chip", chip, chips)]
        files: list[SwitchFile] = []
        switches: list[tuple[SwitchFile, ...]] = []
        refused: list[InputError] = []
        for name in dict.fromkeys(map(str, paths)):
            with _collected(refused):
                text = text_file.read(Path(name), name, remedy=_EXPECTED, refusal=InputError, exact=True)
                files.append(parse(name, text))
        for its in by_switch(files):
            with _collected(refused):
                Tables.of(its)
                switches.append(its)
        return cls(tuple(switches), of_chip), refused

    def lint(self, ignore: Iterable[str] = ()) -> list[Finding]:
        """Returns everything that is wrong with the tables, the worst first, then by file and line.

        Args:
            ignore: Checks to leave out, as `xoff lint --checks` names them.

        Raises InputError if there is no such check.
        """
        checks = [check.__name__ for check in CHECKS]
        ignored = [known("ignore", name, checks) for name in ignore]
        return lint((Tables.of(files, self.chip) for files in self.switches), ignored)

    def with_switch_of(self, scenario: Scenario, switch: str | None = None, port: str | None = None) -> Onto:
        """Returns these tables with a scenario's settings of one switch, as `xoff export --onto` does.

        The rows of one port change, and those of others as far as they say the same.

        Args:
            scenario: Such as one that `xoff init --from` wrote, tuned since.
            switch: Its name, as `leaf0`; left out, any, if the scenario says the same of all.
            port: As for `part_of_scenario`; left out, only one whose link the scenario has.

        Raises InputError where these are the tables of several switches, or do not say enough, and ScenarioError where
        the scenario has other classes.
        """
        return put_onto(self._of_one, scenario, switch, port, self.chip)

    def part_of_scenario(
        self,
        port: str | None = None,
        ports: int | None = None,
        uplink: str | None = None,
        uplinks: int | None = None,
    ) -> Part:
        """Returns the part of a scenario that these tables come to, for switches whose ports are like one, or two.

        Args:
            port: Its name, as `Ethernet4`; left out, the port with most headroom.
            ports: How many the scenario's switches have memory for; left out, as many as the tables have.
            uplink: The name of a port with a link of another rate, if some are like that.
            uplinks: How many of the ports are; left out, as many as the tables have.

        Raises InputError where they are those of several switches, and where they do not say enough.
        """
        return imported(Tables.of(self._of_one, self.chip), port, ports, uplink, uplinks)

    @property
    def _of_one(self) -> tuple[SwitchFile, ...]:
        if len(self.switches) > 1:
            expected = "expected those of one; `xoff lint` tells which row contradicts"
            raise InputError(None, "FILE", f"the files are those of {len(self.switches)} switches", expected)
        return self.switches[0]

    def __repr__(self) -> str:
        each = "; ".join(", ".join(file.name for file in files) for files in self.switches)
        return f"<xoff.SwitchTables {each}>"
