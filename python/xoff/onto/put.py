"""A scenario's switch put onto tables: what changes, what does not fit into them, and what stays as it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import unified_diff
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from xoff import said
from xoff.errors import ScenarioError
from xoff.importing import imported
from xoff.importing.port import Port, ports_of_each, with_buffers
from xoff.lint import Tables, lint
from xoff.lint.switches import configs_of, parse
from xoff.lint.tables import several
from xoff.onto import rows
from xoff.onto.rows import Edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xoff.catalogue import Entry
    from xoff.lint import Finding
    from xoff.lint.switches import SwitchFile
    from xoff.onto.rows import Path
    from xoff.said import Key, Said, Value
    from xoff.scenario import Scenario

_TOTAL = said.Key("switch.total")
_CLOSE = Fraction(1, 10_000)
"""What is rounded to whole bytes may be off by so much."""


class Put(NamedTuple):
    """A field that changes."""

    file: str
    path: Path
    before: str
    """Empty if it was not there."""
    after: str


class Undone(NamedTuple):
    """A key that the tables do not come to."""

    key: Key
    wanted: Value
    now: Value | None

    @property
    def told(self) -> str:
        """What the scenario has, and what the tables come to."""
        now = "say nothing of it" if self.now is None else f"come to {said.spelled(self.key, self.now)}"
        return f"{self.key} = {said.spelled(self.key, self.wanted)} in the scenario, and the tables {now}"

    @property
    def followed(self) -> str:
        """The same, if the scenario has what the tables said before."""
        was = said.spelled(self.key, self.wanted)
        now = "is left out" if self.now is None else f"becomes {said.spelled(self.key, self.now)}"
        return f"{self.key} {now}, too, and not {was} as in the scenario: one row says it of both"


@dataclass(frozen=True)
class Onto:
    """The tables of a switch with what a scenario says of it.

    Attributes:
        files: All of them, as they were and as they are to be.
        puts: Every field that changes.
        undone: What the scenario says and the tables do not.
        notes: What stays as it is at some ports, and what changes although the scenario has it as it was.
        findings: What is wrong with the new tables and was not with the old (`xoff lint`).
    """

    files: tuple[tuple[SwitchFile, SwitchFile], ...]
    puts: tuple[Put, ...]
    undone: tuple[Undone, ...]
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def diff(self) -> str:
        """What changes, as `diff -u` has it; empty if nothing does."""
        return "".join(line for old, new in self.files for line in _diff(old, new))

    @property
    def texts(self) -> dict[str, str]:
        """The files as they are to be, by their names without a folder."""
        return {PurePath(new.name).name: new.text for _, new in self.files}

    def json_patch(self) -> list[dict[str, str]]:
        """What changes in ConfigDB, as `config apply-patch` takes it (RFC 6902)."""
        configs = {file.name for file in configs_of(old for old, _ in self.files)}
        return [
            {"op": "replace" if put.before else "add", "path": _pointer(put.path), "value": put.after}
            for put in self.puts
            if put.file in configs
        ]


def put_onto(
    files: Sequence[SwitchFile], scenario: Scenario, node: str | None, port: str | None, chip: Entry | None
) -> Onto:
    """Puts what a scenario says of one of its switches onto the tables of a real one.

    It changes the rows of one port, and of others as far as they say the same.

    Args:
        files: Of one switch.
        scenario: Such as one that began with `xoff init --from` these files.
        node: The scenario's switch; left out, any, if all are alike.
        port: As `imported` takes it.
        chip: Of several MMUs each has an equal part of every pool.

    Raises:
        InputError: There is no such port, or the tables do not say enough.
        ScenarioError: The scenario has other classes than the port, its switches differ, or it has no such switch.
    """
    old = Tables.of(files, chip)
    like = Port.of(old, port)
    rate = like.link[0] * 10**6 if like.link else None
    node = said.one_switch(scenario, node, rate)
    wanted = said.of_scenario(scenario, node, rate)
    names = [name for name in with_buffers(old) if _is_alike(old, name, like)]
    before = _said(old, names)
    _check_classes(scenario, wanted, before[like.name], like)
    goals = _goals(wanted, before, like.name)
    tables, edits = old, Edits()
    for stage in (rows.ROWS, rows.POOLS):
        found = _edits(stage, tables, goals)
        tables, edits = _edited(tables, found), edits | found
    found, notes = _memory(scenario, wanted, (old, tables), like.name)
    tables, edits = _edited(tables, found), edits | found
    left = list(_undone(wanted, _said(tables, [like.name])[like.name]))
    followers = [one for one in left if _close(one.wanted, before[like.name].values.get(one.key))]
    return Onto(
        files=tuple(zip(_files(old), _files(tables), strict=True)),
        puts=tuple(_puts(old, edits)),
        undone=tuple(one for one in left if one not in followers),
        notes=(*_notes(goals, before, like), *(one.followed for one in followers), *notes),
        findings=tuple(_new_findings(old, tables)),
    )


def _memory(scenario: Scenario, wanted: Said, tables: tuple[Tables, Tables], port: str) -> tuple[Edits, list[str]]:
    """The pool of lossy classes made so large that the switch has as much memory as before, and what hinders that.

    Of so many ports, that is, as the scenario's switch has all memory of the old tables for.
    """
    old, new = tables
    total = wanted.values[_TOTAL]
    counts = {*Counter(one.node for one in scenario.topology.ports).values(), ports_of_each(old)}
    ports = next((ports for ports in sorted(counts) if total == _total(old, port, ports)), None)
    if ports is None:
        told = said.spelled(_TOTAL, total) if total else "the memory of the scenario's switch"
        return {}, [f"{_TOTAL}: {told} is not what the tables have: the pool of lossy classes stays as it is"]
    more = _total(old, port, ports) - _total(new, port, ports)
    found = rows.lossy_pool(Port(new, port), more) if more else {}
    if more and not found:
        told = f"lossless classes of {ports} ports take {abs(more):,} B {'less' if more > 0 else 'more'} than before"
        return {}, [f"{_TOTAL}: {told}, and no pool of lossy classes can make up for it"]
    return found, []


def _total(tables: Tables, port: str, ports: int) -> int:
    return int(Fraction(said.of_part(imported(tables, port, ports)).values[_TOTAL] or 0))


def _is_alike(tables: Tables, name: str, like: Port) -> bool:
    """Whether a port has the same classes."""
    other = Port(tables, name)
    return other.classes == like.classes and set(other.lossless) == set(like.lossless)


def _said(tables: Tables, names: Iterable[str]) -> dict[str, Said]:
    return {name: said.of_part(imported(tables, name)) for name in names}


def _check_classes(scenario: Scenario, wanted: Said, now: Said, like: Port) -> None:
    if wanted.lossless != now.lossless:
        own, there = (_classes(one.lossless) for one in (wanted, now))
        expected = (
            f"expected the same, as `xoff import --port {like.name}` prints them; or PFC and maps changed there first"
        )
        raise ScenarioError(scenario.file, "class", f"has {own}, and {like.name} has {there}", expected)


def _classes(lossless: dict[int, bool]) -> str:
    told = [f"{one} lossless" if lossless[one] else str(one) for one in sorted(lossless)]
    return f"classes {', '.join(told)}"


def _goals(wanted: Said, before: dict[str, Said], like: str) -> dict[str, dict[Key, Value]]:
    """By port, what is to become of it: all that the scenario says, as far as the port now says what that one says."""
    own = before[like].values
    return {
        name: {
            key: value
            for key, value in wanted.values.items()
            if value is not None and key != _TOTAL and there.values.get(key) == own.get(key)
        }
        for name, there in before.items()
    }


def _edits(stage: dict[str, rows.Writer], tables: Tables, goals: dict[str, dict[Key, Value]]) -> Edits:
    found: Edits = {}
    now = _said(tables, goals)
    for name, goal in goals.items():
        port = Port(tables, name)
        for key, value in goal.items():
            if not _close(value, now[name].values.get(key)):
                found |= rows.edits(stage, port, key, value)
    return found


def _edited(tables: Tables, edits: Edits) -> Tables:
    """The same tables with other values."""
    if not edits:
        return tables
    files = []
    for file in _files(tables):
        its = {path: value for path, value in edits.items() if _file_of(tables, path) == file.name}
        files.append(parse(file.name, file.edited(its)) if its else file)
    return Tables.of(files, tables.chip)


def _file_of(tables: Tables, path: Path) -> str:
    if len(path) == len(("row", "column")):
        assert tables.lookup is not None, "it has the row"
        return tables.lookup.name
    return tables.place(*path).file


def _files(tables: Tables) -> list[SwitchFile]:
    return [*tables.sources, *([tables.lookup] if tables.lookup else [])]


def _puts(old: Tables, edits: Edits) -> Iterator[Put]:
    for path, after in edits.items():
        before = _value(old, path)
        if before != after:
            yield Put(_file_of(old, path), path, before, after)


def _value(tables: Tables, path: Path) -> str:
    """What stands in a field; empty if nothing does."""
    if len(path) > len(("row", "column")):
        return tables.place(*path).value
    assert tables.lookup is not None, "it has the row"
    key, column = path
    found = next(getattr(row, column) for _, row in tables.lookup.rows if row.key == key)
    return "" if found is None else str(found)


def _undone(wanted: Said, now: Said) -> Iterator[Undone]:
    for key, value in wanted.values.items():
        there = now.values.get(key)
        if value is not None and key != _TOTAL and not _close(value, there):
            yield Undone(key, value, there)


def _close(value: Value, there: Value | None) -> bool:
    if isinstance(value, Fraction) and isinstance(there, Fraction):
        return abs(value - there) <= _CLOSE * value
    return value == there


def _notes(goals: dict[str, dict[Key, Value]], before: dict[str, Said], like: Port) -> Iterator[str]:
    """What other ports have of their own, and keep."""
    own = before[like.name].values
    kept: dict[Key, list[str]] = {}
    for key, value in goals[like.name].items():
        if not _close(value, own.get(key)):
            kept[key] = [name for name in before if key not in goals[name]]
    for key, names in kept.items():
        if names:
            yield f"{several(names)} said otherwise of {key} before, and still {'say' if len(names) > 1 else 'says'} so"


def _new_findings(old: Tables, new: Tables) -> list[Finding]:
    known = Counter((finding.check, finding.place.key) for finding in lint([old]))
    return [finding for finding in lint([new]) if not known[finding.check, finding.place.key]]


def _diff(old: SwitchFile, new: SwitchFile) -> Iterator[str]:
    return unified_diff(_lines(old.text), _lines(new.text), old.name, old.name)


def _lines(text: str) -> list[str]:
    ended = text if text.endswith("\n") else f"{text}\n"
    return ended.splitlines(keepends=True)


def _pointer(path: Path) -> str:
    """RFC 6901."""
    return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in path)
