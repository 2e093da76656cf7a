"""A scenario's switch put onto tables: what changes, what does not fit into them, and what stays as it is."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.errors import InputError, ScenarioError
from xoff.switches import scenario_values
from xoff.switches.importing import imported
from xoff.switches.importing.port import Port, with_buffers
from xoff.switches.lint import Tables, lint
from xoff.switches.lint.tables import several
from xoff.switches.onto import memory, rows, trimming
from xoff.switches.onto.edited import edited, files_of, puts, with_valid
from xoff.switches.onto.links import Links
from xoff.switches.onto.memory import TOTAL
from xoff.switches.onto.outcome import Onto, Undone
from xoff.switches.onto.rows import Edits
from xoff.switches.trimmed_classes import trimmable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from xoff.scenario.catalogue import Entry
    from xoff.scenario.scenario import Scenario
    from xoff.switches.lint import Finding
    from xoff.switches.lint.switches import SwitchFile
    from xoff.switches.onto.rows import Path
    from xoff.switches.scenario_values import Key, Said, Value

_POOL = scenario_values.Key("switch.pfc.lossless_pool")
_CLOSE = Fraction(1, 10_000)
"""Greatest relative error of a value that is rounded to whole bytes."""
_TURNS = 3
"""A row that says one thing may stand in the way of another, and that is seen only then."""


def put_onto(
    files: Sequence[SwitchFile], scenario: Scenario, node: str | None, port: str | None, chip: Entry | None
) -> Onto:
    """Puts what a scenario says of one of its switches onto the tables of a real one.

    It changes the rows of one port, and of others as far as they say the same.

    Args:
        files: Of one switch.
        scenario: Such as one that began with `xoff init --from` these files.
        node: The scenario's switch; left out, any, if all are alike.
        port: As `imported` takes it; left out, only one whose link the scenario has.
        chip: Of several MMUs each has an equal part of every pool.

    Raises:
        InputError: There is no such port, its rate is none of the scenario's, or the tables do not say enough.
        ScenarioError: The scenario has other classes than the port, its switches differ, it has no such switch, or no
            port has a link of the scenario.
    """
    old = Tables.of(files, chip)
    links = Links.of(scenario, node)
    like = links.port(old, port)
    rate = like.rate_bps
    node = scenario_values.one_switch(scenario, node, rate)
    before = _said(old, with_buffers(old), like.name)
    own = before[like.name]
    wanted = scenario_values.resolved(
        scenario, node, rate, [key for key, value in own.values.items() if value is not None]
    )
    other_rates = {link.rate_bps for link in scenario.topology.ports if link.node == node} - {rate}
    elsewhere = [name for name in before if Port(old, name).rate_bps in other_rates]
    alike = [name for name in before if name not in elsewhere and Port(old, name).has_classes_of(like)]
    _check_classes(scenario, wanted, own, like)
    fits = memory.has_the_memory(scenario, wanted, old, like.name)
    goals = _goals(wanted, {name: before[name] for name in alike}, like.name, () if fits else (_POOL,))
    stages = (trimming.stage(trimmable(scenario, like.lossy).classes), *rows.STAGES)
    tables, edits = _with_goals(old, goals, before, like.name, stages)
    more = memory.lossless_bytes(tables, like.name) - memory.lossless_bytes(old, like.name)
    notes: list[str] = []
    if more and fits:
        found = rows.lossy_pool(Port(tables, like.name), -more)
        tables, edits = edited(tables, found), edits | found
        notes = [] if found else [memory.unbalanced(more)]
    elif not fits:
        notes = [memory.of_another(wanted)]
    after = _said(tables, before, like.name) if edits else before
    left = list(_undone(wanted, after[like.name]))
    followers = [one for one in left if _close(one.wanted, own.values.get(one.key))]
    return Onto(
        files=tuple(zip(files_of(old), files_of(tables), strict=True)),
        puts=tuple(puts(old, edits)),
        undone=tuple(one for one in left if one not in followers),
        notes=(
            *(_of_port(like.name, before, alike) if edits and port is None else ()),
            *_notes(goals, before, like),
            *(links.notes_of_cable(like) if edits else ()),
            *links.notes_of_others(Port(old, name) for name in elsewhere),
            *(
                _of_others({name: (before[name], after[name]) for name in before if name not in (*alike, *elsewhere)})
                if edits
                else ()
            ),
            *(one.followed for one in followers),
            *notes,
        ),
        findings=tuple(_new_findings(old, tables)),
    )


def _with_goals(
    old: Tables,
    goals: dict[str, dict[Key, Value]],
    before: dict[str, Said],
    like: str,
    stages: Iterable[dict[str, rows.Writer]],
) -> tuple[Tables, Edits]:
    """The tables with all that can be said of the goals, and what that changes."""
    tables, edits, now = old, Edits(), before
    for _ in range(_TURNS):
        earlier = edits
        for stage in stages:
            ports = ((Port(tables, name), goal, now[name]) for name, goal in goals.items())
            tables, found = with_valid(tables, _edits(stage, ports, earlier.keys()))
            if found:
                held = memory.never_dropped(old, tables)
                tables, edits = edited(tables, held), edits | found | held
                now = _said(tables, goals, like)
        if edits == earlier:
            break
    return tables, edits


def _said(tables: Tables, names: Iterable[str], like: str) -> dict[str, Said]:
    """Returns the settings that the tables come to for each of some ports, as far as they can be imported."""
    found = {}
    for name in names:
        try:
            found[name] = scenario_values.of_part(imported(tables, name))
        except InputError:
            if name == like:
                raise
    return found


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


def _goals(wanted: Said, before: dict[str, Said], like: str, kept: Sequence[Key]) -> dict[str, dict[Key, Value]]:
    """Returns the goals of each port: the scenario's values, where the port now has the same value as port `like`.

    Leaves out the keys in `kept`.
    """
    own = before[like].values
    return {
        name: {
            key: value
            for key, value in wanted.values.items()
            if value is not None and key not in (TOTAL, *kept) and there.values.get(key) == own.get(key)
        }
        for name, there in before.items()
    }


def _edits(
    stage: dict[str, rows.Writer], ports: Iterable[tuple[Port, dict[Key, Value], Said]], written: Collection[Path]
) -> Edits:
    """Returns the fields that a stage changes, for ports with their goals and their present settings.

    Others may share the row.
    """
    found: Edits = {}
    for port, goal, now in ports:
        for key, value in goal.items():
            if not _close(value, now.values.get(key)):
                ours = rows.edits(stage, port, key, value)
                found |= {path: text for path, text in ours.items() if key.one is None or path not in written}
    return found


def _undone(wanted: Said, now: Said) -> Iterator[Undone]:
    for key in wanted.values | now.values:
        value, there = wanted.values.get(key), now.values.get(key)
        if key != TOTAL and not _close(value, there):
            yield Undone(key, value, there)


def _close(value: Value | None, there: Value | None) -> bool:
    if isinstance(value, Fraction) and isinstance(there, Fraction):
        return abs(value - there) <= _CLOSE * value
    return value == there


def _notes(goals: dict[str, dict[Key, Value]], before: dict[str, Said], like: Port) -> Iterator[str]:
    """Yields a note for each setting in which other ports keep their own value."""
    own = before[like.name].values
    kept: dict[Key, list[str]] = {}
    for key, value in goals[like.name].items():
        if not _close(value, own.get(key)):
            kept[key] = [name for name in goals if key not in goals[name]]
    for key, names in kept.items():
        if names:
            yield f"{several(names)} said otherwise of {key} before, and still {'say' if len(names) > 1 else 'says'} so"


def _of_port(like: str, before: dict[str, Said], alike: Sequence[str]) -> Iterator[str]:
    """Names the port, where that makes a difference."""
    if any(before[name] != before[like] for name in alike):
        yield f"the rows are those of {like}, since --port says nothing else; other ports say otherwise"


def _of_others(changed: dict[str, tuple[Said, Said]]) -> Iterator[str]:
    """Yields notes on ports with other classes that share the changed rows."""
    for name, (before, after) in changed.items():
        keys = [key for key in before.values | after.values if before.values.get(key) != after.values.get(key)]
        told = ", ".join(str(key) for key in keys if key != TOTAL)
        yield f"{name} has other classes and {f'changes with these rows: {told}' if told else 'stays as it is'}"


def _new_findings(old: Tables, new: Tables) -> list[Finding]:
    known = Counter((finding.check, finding.place.key) for finding in lint([old]))
    return [finding for finding in lint([new]) if not known[finding.check, finding.place.key]]
