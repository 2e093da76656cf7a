"""The network of a scenario: its ports, and where each leads."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff import facade
from xoff.text.units import counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx as nx
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff import _xoff


class Port(NamedTuple):
    """A port and the link it sends into."""

    name: str
    """Name of the port, such as `leaf0.port3`."""
    peer: str
    """The port at the other end of the link."""
    rate_bps: int
    """Rate at which the port sends; the other end of the link may send at another."""
    delay_ns: float
    """Propagation delay, one way."""
    error_rate: float
    """Share of packets that the link corrupts."""
    failed: bool
    """Whether the link has failed before the run begins."""

    @property
    def node(self) -> str:
        """Host, adapter or switch that has the port."""
        return _node(self.name)

    @property
    def peer_node(self) -> str:
        """Host, adapter or switch at the other end of the link."""
        return _node(self.peer)

    @property
    def faults(self) -> str:
        """Faults of the link in words; empty if there are none."""
        corrupts = f"corrupts {percent(self.error_rate)} of packets" if self.error_rate else ""
        return ", ".join(filter(None, ("failed" if self.failed else "", corrupts)))


@dataclass(frozen=True, repr=False)
class Topology:
    """Hosts, switches and the links between them, as they are when the run begins."""

    hosts: tuple[str, ...]
    ports: tuple[Port, ...]
    """Ports of hosts first, then those of adapters inside servers, then those of switches."""
    inside: dict[str, str]
    """The host of each adapter inside a server, by its name."""

    @classmethod
    def of(cls, core: _xoff.Scenario) -> Topology:
        """Returns the topology of a scenario. Raises ScenarioError."""
        hosts, adapters, rows = core.topology()
        ports = tuple(Port(*row) for row in rows)
        first = [port.node for port in ports[:adapters]]  # an adapter has one port
        return cls(tuple(first[:hosts]), ports, dict(zip(first[hosts:], first, strict=False)))

    @classmethod
    def from_graph(cls, graph: nx.Graph) -> Topology:
        """Returns a graph of NetworkX as a network; `as_custom` makes it part of a scenario.

        Args:
            graph: Edges have `rate` and `delay` as scenarios write them, or `rate_bps` and `delay_ns` as numbers.
                Nodes have `kind`, "host" or "switch"; left out, those with one neighbour are hosts.

        Raises:
            InputError: An edge lacks a rate or delay, or no scenario can have such a network.
        """
        return facade.topology_of(graph)

    @cached_property
    def switches(self) -> tuple[str, ...]:
        """Names of all switches, in the order of their numbers."""
        return tuple(dict.fromkeys(port.node for port in self.ports[len(self.of_hosts) :]))

    @property
    def of_hosts(self) -> tuple[Port, ...]:
        """Ports of hosts, including those of adapters inside servers."""
        return self.ports[: len(self.hosts) + len(self.inside)]

    @cached_property
    def servers(self) -> tuple[str, ...]:
        """Names of the switches inside servers."""
        return tuple(dict.fromkeys(port.peer_node for port in self.of_hosts[len(self.hosts) :]))

    @cached_property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Hosts, the switches of the fabric that have hosts, the other switches that these lead to, and so on."""
        neighbours: dict[str, list[str]] = {}
        for port in self.ports:
            neighbours.setdefault(port.node, []).append(port.peer_node)
        tiers = [self.hosts]
        above = set(self.switches) - set(self.servers)
        while above:
            reached = above.intersection(peer for node in tiers[-1] for peer in neighbours[node])
            tiers.append(tuple(switch for switch in self.switches if switch in reached))
            above -= reached
        return tuple(tiers)

    @cached_property
    def _by_name(self) -> dict[str, Port]:
        return {port.name: port for port in self.ports}

    def rate_back_bps(self, port: Port) -> int:
        """Returns the rate at which the other end of a port's link sends."""
        return self._by_name[port.peer].rate_bps

    def host_of(self, adapter: str) -> str:
        """Returns the name of the host that has an adapter, inside a server or not."""
        return self.inside.get(adapter, adapter)

    @property
    def table(self) -> pa.Table:
        """A row for each port, with the fields of `Port` as columns."""
        import pyarrow as pa

        return pa.Table.from_pylist([port._asdict() for port in self.ports])

    def graph(self) -> nx.MultiGraph:
        """Returns the network as a graph of NetworkX: an edge for each link, with what its first port has.

        Nodes have `kind`; edges have `port`, `peer`, `rate_bps`, `rate_back_bps`, `delay_ns`, `error_rate` and
        `failed`. The rate back is that at which `peer` sends.
        """
        return facade.graph_of(self)

    def as_custom(self) -> dict[str, Any]:
        """Returns the network as `topology` of a scenario, for `Scenario.from_dict`: every node and link by itself.

        Ports keep their numbers. Servers stay out, which are `scale_up`, and so do routing and flow control of links.

        Examples:
            >>> from xoff import Scenario
            >>> star = {"kind": "star", "hosts": 3, "host_link": {"rate": "100Gbps", "delay": "1us"}}
            >>> scenario = Scenario.from_dict(
            ...     {
            ...         "topology": star,
            ...         "transport": {"rdma": {"kind": "roce"}},
            ...         "workload": [{"kind": "permutation", "transport": "rdma", "size": "1MB"}],
            ...     }
            ... )
            >>> scenario.topology.as_custom()["links"][0]
            {'between': ['host0', 'switch0'], 'rate': '100000000000bps', 'delay': '1000000ps'}
        """
        left_out = {*self.inside, *self.servers}
        ports = [port for port in self.ports if port.node not in left_out and port.peer_node not in left_out]
        links = _in_port_order(ports)
        failed = [[port.node, port.peer_node] for port in links if port.failed]
        return {
            "kind": "custom",
            "hosts": [*self.hosts],
            "switches": [switch for switch in self.switches if switch not in left_out],
            "links": [self._link(port) for port in links],
            **({"failed_links": failed} if failed else {}),
        }

    def _link(self, port: Port) -> dict[str, Any]:
        link: dict[str, Any] = {"between": [port.node, port.peer_node], "rate": f"{port.rate_bps}bps"}
        if self.rate_back_bps(port) != port.rate_bps:
            link["rate_back"] = f"{self.rate_back_bps(port)}bps"
        link["delay"] = f"{round(port.delay_ns * 1000)}ps"
        return link | ({"error_rate": port.error_rate} if port.error_rate else {})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws nodes in tiers, hosts lowest, with their links, into `ax` or a new figure; returns the axes."""
        return facade.draw_topology(self, ax)

    def __str__(self) -> str:
        switches = f"{len(self.switches):,} switch{'' if len(self.switches) == 1 else 'es'}"
        return f"{counted(len(self.hosts), 'host')}, {switches}, {counted(len(self.ports) // 2, 'link')}"

    def __repr__(self) -> str:
        return f"<xoff.Topology {self}>"


def _in_port_order(ports: Sequence[Port]) -> list[Port]:
    """Returns one port of each link, so that links in this order number the ports of every node as they are."""
    waiting: dict[str, deque[Port]] = defaultdict(deque)
    for port in ports:
        waiting[port.node].append(port)
    found: list[Port] = []
    nodes = deque(waiting)
    while nodes:
        node = nodes.popleft()
        while waiting[node]:
            port = waiting[node][0]
            others = waiting[port.peer_node]
            if others[0].name != port.peer:
                break  # a link before it at the other end comes first, and then this one
            waiting[node].popleft()
            others.popleft()
            found.append(port)
            nodes.append(port.peer_node)
    return found


def _node(port: str) -> str:
    return port.rpartition(".")[0]
