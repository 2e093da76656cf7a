"""Networks as graphs of NetworkX, and graphs as networks.

A node has `kind`, "host" or "switch"; without it, a node with one link is a host. A link has `rate` and `delay` as
scenarios write them, or `rate_bps` and `delay_ns` as numbers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from xoff.errors import InputError
from xoff.formats.lines import rate_bps, time_ps, written_rate, written_time
from xoff.scenario.scenario import Scenario
from xoff.text.line import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import networkx as nx

    from xoff.scenario.topology import Topology

_KINDS = ("host", "switch")


def of_topology(topology: Topology) -> nx.MultiGraph:
    """Returns a network as a graph: a node for each host, adapter and switch, an edge for each link."""
    import networkx as nx

    graph = nx.MultiGraph()
    graph.add_nodes_from(topology.hosts, kind="host")
    graph.add_nodes_from(topology.inside, kind="adapter")
    graph.add_nodes_from(topology.switches, kind="switch")
    backs = {port.name: port.rate_bps for port in topology.ports}
    for port in topology.ports:
        if port.name in backs and port.peer in backs:
            del backs[port.name]  # the other end of the link is no edge of its own
            graph.add_edge(
                port.node,
                port.peer_node,
                port=port.name,
                peer=port.peer,
                rate_bps=port.rate_bps,
                rate_back_bps=topology.rate_back_bps(port),
                delay_ns=port.delay_ns,
                error_rate=port.error_rate,
                failed=port.failed,
            )
    return graph


def topology_of(graph: nx.Graph) -> Topology:
    """Returns a graph as a network. Raises InputError for one that no scenario can have."""
    network = {"kind": "custom", **table_of(graph)}
    traffic = [{"kind": "permutation", "transport": "rdma", "size": "1MB"}]
    return Scenario.from_dict(
        {"topology": network, "transport": {"rdma": {"kind": "roce"}}, "workload": traffic}
    ).topology


def table_of(graph: nx.Graph) -> dict[str, Any]:
    """Returns hosts, switches and links of a graph as `[topology]` of a custom network has them. Raises InputError."""
    kinds = {node: _kind(graph, node, of_node) for node, of_node in graph.nodes(data=True)}
    names = {node: f"{kind}{node}" if isinstance(node, int) else str(node) for node, kind in kinds.items()}
    links, failed = [], []
    for one, other, back, of_edge in _edges(graph):
        where = f"edge {names[one]} - {names[other]}"
        rate = _rate(where, of_edge, "rate")
        rate_back = _rate(where, back, "rate", "rate_back" if back is of_edge else "")
        link: dict[str, Any] = {"between": [names[one], names[other]], "rate": rate, "delay": _delay(where, of_edge)}
        if rate_back != rate:
            link["rate_back"] = rate_back
        if of_edge.get("error_rate"):
            link["error_rate"] = float(of_edge["error_rate"])
        links.append(link)
        if of_edge.get("failed"):
            failed.append([names[one], names[other]])
    return {
        "hosts": [names[node] for node, kind in kinds.items() if kind == "host"],
        "switches": [names[node] for node, kind in kinds.items() if kind == "switch"],
        "links": links,
        **({"failed_links": failed} if failed else {}),
    }


def _kind(graph: nx.Graph, node: object, of_node: dict[str, Any]) -> str:
    kind = of_node.get("kind")
    if kind is None:
        return "host" if len({*graph.to_undirected(as_view=True)[node]}) == 1 else "switch"
    if kind not in _KINDS:
        raise InputError(None, f"node {node}", f"kind is {quoted(str(kind))}", f"expected one of {', '.join(_KINDS)}")
    return str(kind)


def _edges(graph: nx.Graph) -> Iterator[tuple[Any, Any, dict[str, Any], dict[str, Any]]]:
    """Yields both ends of each link, and what edges say of the way back and of the way there.

    Of a directed graph two edges between the same nodes, one each way, are one link.
    """
    waiting: dict[tuple[Any, Any], list[dict[str, Any]]] = defaultdict(list)
    links = []
    for one, other, of_edge in graph.edges(data=True):
        if graph.is_directed() and waiting[other, one]:
            waiting[other, one].pop(0)["back"] = of_edge
            continue
        link = {"ends": (one, other), "there": of_edge, "back": of_edge}
        waiting[one, other].append(link)
        links.append(link)
    for link in links:
        one, other = link["ends"]
        port = link["there"].get("port")  # which of an undirected edge's ends is the first
        if isinstance(port, str) and port.rpartition(".")[0] == str(other):
            one, other = other, one
        yield one, other, link["back"], link["there"]


def _rate(where: str, of_edge: dict[str, Any], name: str, first: str = "") -> str:
    """Returns a rate as scenarios write it, the first key going before the other. Raises InputError."""
    for key in filter(None, (first, name)):
        for value in (of_edge.get(f"{key}_bps"), of_edge.get(key)):
            if value is None:
                continue
            bps = rate_bps(str(value))
            if bps is None:
                problem = f"{key} is {quoted(str(value))}"
                raise InputError(None, where, problem, "expected one such as 100Gbps, or rate_bps as a number")
            return written_rate(bps)
    raise InputError(None, where, f"{name} is missing", "expected one such as 100Gbps, or rate_bps as a number")


def _delay(where: str, of_edge: dict[str, Any]) -> str:
    number, text = of_edge.get("delay_ns"), of_edge.get("delay")
    ps = time_ps(f"{number}ns") if number is not None else time_ps(str(text))
    if ps is None:
        problem = "delay is missing" if number is None and text is None else f"delay is {quoted(str(number or text))}"
        raise InputError(None, where, problem, "expected one such as 1us, or delay_ns as a number")
    return written_time(ps)
