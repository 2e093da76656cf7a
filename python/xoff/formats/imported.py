"""A scenario out of other tools' files, and the files that it names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import OutputError
from xoff.formats import scenario_text
from xoff.results.whole_file import written_whole
from xoff.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.formats.draft import Draft, Flows, Found, LeftOut

SCENARIO = "scenario.toml"


@dataclass(frozen=True, repr=False)
class Imported:
    """Network, flows and settings of other tools' files as a scenario.

    Make one with `xoff.formats.read`.
    """

    _draft: Draft
    title: str
    """Title of the scenario."""

    @property
    def found(self) -> tuple[Found, ...]:
        """Files that were read, each with its format and its content in words."""
        return tuple(self._draft.found)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Values of the files that the scenario does not have, each with its place and the reason."""
        return tuple(self._draft.left_out)

    @cached_property
    def text(self) -> str:
        """Scenario in TOML; behind each value stands the line that it comes from."""
        return scenario_text.text_of(self._draft, self.title)

    def scenario(self) -> Scenario:
        """Returns the scenario, with all flows in memory. Raises ScenarioError if it cannot be simulated."""
        flows = {flows.name: "".join(_csv(flows)) for flows in self._draft.flows}
        return Scenario(self.text, None, (), flows)

    def check(self) -> None:
        """Raises ScenarioError if the scenario cannot be simulated.

        One flow of each trace stands for all, which were checked as they were read.
        """
        flows = {
            each.name: "".join(islice(_csv(each), 2 if each.kind == "trace" else None)) for each in self._draft.flows
        }
        Scenario(self.text, None, (), flows).offered()

    def save(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Writes `scenario.toml` and the CSV files that it names into a folder, and returns their paths.

        Args:
            folder: The folder, made if it is not there.
            force: Whether files that are there already are replaced.

        Raises:
            OutputError: A file is there already, or cannot be written.
        """
        into = Path(folder)
        paths = [into / SCENARIO, *(into / flows.name for flows in self._draft.flows)]
        taken = next((path for path in paths if path.exists()), None)
        if taken is not None and not force:
            message = f"{taken}: exists already; choose another folder with --out, or replace it with --force"
            raise OutputError(message)
        try:
            into.mkdir(parents=True, exist_ok=True)
            for path, flows in zip(paths[1:], self._draft.flows, strict=True):
                with written_whole(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as csv:
                    csv.writelines(_csv(flows))
            with written_whole(paths[0]) as beside:
                beside.write_text(self.text, encoding="utf-8", newline="\n")
        except OSError as error:
            message = f"{error.filename or into}: cannot write: {(error.strerror or str(error)).lower()}"
            raise OutputError(message) from None
        return tuple(paths)

    def __repr__(self) -> str:
        return f"<xoff.formats.Imported {'; '.join(map(str, self.found))}>"


def _csv(flows: Flows) -> Iterator[str]:
    yield flows.columns
    yield from flows.rows()
