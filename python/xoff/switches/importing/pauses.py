"""Lossless classes: when senders are paused, and the memory for what comes after that."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.switches.importing.part import Setting, Table
from xoff.switches.importing.port import CLASSES, classes, ratio, size, takes_all
from xoff.switches.lint.physics import alpha
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.importing.port import Port
    from xoff.switches.sonic.config_db import BufferPool, BufferProfile


_LOSSLESS_POOL = "ingress_lossless_pool"
"""Pool of lossless classes where no profile names one."""


@dataclass(frozen=True)
class Pauses:
    """Keys of `[switch.pfc]` for a port, and notes on what they cannot express."""

    _port: Port
    pool_name: str
    _pool: BufferPool

    @classmethod
    def of(cls, port: Port) -> Pauses:
        """Raises InputError where the tables do not say how much lossless classes share."""
        tables, profiles = port.tables, [group.profile for group in port.lossless.values() if group.profile]
        name = profiles[0].pool if profiles else _LOSSLESS_POOL
        pool = tables.config.buffer_pool.get(name)
        if pool is None or pool.size is None:
            place = tables.place("BUFFER_POOL", name, "size")
            why = "the switch computes it" if tables.computes else "no table says it"
            expected = "expected what the switch has (show buffer information)"
            expected += ", or --chip of a Spectrum, whose formula is known" if tables.computes else ""
            problem = f"is not there, {why}, and so much do lossless classes share"
            raise InputError(place.file, place.key, problem, expected)
        if tables.shared(name) is None:
            place, within = tables.place("BUFFER_POOL", name, "size"), tables.reserves_within(name)
            problem = f"does not hold the {within:,} B that priority groups and queues reserve of it"
            raise InputError(place.file, place.key, problem, "expected a larger pool, or smaller reserves")
        return cls(port, name, pool)

    @property
    def _profiles(self) -> dict[int, BufferProfile]:
        groups = self._port.lossless.items()
        return {one: group.profile for one, group in groups if group.profile is not None}

    def table_beside(self, other: Pauses | None) -> Table:
        """Returns the scenario's table of pauses for this port, with the differences at ports of another rate."""
        found = [self._xoff()]
        if self._offset is not None:
            found.append(Setting("xon_offset", size(self._offset), f"{self._row}|xon_offset"))
        headroom = Setting("headroom", self._headroom(), self._headroom_from())
        reserved = [Setting("reserved", size(self.reserved), f"{self._row}|size")] if self.reserved else []
        pool = Setting("lossless_pool", size(self.shared), f"BUFFER_POOL|{self.pool_name}|size{self._less}")
        its = self._at_rate(other) if other else ()
        return Table("[switch.pfc]", (*found, headroom, *its, *self._others(other), *reserved, pool))

    def _at_rate(self, other: Pauses) -> Iterator[Setting]:
        its, own = other._port.headroom_bytes, self._port.headroom_bytes
        said: dict[str, object] = {"headroom": size(its)} if its not in (0, own) else {}
        if other._xoff().value != self._xoff().value:
            said["xoff"] = other._xoff().value
        if said:
            yield Setting(f"at_rate.{other._port.rate}", said, other._row)

    @property
    def shared(self) -> int:
        """Bytes that lossless classes share, without reserves."""
        return self._port.tables.shared(self.pool_name) or 0

    def aside(self, ports: int) -> int:
        """Headroom and reserves of so many ports like this one."""
        classes = len(self._port.lossless)
        own = ports * classes * self._port.headroom_bytes
        ratio = self._ratio
        return (own if ratio is None else int(own * ratio)) + ports * classes * self.reserved

    @property
    def reserved(self) -> int:
        """Reserve in bytes of one class of a port."""
        return min(self._reserve_sizes, default=0)

    @property
    def _reserve_sizes(self) -> set[int]:
        return {group.reserve for group in self._port.lossless.values() if group.profile}

    @property
    def _less(self) -> str:
        reserves = self._port.tables.reserves_within(self.pool_name)
        less = f" less {reserves:,} B of reserves" if reserves else ""
        mmus = self._port.tables.mmus
        return f"{less}, of one of {mmus} MMUs" if mmus > 1 else less

    @property
    def _row(self) -> str:
        groups = self._port.lossless.values()
        return f"BUFFER_PROFILE|{next((group.profile_name for group in groups if group.profile), 'NULL')}"

    def _xoff(self) -> Setting:
        first = next(iter(self._profiles.values()), None)
        if first is not None and first.static_th is not None:
            policy = {"policy": "static_threshold", "threshold": size(first.static_th)}
            return Setting("xoff", policy, f"{self._row}|static_th")
        alphas = {one: alpha(exponent) for one in self._port.lossless if (exponent := self._exponent(one)) is not None}
        shares = [ratio(alphas.get(one, Fraction(1))) for one in CLASSES]
        return Setting("xoff", {"policy": "dynamic_threshold", "alpha_by_priority": shares}, f"{self._row}|dynamic_th")

    def _exponent(self, one: int) -> int | None:
        profile = self._profiles.get(one)
        if profile is not None:
            return profile.dynamic_th
        rows = self._port.tables.config.default_lossless_buffer_parameter.values()
        return next((row.default_dynamic_th for row in rows), None)

    @property
    def _offset(self) -> int | None:
        profile = next(iter(self._profiles.values()), None)
        if profile is None or profile.static_th is None or profile.xon is None:
            return None if profile is None else profile.xon_offset
        to_xon = max(0, profile.static_th - profile.xon)  # it resumes at xon, or xon_offset below, if that is more
        return to_xon if profile.xon_offset is None else min(to_xon, profile.xon_offset)

    @property
    def headroom_of_all(self) -> int:
        """Bytes that all priority groups with this pool may put into a headroom pool."""
        groups = [group.profile for group in self._port.tables.priority_groups if group.lossless and group.profile]
        return sum(profile.xoff or 0 for profile in groups if profile.pool == self.pool_name)

    @property
    def _ratio(self) -> Fraction | None:
        """Ratio of the headroom pool to what all priority groups may put into it; None where there is no pool (0 B)."""
        if not self._pool.xoff:
            return None
        needed = self.headroom_of_all
        return Fraction(self._pool.xoff, needed) if needed > self._pool.xoff else None

    def _headroom(self) -> dict[str, str]:
        ratio, own = self._ratio, self._port.headroom_bytes
        scheme = {"scheme": "sih"} if ratio is None else {"scheme": "oversubscribed", "ratio": str(ratio)}
        return scheme | ({"size": size(own)} if own else {})

    def _headroom_from(self) -> str:
        pool = f"; BUFFER_POOL|{self.pool_name}|xoff, {self._pool.xoff:,} B for all" if self._ratio is not None else ""
        return f"{self._row}|xoff{pool}" if self._port.headroom_bytes else f"by formula for each link{pool}"

    def _others(self, beside: Pauses | None) -> Iterator[Setting]:
        """Ports with other headroom: which they are in the scenario, only its topology says."""
        by_rate: set[str] = set()
        for rate_bps, ports in self._port.of_other_rates.items():
            names, kinds = [port.name for port in ports], {port.headroom_bytes for port in ports}
            if beside and beside._port.rate_bps == rate_bps:
                by_rate.update(names)
            elif len(kinds) == 1 and not kinds & {0, self._port.headroom_bytes}:
                by_rate.update(names)
                comment = f"as {several(names)}, where links have this rate"
                yield Setting(f"at_rate.{ports[0].rate}", {"headroom": size(kinds.pop())}, comment, True)
        others = {own: [name for name in names if name not in by_rate] for own, names in self._port.others.items()}
        if left := {own: names for own, names in others.items() if names}:
            at_ports = [{"ports": [number], "size": size(other)} for number, other in enumerate(left)]
            those = ", ".join(f"as {several(names)}" for names in left.values())
            comment = f"instead, with the scenario's numbers of the ports that are {those}"
            yield Setting("headroom", self._headroom() | {"at_ports": at_ports}, comment, True)

    def notes(self) -> Iterator[str]:
        """Yields notes on pauses that the scenario has otherwise than the switch."""
        port, profiles = self._port, list(self._profiles.values())
        computed = [one for one in port.lossless if one not in self._profiles or self._profiles[one].xoff is None]
        if computed:
            yield f"headroom is set by the switch, and in a scenario by its own formula: {classes(computed)}"
        for what, kinds in (
            ("xoff", {profile.xoff for profile in profiles}),
            ("size", self._reserve_sizes),
            ("xon_offset", {profile.xon_offset for profile in profiles}),
            ("static_th", {profile.static_th for profile in profiles}),
        ):
            if len(kinds) > 1:
                yield f"{what} differs between lossless classes: all have {self._taken(what)}"
        yield from self._resuming(profiles)
        if self._ratio is not None:
            yield (
                f"headroom is shared: {self._pool.xoff:,} B are {self._ratio} of what all priority groups may need; of "
                "other ports it is as large a part"
            )
        yield from self._queues()

    def _resuming(self, profiles: list[BufferProfile]) -> Iterator[str]:
        first = profiles[0] if profiles else None
        if first is None:
            return
        if first.xon_offset is None and first.static_th is None:
            yield f"{self._row} has no xon_offset: senders resume two frames below the pause"
        elif first.xon_offset == 0 and first.dynamic_th is not None:
            and_xon = f", and xon = {first.xon}, which is less, changes nothing" if first.xon else ""
            yield f"{self._row}|xon_offset = 0: senders resume where they are paused, as on the switch{and_xon}"
        elif first.xon and first.dynamic_th is not None:
            yield f"{self._row}|xon = {first.xon} is left out: senders resume xon_offset below the pause, however low"

    def _taken(self, what: str) -> str:
        profile = next(iter(self._profiles.values()))
        taken = {"xoff": self._port.headroom_bytes, "size": self.reserved}
        return str(taken.get(what, getattr(profile, what)))

    def _queues(self) -> Iterator[str]:
        """Yields notes on limits of lossless queues: a scenario limits lossless packets at their ingress alone."""
        limited = []
        for one in self._port.lossless:
            queue = self._port.queues.get(self._port.queue_of(one))
            if queue and not takes_all(queue):
                limited.append(queue.profile_name)
        if limited:
            yield f"{several(limited)} limits lossless queues; a scenario's never drop (lossless_queue_drops)"


def without_headroom(port: Port) -> str:
    """Names the priorities with PFC that are lossy here."""
    found = [str(one) for one in port.paused if one not in port.lossless]
    return f"priorit{'ies' if len(found) > 1 else 'y'} {listed(found)}"


def not_lossless(port: Port) -> Iterator[str]:
    """Priorities with PFC that are lossy here."""
    for one in port.paused:
        if one not in port.lossless:
            yield f"priority {one} pauses, and its priority group has no headroom: it is lossy here (xoff lint)"
        elif (queue := port.queue_of(one)) != one:
            yield f"priority {one} waits in queue {queue}: in a scenario both are class {one}"
