"""Ports that have a link of the scenario: headroom is for a rate and a cable, and thresholds are for a rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xoff.errors import InputError, ScenarioError
from xoff.scenario import quantities
from xoff.switches import scenario_values
from xoff.switches.importing.port import Port, most_headroom, with_buffers
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xoff.scenario.scenario import Scenario
    from xoff.switches.lint import Tables

_CLOSE_NS = 4
"""Less than a metre of cable: a delay is put onto whole metres, and theirs are rounded up to nanoseconds."""
_METRE_NS = 6
"""As what `xoff export` writes links without delay."""


@dataclass(frozen=True)
class Links:
    """Links of a scenario's switches, or of one of them: rates in bits per second, and delays in nanoseconds."""

    file: str | None
    kinds: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, scenario: Scenario, node: str | None) -> Links:
        """Returns the links of a switch, or of all without `node`.

        Raises ScenarioError if there is no such switch, or if a link has a rate each way.
        """
        nodes = scenario.topology.switches if node is None else (scenario_values.one_switch(scenario, node),)
        for one in nodes:
            scenario_values.check_links(scenario, one)
        links = {(port.rate_bps, port.delay_ns) for port in scenario.topology.ports if port.node in nodes}
        return cls(scenario.file, tuple(sorted(links)))

    @property
    def rates(self) -> set[int]:
        """In bits per second."""
        return {rate for rate, _ in self.kinds}

    def has_rate(self, port: Port) -> bool:
        """Whether some have the rate of the port's link, as far as that is known."""
        return port.rate_bps is None or port.rate_bps in self.rates

    def has(self, port: Port) -> bool:
        """Whether the scenario has the port's rate and, where the port pauses, its cable."""
        if port.link is None or not port.lossless:
            return self.has_rate(port)
        there = _delay_ns(port)
        return any(
            rate == port.rate_bps and abs(max(delay, _METRE_NS) - there) < _CLOSE_NS for rate, delay in self.kinds
        )

    def port(self, tables: Tables, name: str | None) -> Port:
        """Returns the port called `name`, or without a name, of ports with such a link, the first with most headroom.

        Raises:
            InputError: There is no such port, or its link has a rate that none of these has.
            ScenarioError: No port has such a link.
        """
        own = Port.of(tables, name)
        ports = [Port(tables, one) for one in with_buffers(tables)]
        if name is not None:
            self._check_rate(own, ports)
            return own
        fitting = [port for port in ports if self.has(port)]
        if not fitting:
            problem = f"its links ({self._told(self.rates)}) are those of no port of the tables"
            raise ScenarioError(self.file, "topology", problem, self._expected(ports))
        known = [port for port in fitting if port.link]
        return most_headroom(known or fitting)

    def _check_rate(self, port: Port, ports: list[Port]) -> None:
        if not self.has_rate(port):
            file = port.tables.sources[0].name if port.tables.sources else None
            problem = f"its rate, {_rate(port)}, is that of no link of the scenario ({self._told(self.rates)})"
            raise InputError(file, f"--port {port.name}", problem, self._expected(ports))

    def _expected(self, ports: list[Port]) -> str:
        """Ports of which one can be named; where there are none, what links there are."""
        known = [port for port in ports if port.link]
        of_rate = [port for port in known if self.has_rate(port)]
        if of_rate:
            return f"expected --port with one of that rate: {_by_link(of_rate)}"
        return f"expected links as the ports have them: {_by_link(known)}"

    def _told(self, rates: set[int]) -> str:
        """Names the links of some rates."""
        return listed([f"{rate / 1e9:g} Gb/s with {delay:g} ns" for rate, delay in self.kinds if rate in rates])

    def notes_of_cable(self, port: Port) -> Iterator[str]:
        """Says that headroom is put onto another cable than the scenario's."""
        if port.rate_bps is not None and not self.has(port):
            own, there = _by_link([port]), self._told({port.rate_bps})
            yield f"{own} has another cable than the scenario ({there}), whose headroom is put all the same"

    def notes_of_others(self, ports: Iterable[Port]) -> Iterator[str]:
        """Says which port gets the settings that the scenario has for ports with links of other rates."""
        by_rate: dict[str, list[Port]] = {}
        for port in ports:
            by_rate.setdefault(_rate(port), []).append(port)
        for rate, its in by_rate.items():
            named = next((port for port in its if self.has(port)), its[0]).name
            what = f"what the scenario says of links of {rate}"
            yield f"{several(port.name for port in its)}: {what} is left out here, and is put with --port {named}"


def _delay_ns(port: Port) -> float:
    """Returns the delay of a port's link in nanoseconds, as `xoff import` has it."""
    assert port.link_of_scenario is not None, "its link is known"
    return quantities.quantity("time", port.link_of_scenario[1]) / 1000


def _rate(port: Port) -> str:
    return f"{(port.rate_bps or 0) / 1e9:g} Gb/s"


def _by_link(ports: list[Port]) -> str:
    """Names of ports, by what their links are."""
    names: dict[str, list[str]] = {}
    for port in ports:
        assert port.link is not None, "it is known"
        link = f"{_rate(port)} with {_delay_ns(port):g} ns, {port.link[1]} m of cable"
        names.setdefault(link, []).append(port.name)
    return listed([f"{several(its)} ({link})" for link, its in names.items()])
