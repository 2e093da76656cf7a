"""The tables of a switch put together as `[[class]]`, `[[switch]]` and `[pfc]` of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.switches.importing import marking, queues
from xoff.switches.importing.part import Part, Setting, Table
from xoff.switches.importing.pauses import Pauses, not_lossless
from xoff.switches.importing.port import Port, ports_of_each, size
from xoff.switches.importing.roce import data
from xoff.switches.importing.spectrum import Spectrum
from xoff.switches.importing.trimming import trimming, trimming_notes
from xoff.switches.lint.chips import with_all_memory
from xoff.switches.lint.lossless import differing, priorities_at, told
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def imported(
    tables: Tables,
    name: str | None = None,
    ports: int | None = None,
    uplink: str | None = None,
    uplinks: int | None = None,
) -> Part:
    """The part of a scenario whose switches have ports like this one; left out, like that with most headroom.

    They have memory for so many of them; left out, for as many as the tables, or an MMU of the chip, have. So many of
    these, or left out as many as the tables have, are like an uplink, whose link has another rate.

    Raises InputError for a port that is not there, for one that cannot be beside the other, and for lossless classes of
    which no table says what they share.
    """
    spectrum = Spectrum.of(tables)
    tables = spectrum.completed() if spectrum else tables
    port = Port.of(tables, name)
    other = _uplink(port, uplink) if uplink else None
    pauses = Pauses.of(port) if port.lossless else None
    of_other = Pauses.of(other) if other and other.lossless else None
    ports = ports or ports_of_each(tables)
    uplinks = _uplinks(port, other) if other and uplinks is None else uplinks or 0
    aside = pauses.aside(ports - uplinks) if pauses else 0
    aside += of_other.aside(uplinks) if of_other else 0
    total = (pauses.shared if pauses else 0) + aside + queues.shared(port)
    switch = _switch(port, other, total, ports, uplinks)
    found = [*_classes(port), switch]
    if pauses:
        found.append(pauses.table_beside(of_other))
    watchdog = _watchdog(port)
    if pauses and watchdog:
        found.append(Table("[pfc]", watchdog))
    of_roce = data(port)
    sources = " and ".join(dict.fromkeys(source.name for source in tables.sources))
    like = f"{port.described} and {other.described}" if other else port.described
    return Part(
        source=f"From {sources}: switches with ports like {like}.",
        link=port.link_of_scenario,
        uplink=other.link_of_scenario if other else None,
        lossless=next(iter(port.lossless), None),
        data=of_roce.priority,
        why_data=of_roce.why,
        control=port.control,
        tables=tuple(found),
        notes=tuple(_notes(port, pauses, total)),
    )


def _uplink(port: Port, name: str) -> Port:
    """Returns the uplink called `name`, which must have the port's classes and a link of another rate."""
    other = Port.of(port.tables, name)
    file = port.tables.sources[0].name if port.tables.sources else None
    if port.rate_bps is None or other.rate_bps in (None, port.rate_bps):
        problem = f"has no link of another rate than {port.name}, as far as PORT and CABLE_LENGTH say"
        raise InputError(file, f"--uplink {name}", problem, "expected one with another, or no --uplink")
    if not port.has_classes_of(other):
        expected = "expected the same classes, of which the same pause"
        raise InputError(file, f"--uplink {name}", f"has other classes than {port.name}", expected)
    return other


def _uplinks(port: Port, other: Port) -> int:
    """Counts the ports of an MMU whose links have the uplinks' rate."""
    assert other.rate_bps is not None, "it is another one"
    return -(-len(port.of_other_rates[other.rate_bps]) // port.tables.mmus)


def _classes(port: Port) -> Iterator[Table]:
    for one in port.classes:
        lossless = (Setting("lossless", True),) if one in port.lossless else ()
        carried = several(port.dscps(one)) if port.dscps(one) else ""
        yield Table("[[class]]", (Setting("priority", one), *lossless), carried)


def _switch(port: Port, other: Port | None, total_bytes: int, ports: int, uplinks: int) -> Table:
    there = f"{ports} such ports" if other is None else f"{ports - uplinks} such ports and {uplinks} as {other.name}"
    total = Setting("total", size(total_bytes), f"for {there}: all pools, and their headroom")
    markers = [*marking.markers(port), *(marking.markers_at_rate(port, other) if other else ())]
    return Table("[[switch]]", (total, *queues.buffer(port), *trimming(port), *markers, queues.scheduler(port)))


def _watchdog(port: Port) -> tuple[Setting, ...]:
    row = port.tables.config.pfc_wd.get(port.name)
    if row is None or row.detection_time is None:
        return ()
    found = [Setting("detection_time", f"{row.detection_time}ms", f"PFC_WD|{port.name}")]
    if row.action in ("drop", "forward"):
        restored = {"restoration_time": f"{row.restoration_time}ms"} if row.restoration_time else {}
        found.append(Setting("watchdog", {"action": row.action} | restored))
    return tuple(found)


def _notes(port: Port, pauses: Pauses | None, total: int) -> Iterator[str]:
    yield from _other_classes(port)
    yield from not_lossless(port)
    if pauses:
        yield from pauses.notes()
        yield _memory(port, total)
    yield from queues.buffer_notes(port)
    yield from trimming_notes(port)
    yield from marking.marking_notes(port)
    yield from queues.scheduler_notes(port)
    if port.tables.chip is None:
        yield "memory is one part; a chip with several MMUs gives each an equal part of the pools (--chip)"
    poll = port.tables.config.pfc_wd.get("GLOBAL")
    if pauses and _watchdog(port) and poll and poll.poll_interval:
        yield f"the watchdog looks every {poll.poll_interval} ms; a scenario's acts at the instant"


def _other_classes(port: Port) -> Iterator[str]:
    """Whether other ports give packets other classes: which classes they have, a scenario's flows say."""
    tables, here = port.tables, priorities_at(port.tables, port.name)
    found = {other: priorities_at(tables, other) for other in tables.qos.pfc_ports}
    others = {other: there for other, there in found.items() if here and there and differing(here, there)}
    if here and others:
        there = next(iter(others.values())) or {}
        where = (f"at {port.name}", f"at {several(others)}")
        yield f"{told(here, there, where)}: all ports are as {port.name} (classes_disagree)"


def _memory(port: Port, total: int) -> str:
    apart = "lossless and lossy classes have memory apart, as large as their pools"
    chip, mmus, more = with_all_memory(port.tables.chip), port.tables.mmus, ""
    if chip and total > chip["memory_bytes"] // mmus:
        of_one = "one MMU of " if mmus > 1 else ""
        more = f", and more than the {chip['memory_bytes'] // mmus:,} B of {of_one}{chip['name']}"
    return f"{apart}{more}; pools of ingress and egress count the same bytes, as they come in and as they leave"
