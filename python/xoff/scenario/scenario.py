"""The class Scenario: everything that decides a run, checked before anything runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from xoff import _xoff, facade
from xoff.errors import ErrorKind, ScenarioError, check_at_least_one
from xoff.scenario import inputs, notes
from xoff.scenario.offered_load import Offered
from xoff.scenario.topology import Topology
from xoff.text import text_file, toml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xoff.facade import Export, Result
    from xoff.schemes.classes import Scheme
    from xoff.schemes.loading import Described

_OF_OTHER_FILES = {"chip": "plans, which xoff plan takes", "scenario": "sweep files, which xoff sweep takes"}
"""Keys that only other kinds of files have, each with the name of that kind."""
_REMEDIES = {"-": "standard input is /dev/stdin; only `xoff run` takes it as -"}
"""Remedies in the error for a file that cannot be read, by its name."""


@dataclass(frozen=True, repr=False)
class Scenario:
    """A checked scenario. It never changes: `with_value` gives another one.

    Make one with `load`, `from_text` or `from_dict`; each raises ScenarioError, one line that names file, key and
    remedy, if it cannot be simulated.
    """

    text: str
    """The scenario as it was written, in TOML."""
    file: str | None = None
    """File that the scenario came from, as messages name it; None for text."""
    overrides: tuple[str, ...] = ()
    """Changes to the text, each `KEY=VALUE` as `xoff run --set` takes it."""
    inputs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Text of files that the scenario names, by path; these are not read from disk."""
    _core: _xoff.Scenario = field(init=False, repr=False, compare=False)
    _sources: dict[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)
    """Text of the files of schemes, by path, as the scenario was checked with it."""

    def __post_init__(self) -> None:
        try:
            core = _xoff.Scenario(self.text, self.overrides, self.file, self._find_scheme)
        except ScenarioError as error:
            raise _of_another_kind(error) from None
        object.__setattr__(self, "_core", core)

    @classmethod
    def load(cls, path: str | Path, overrides: tuple[str, ...] = ()) -> Scenario:
        """Reads a TOML file, and changes each key that `overrides` names (`KEY=VALUE`)."""
        path = Path(path)
        return cls(text_file.read(path, str(path), remedy=_REMEDIES.get(str(path), "")), str(path), overrides)

    @classmethod
    def from_text(cls, text: str) -> Scenario:
        """Takes TOML; files it names are looked for in the working directory.

        Examples:
            >>> from xoff import Scenario, ScenarioError
            >>> try:
            ...     Scenario.from_text('topology = { kind = "star", hots = 3 }')
            ... except ScenarioError as error:
            ...     error.key, str(error.kind), error.candidates
            ('topology.hots', 'unknown_key', ('hosts',))
        """
        return cls(text)

    @classmethod
    def from_dict(cls, table: Mapping[str, object]) -> Scenario:
        """Takes a scenario's keys as nested dictionaries and lists.

        Examples:
            >>> from xoff import Scenario
            >>> scenario = Scenario.from_dict(
            ...     {
            ...         "topology": {"kind": "star", "hosts": 4, "host_link": {"rate": "100Gbps", "delay": "1us"}},
            ...         "transport": {"tcp": {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}}},
            ...         "workload": [{"kind": "permutation", "transport": "tcp", "size": "100kB"}],
            ...     }
            ... )
            >>> scenario.run().summary["flows"]["all"]["count"]
            4
        """
        return cls(toml_text.document(table))

    def with_value(self, key: str, value: object) -> Scenario:
        """Returns the scenario with one key changed: `scenario.with_value("workload.load", 0.5)`.

        Args:
            key: Path of the key. Without an index, `workload.load` means every workload and `workload[1].load` one.
            value: Text, a number, true or false, a list or a dictionary; quantities are text with a unit. An empty
                dictionary replaces a table, another is merged with it; None, or an empty text, leaves the key out. A
                table that is left out begins as it is by default. Another kind, scheme, policy or algorithm leaves out
                all other keys of its table.
        """
        return self.with_values({key: value})

    def with_values(self, values: Mapping[str, object]) -> Scenario:
        """Returns the scenario with several keys changed at once, for keys that only together make a valid scenario."""
        return replace(self, overrides=(*self.overrides, *toml_text.changes(values)))

    @property
    def name(self) -> str:
        """Name of the file without its ending, or `scenario`."""
        return Path(self.file).stem if self.file else "scenario"

    @property
    def title(self) -> str:
        """Title of the run in tables and reports; the name if the scenario gives no title."""
        return self._core.title or self.name

    @property
    def seed(self) -> int:
        """Seed of every random stream."""
        return self._core.seed

    @property
    def size_classes(self) -> tuple[int, int]:
        """Flow sizes in bytes at which small ends and medium ends."""
        return self._core.size_classes

    @cached_property
    def topology(self) -> Topology:
        """Hosts, switches and the links of their ports. Raises ScenarioError if there can be no such network."""
        return Topology.of(self._core)

    def to_toml(self) -> str:
        """Returns the resolved scenario in TOML: defaults are filled in; `[[switch]]` tables stay as written."""
        return self._core.to_toml()

    def read_files(self) -> dict[str, str]:
        """Reads every file that the scenario names, and returns its text by the path in the scenario.

        Paths are relative to the scenario's folder. Raises ScenarioError if one cannot be read.
        """
        return {path: self._read_file(path, key) for key, path in self._core.files()}

    def _read_file(self, path: str, key: str) -> str:
        """Returns the text of a file that a key names."""
        for known in (self.inputs, self._sources):
            if path in known:
                return known[path]
        return text_file.read((Path(self.file).parent if self.file else Path()) / path, self.file, key)

    def _find_scheme(self, family: str, name: str) -> Described | None:
        """Returns the scheme in Python of this name, for the simulator; None for a name of another kind."""
        if ":" not in name and not name.endswith(".py"):
            return None
        from xoff.schemes import loading  # brings what only schemes need

        def read(path: str) -> str:
            text = self._sources[path] = self._read_file(path, name)
            return text

        return loading.finder(read)(family, name)

    def check(self) -> tuple[str, ...]:
        """Checks all that can be checked without running, files included, and returns notes. Raises ScenarioError.

        Each note is a line: keys that changes leave out, thresholds that were computed, switches that drop before they
        mark, congestion controls that wait for marks where nothing marks.
        """
        return (*self.left_out(), *notes.of(self._core, self.read_files()))

    def left_out(self) -> tuple[str, ...]:
        """Returns a line for each table that loses keys because a change names another kind for it."""
        return tuple(_xoff.Scenario.left_out(self.text, self.overrides))

    def offered(self) -> Offered:
        """Returns the flows, bytes and packet-hops that the workloads offer. Raises ScenarioError if it cannot run."""
        return self._offered

    @cached_property
    def _offered(self) -> Offered:
        """Offered load, for which all flows are drawn: a tenth of a second where there are many."""
        return Offered(*map(round, self._core.offered(self.read_files())))

    def portable(self, files: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """Returns the resolved scenario with its files moved to `inputs/`, and the files' text by that path."""
        names = inputs.names(files)
        return self._core.to_toml(names), {names[path]: text for path, text in files.items()}

    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the resolved scenario and the files it names: equal digests, equal runs.

        Raises ScenarioError if a file cannot be read.
        """
        return inputs.digest(*self.portable(self.read_files()))

    def with_scheme(self, scheme: type[Scheme], **parameters: object) -> Scenario:
        """Returns the scenario with a class in Python in place of its congestion controls, buffer policy or marker.

        A congestion control replaces that of all TCP transports or, if `signals` are those of RoCE, of all RoCE
        transports. A buffer policy replaces `switch.buffer`, and a marker `switch.marking.queue`. Raises ScenarioError
        if it cannot be used.

        Args:
            scheme: A subclass of `xoff.schemes.CongestionControl`, `BufferPolicy` or `Marker`.
            parameters: Values of its parameters; quantities are text with a unit.
        """
        from xoff.schemes import placing

        file, text, values = placing.changes(scheme, parameters, self._core.settings(), self.read_files())
        changed = replace(self, inputs={**self.inputs, file: text})
        return changed.with_values(values)

    def run(
        self,
        *,
        threads: int = 1,
        seed: int | None = None,
        schemes: Sequence[type[Scheme]] = (),
        progress: Callable[[_xoff.Progress], bool | None] | None = None,
    ) -> Result:
        """Simulates it. The result depends on the scenario and its seed, never on the number of threads.

        Args:
            threads: How many threads share the work; no more than there are cores.
            seed: Instead of the scenario's own.
            schemes: Classes in Python that take part, as `with_scheme` says.
            progress: Called about ten times a second with `now_ns`, `end_ns` (None if not known), `flows_started` and
                `flows_finished`; if it returns False the run ends there, and the result is `interrupted`.

        Raises:
            ScenarioError: The scenario, or a file it names, cannot be simulated.
            SchemeError: A scheme in Python has failed.
            ValueError: There are no threads.
            RunInterrupted: Ctrl-C ended it; what was finished is the error's `result`.
        """
        check_at_least_one("threads", threads)
        if schemes:
            chosen = reduce(Scenario.with_scheme, schemes, self)
            return chosen.run(threads=threads, seed=seed, progress=progress)
        if seed is not None:
            return self.with_value("seed", seed).run(threads=threads, progress=progress)
        return facade.run(self, threads, progress)

    def export(
        self,
        target: str,
        *,
        switch: str | None = None,
        chip: str | None = None,
        dscps: Mapping[int, int] | None = None,
    ) -> Export:
        """Returns a switch of the scenario as configuration for "sonic", "eos", "nxos", "nvue" or "host".

        Args:
            target: The format. The result has the configuration's `text`, and `notes` on it.
            switch: Name of the switch; left out, the first, if the scenario sets all alike.
            chip: Name of its chip in `xoff list chips`, where the scenario does not name one.
            dscps: DSCP of a class by its priority; left out, eight times the priority.

        Raises:
            ScenarioError: The scenario cannot run, has no such switch, or one that cannot be configured.
            InputError: There is no such chip.
        """
        return facade.export(self, target, switch, chip, dscps)

    def __reduce__(self) -> tuple[type[Scenario], tuple[object, ...]]:
        return Scenario, (
            self.text,
            self.file,
            self.overrides,
            {**self._sources, **self.inputs},
        )  # the core checks it again in the other process

    def __repr__(self) -> str:
        changes = "".join(f", {change}" for change in self.overrides)
        return f"<xoff.Scenario {self.title!r}, {self.file or 'no file'}{changes}>"

    def _repr_html_(self) -> str:
        return (
            f"<details><summary><b>{escape(self.title)}</b>, seed {self.seed}</summary>"
            f"<pre>{escape(self.to_toml())}</pre></details>"
        )


def _of_another_kind(error: ScenarioError) -> ScenarioError:
    """Turns the error for a plan or sweep file into one that names its kind; returns other errors as they are."""
    files = _OF_OTHER_FILES.get(error.key)
    if files is None or error.kind is not ErrorKind.UNKNOWN_KEY:
        return error
    return error.reworded(problem=f"is a key of {files}", expected="`xoff init` writes scenarios to start from")
