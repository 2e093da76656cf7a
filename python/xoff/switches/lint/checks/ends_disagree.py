"""Two ends of a cable that are set for different links."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.links import links
from xoff.switches.lint.lossless import differing, priorities_at, told
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import bytes_text, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.links import Link
    from xoff.switches.lint.tables import Tables


class _Difference(NamedTuple):
    """Setting that must be equal at both ends of a link."""

    severity: Severity
    row: tuple[str, str, str]
    """Table, row and field of this end."""
    values: object
    """Of both ends: links with the same are told of together."""
    physics: str
    remedy: str


def ends_disagree(tables: Tables) -> Iterator[Fault]:
    """Ends of a cable that differ in speed, mtu, length, PFC, or in which packets are lossless (DEVICE_NEIGHBOR).

    An error where the link stays down, or a pause of one end stops nothing at the other. Both switches' tables must be
    there, in a folder each.
    """
    found: dict[tuple[object, ...], list[tuple[str, _Difference]]] = defaultdict(list)
    for link in links(tables):
        for compare in (_speeds, _mtus, _cables, _pauses, _classes):
            for one in compare(tables, link):
                found[link.name, compare, one.severity, one.values].append((link.port, one))
    for its in found.values():
        first = its[0][1]
        physics = f"{several(port for port, _ in its)}: {first.physics}"
        yield Fault(first.severity, tables.place(*first.row), physics, first.remedy)


def _speeds(tables: Tables, link: Link) -> Iterator[_Difference]:
    here, there = tables.config.port[link.port], link.tables.config.port[link.other_port]
    negotiated = "on" in (here.autoneg, there.autoneg)
    if here.speed and there.speed and here.speed != there.speed and not negotiated:
        row = ("PORT", link.port, "speed")
        other = link.there("PORT", link.other_port, "speed")
        physics = f"{here.speed / 1000:g} Gb/s here, and {there.speed / 1000:g} {other}: the link does not come up"
        yield _Difference(Severity.ERROR, row, (here.speed, there.speed), physics, "the same speed at both ends")


def _mtus(tables: Tables, link: Link) -> Iterator[_Difference]:
    here, there = tables.config.port[link.port].mtu, link.tables.config.port[link.other_port].mtu
    if here and there and here != there:
        row = ("PORT", link.port, "mtu")
        other = link.there("PORT", link.other_port, "mtu")
        physics = f"packets of up to {bytes_text(here)} here, and {bytes_text(there)} {other}, which drops larger ones"
        if here < there:
            physics = f"packets of up to {bytes_text(here)} here, where larger ones are dropped, and {there:,} {other}"
        yield _Difference(Severity.WARNING, row, (here, there), physics, "the same mtu at both ends")


def _cables(tables: Tables, link: Link) -> Iterator[_Difference]:
    here, there = tables.cable_m(link.port), link.tables.cable_m(link.other_port)
    if here is not None and there is not None and here != there:
        name = next(name for name, its in tables.config.cable_length.items() if link.port in its)
        of_other = next(name for name, its in link.tables.config.cable_length.items() if link.other_port in its)
        other = link.there("CABLE_LENGTH", of_other, link.other_port)
        physics = f"{here} m of cable here, and {there} m {other}: the headroom of one end is for another cable"
        row = ("CABLE_LENGTH", name, link.port)
        yield _Difference(Severity.WARNING, row, (here, there), physics, "the same length at both ends")


def _pauses(tables: Tables, link: Link) -> Iterator[_Difference]:
    here, there = tables.qos.row(link.port), link.tables.qos.row(link.other_port)
    if here is None or there is None:
        return
    own, others = tables.qos.pfc_priorities(link.port), link.tables.qos.pfc_priorities(link.other_port)
    if set(own) == set(others):
        return
    other = link.there("PORT_QOS_MAP", there[0], "pfc_enable")
    lost = [str(priority) for priority in sorted(set(own) ^ set(others))]
    physics = (
        f"PFC is on for {_all(own)} here, and for {_all(others)} {other}: a pause of priority {listed(lost)} stops "
        "nothing at the end that has it not, and what comes all the same is lost"
    )
    row = ("PORT_QOS_MAP", here[0], "pfc_enable")
    yield _Difference(Severity.ERROR, row, (own, others), physics, "the same pfc_enable at both ends")


def _all(priorities: tuple[int, ...]) -> str:
    return listed([str(priority) for priority in priorities]) if priorities else "no priority"


def _classes(tables: Tables, link: Link) -> Iterator[_Difference]:
    here, there = priorities_at(tables, link.port), priorities_at(link.tables, link.other_port)
    if here is None or there is None or not differing(here, there):
        return
    ends = ((tables.qos, link.port), (link.tables.qos, link.other_port))
    rows = [qos.row_of(port, "dscp_to_tc_map") for qos, port in ends]
    own, others = (row[0] if row else "" for row in rows)
    other = link.there("PORT_QOS_MAP", others, "dscp_to_tc_map")
    physics = f"{told(here, there, ('here', other))}: where they have none they may be dropped"
    row = ("PORT_QOS_MAP", own, "dscp_to_tc_map")
    values = (tuple(here.items()), tuple(there.items()))
    yield _Difference(Severity.WARNING, row, values, physics, "maps that give packets the same class at both ends")
