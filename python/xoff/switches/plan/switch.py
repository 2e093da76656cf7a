"""The switch of a plan: the numbers that all its formulas start from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, permutations
from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.scenario import catalogue

if TYPE_CHECKING:
    from xoff.switches.plan.file import Plan

_LANES = 4
"""Ports that a port of 40 Gb/s and more can be split into."""
_ORDERS = 1000
"""The most that are tried: all of six groups."""
_SMALLER = "expected fewer, or a larger chip; see `xoff list chips`"


@dataclass(frozen=True)
class Group:
    """Ports that are alike."""

    name: str
    ports: tuple[str, ...]
    rate_bps: int
    delay_ps: int
    cable_m: Fraction
    step: int = 1
    """Lanes of each, by which SONiC counts."""

    @property
    def count(self) -> int:
        """Number of ports."""
        return len(self.ports)

    @property
    def on_the_cable(self) -> Fraction:
        """Bytes in flight one way [C D]."""
        return Fraction(self.rate_bps * self.delay_ps, 8 * 10**12)


@dataclass(frozen=True)
class Switch:
    """Switch of a plan: its chip, memory, groups of ports and classes."""

    plan: Plan
    groups: tuple[Group, ...]
    memory_bytes: int
    """All packet memory."""
    mmus: int
    """Parts of it with ports of their own."""
    chip_ports: int
    chip_rate_bps: int
    fastest_bps: int
    """The rate of the fastest ports, of an MMU those of the whole chip."""
    cell_bytes: int | None

    @classmethod
    def of(cls, plan: Plan, file: str | None = None) -> Switch:
        """Returns the switch of a plan. Raises PlanError if its ports do not fit its chip."""
        chip = next(chip for chip in catalogue.chips() if chip["name"] == plan.chip)
        chip_ports, chip_rate = chip["ports"], chip["rate_bps"]
        memory_bytes = plan.memory or chip.get("memory_bytes")
        if memory_bytes is None:
            expected = "expected memory beside it, as its vendor told you"
            raise PlanError(file, "chip", f"the memory of {plan.chip} is not public", expected)
        groups: list[Group] = []
        for index, ports in enumerate(plan.ports):
            rate = ports.rate or chip_rate
            if rate > chip_rate:
                problem = f"{rate / 1e9:g} Gb/s, and ports of {plan.chip} have {chip_rate / 1e9:g} Gb/s"
                raise PlanError(file, f"ports[{index}].rate", problem, "expected at most that, or another chip")
            if (ports.count or 0) > _LANES * chip_ports:
                problem = f"{ports.count:,} ports do not fit {plan.chip}, which has {chip_ports}"
                raise PlanError(file, f"ports[{index}].count", problem, _SMALLER)
            taken = sum(group.count for group in groups)
            names = ports.names or tuple(f"Ethernet{taken + n}" for n in range(ports.count or chip_ports))
            groups.append(Group(ports.name, names, rate, ports.delay_ps, ports.cable_m, ports.step or 1))
        switch = cls(
            plan,
            tuple(groups),
            memory_bytes,
            plan.mmus or chip["mmus"],
            chip_ports,
            chip_rate,
            max(group.rate_bps for group in groups),
            chip["cell_bytes"],
        )
        switch._check_fit(file)
        return switch

    def _check_fit(self, file: str | None) -> None:
        most = self.chip_ports * (_LANES if self.chip_rate_bps >= 40 * 10**9 else 1)
        capacity = self.chip_ports * self.chip_rate_bps
        if self.ports > most or self.rate_bps > capacity:
            problem = (
                f"{self.ports} ports of {self.rate_bps / 1e9:,g} Gb/s together do not fit {self.plan.chip}, "
                f"which has {self.chip_ports} of {self.chip_rate_bps / 1e9:g} Gb/s"
            )
            raise PlanError(file, "ports", problem, _SMALLER)
        if self.mmus > self.chip_ports:
            problem = f"{self.mmus} parts of memory for {self.chip_ports} ports of {self.plan.chip}"
            raise PlanError(file, "mmus", problem, "expected at most one for each port")
        least = self.mmus * self.plan.mtu
        if self.memory_bytes < least:
            problem = f"{self.memory_bytes:,} B is less than a packet of {self.plan.mtu:,} B in each MMU"
            raise PlanError(file, "memory", problem, f'expected at least "{least}B"')
        names = [name for group in self.groups for name in group.ports]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise PlanError(file, "ports", f"name {twice} twice", "expected each port once")
        for number, part in enumerate(self.parts):
            if part.rate_bps * self.mmus > capacity:
                groups = ", ".join(f"{group.count} {group.name}" for group in part.groups)
                rates = f"{part.rate_bps / 1e9:,g} Gb/s, and serves {capacity / self.mmus / 1e9:,g} Gb/s"
                problem = f"MMU {number} has {groups} of {rates}"
                raise PlanError(file, "ports", problem, self._served_expected(capacity))

    def _served_expected(self, capacity: int) -> str:
        """Says what the MMUs, which share a rate, would need for each to serve its ports."""
        orders = islice(permutations(self.groups), _ORDERS)
        order = next((order for order in orders if max(self._rates_of_parts(order)) * self.mmus <= capacity), None)
        if order is not None:
            named = ", ".join(group.name for group in order)
            return f"expected the order {named}, in which MMUs, which take as many ports each, can serve theirs"
        split = "expected groups split so that each MMU, which takes as many ports as any other, has some of each"
        return f"{split}, or mmus = 1, which takes memory as one pool"

    def _rates_of_parts(self, groups: tuple[Group, ...]) -> list[int]:
        rates, each = [group.rate_bps for group in groups for _ in group.ports], self.ports_per_mmu
        return [sum(rates[first : first + each]) for first in range(0, len(rates), each)]

    @property
    def ports(self) -> int:
        """All ports [n, N_p]."""
        return sum(group.count for group in self.groups)

    @property
    def rate_bps(self) -> int:
        """All ports together."""
        return sum(group.count * group.rate_bps for group in self.groups)

    @property
    def fastest(self) -> Group:
        """The ports of the highest rate."""
        return max(self.groups, key=lambda group: group.rate_bps)

    @property
    def lossless(self) -> tuple[int, ...]:
        """Priorities that pause [N_q of them]."""
        return tuple(p for one in self.plan.classes if one.lossless for p in one.priorities)

    @property
    def reserved_bytes(self) -> int:
        """Reserves of all classes of all ports [rho N_p N_q]."""
        return self.ports * sum(one.reserved * len(one.priorities) for one in self.plan.classes)

    @property
    def ports_per_mmu(self) -> int:
        """Ports that share one part of the memory [N]; those of a chip that is not full fill one part after another."""
        return min(self.ports, -(-max(self.ports, self.chip_ports) // self.mmus))

    @property
    def parts(self) -> tuple[Switch, ...]:
        """Returns the MMUs that have ports, each as a switch by itself; they take ports in the order of the plan."""
        if self.mmus == 1:
            return (self,)
        ports = [port for group in self.groups for port in group.ports]
        each = self.ports_per_mmu
        return tuple(self._part(set(ports[first : first + each])) for first in range(0, len(ports), each))

    def _part(self, ports: set[str]) -> Switch:
        memory, asked = self.memory_bytes // self.mmus, self.plan.lossy_pool
        lossy = None if asked is None else asked // self.mmus
        cut = [replace(group, ports=tuple(port for port in group.ports if port in ports)) for group in self.groups]
        groups = tuple(group for group in cut if group.ports)
        planned = tuple(
            one.model_copy(update={"names": group.ports, "count": None})
            for one, group in zip(self.plan.ports, cut, strict=True)
            if group.ports
        )
        plan = self.plan.model_copy(update={"memory": memory, "mmus": 1, "lossy_pool": lossy, "ports": planned})
        return replace(self, plan=plan, groups=groups, memory_bytes=memory, mmus=1)
