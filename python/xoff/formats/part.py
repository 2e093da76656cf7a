"""The part of a result that goes into a file of another tool: a time, ports, flows."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.scenario import patterns

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Part:
    """Bounds of what is written of a result."""

    start_ns: float = 0
    end_ns: float = inf
    ports: frozenset[str] | None = None
    """Names of ports; None for all."""
    flows: tuple[str, ...] = ()
    """Names of flows, of hosts for all of theirs, or patterns; empty for all."""

    def overlaps(self, start_ns: float, end_ns: float) -> bool:
        """Whether some of a time is inside."""
        return start_ns <= self.end_ns and end_ns >= self.start_ns

    def has_port(self, name: str) -> bool:
        """Whether a port is inside."""
        return self.ports is None or name in self.ports

    def has_flow(self, name: str) -> bool:
        """Whether a flow is inside, by its name, such as `host0.flow3`.

        >>> Part(flows=("host0",)).has_flow("host0.flow3"), Part(flows=("host0.flow1",)).has_flow("host0.flow3")
        (True, False)
        """
        return not self.flows or any(patterns.matches_observed(pattern, name) for pattern in self.flows)

    def check_flows(self, names: Sequence[str]) -> None:
        """Raises InputError if a name or pattern of flows matches none of those that there are."""
        for pattern in self.flows:
            if not any(patterns.matches_observed(pattern, name) for name in names):
                expected = f"expected a flow such as {names[0]}, or all of a host" if names else ""
                raise InputError(None, "--flow", f"no flow of the result matches {pattern}", expected)
