"""Memory of lossless and of lossy classes: bytes that one side gets are taken from the other."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.switches import scenario_values
from xoff.switches.importing import imported
from xoff.switches.importing.pauses import Pauses
from xoff.switches.importing.port import Port, ports_of_each
from xoff.switches.lint.memory import all_headroom, allowed_to_one, ingress_pools, mmus_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.scenario.scenario import Scenario
    from xoff.switches.lint import Tables
    from xoff.switches.onto.rows import Edits
    from xoff.switches.scenario_values import Said

TOTAL = scenario_values.Key("switch.total")


def has_the_memory(scenario: Scenario, wanted: Said, tables: Tables, port: str) -> bool:
    """Whether the scenario's switch has all memory of the tables, for as many ports as it, or they, have."""
    rates: dict[str, Counter[int]] = {}
    for one in scenario.topology.ports:
        rates.setdefault(one.node, Counter())[one.rate_bps] += 1
    counts: set[tuple[int, str | None, int]] = {(ports_of_each(tables), None, 0)}
    for of_node in rates.values():
        counts |= {(of_node.total(), *uplinks) for uplinks in _uplinks(Port(tables, port), of_node)}
    return any(wanted.values[TOTAL] == _total(tables, port, *these) for these in counts)


def _uplinks(port: Port, rates: Counter[int]) -> Iterator[tuple[str | None, int]]:
    """None, or ports with links of the other rate that a switch has, and how many these are."""
    yield None, 0
    for rate_bps, ports in port.of_other_rates.items():
        if count := rates[rate_bps]:
            yield from ((other.name, count) for other in ports)


def _total(tables: Tables, port: str, ports: int, uplink: str | None, uplinks: int) -> int:
    try:
        return int(Fraction(scenario_values.of_part(imported(tables, port, ports, uplink, uplinks)).values[TOTAL] or 0))
    except InputError:  # of an uplink with other classes
        return 0


def lossless_bytes(tables: Tables, name: str) -> int:
    """Returns the bytes of lossless classes: their pool, and the headroom that comes on top."""
    port = Port(tables, name)
    if not port.lossless:
        return 0
    pauses = Pauses.of(port)
    pool = tables.config.buffer_pool[pauses.pool_name]
    on_top = pool.xoff or (0 if tables.headroom_within(pauses.pool_name) else pauses.headroom_of_all)
    return (pool.size or 0) + on_top


def never_dropped(old: Tables, new: Tables) -> Edits:
    """Returns the fields that let queues which never drop hold all that ports of the new tables let in.

    By what such a queue may hold, tables say whether headroom is inside the size of pools. None where the new tables
    still say so as the old ones did.
    """
    inside = old.holds_headroom
    if inside is None or new.holds_headroom == inside or allowed_to_one(new) is None:
        return {}
    held = sum(ingress_pools(new).values()) + (0 if inside else all_headroom(new))
    found: Edits = {}
    for row, profile in new.config.buffer_profile.items():
        pool = new.config.buffer_pool.get(profile.pool)
        if not profile.static_th or not pool or not pool.size or pool.type == "ingress":
            continue
        mmus = 1 if profile.static_th >= pool.size else mmus_of(profile.static_th, pool.size)
        if mmus:
            found[("BUFFER_POOL", profile.pool, "size")] = str(held)
            found[("BUFFER_PROFILE", row, "static_th")] = str(held // mmus)
    return found


def unbalanced(more: int) -> str:
    """Says that nothing can make up for so many bytes."""
    what = f"{abs(more):,} B {'more' if more > 0 else 'less'} than before"
    return f"lossless classes take {what}, and no pool of lossy classes can make up for it"


def of_another(wanted: Said) -> str:
    """Says that the scenario's switch has other memory."""
    total = wanted.values[TOTAL]
    told = scenario_values.spelled(TOTAL, total) if total else "the memory of the scenario's switch"
    remedy = "if the scenario was made with --chip, give it here, too"
    return f"{TOTAL}: {told} is not what the tables have, and pools stay as they are; {remedy}"
