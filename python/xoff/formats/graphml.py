"""GraphML: a network as a graph, read by NetworkX.

Nodes and edges have the attributes that `graph.py` names, or those of the Internet Topology Zoo.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from xoff.errors import InputError, one_line
from xoff.formats import graph_settings, topology_zoo
from xoff.formats.draft import Draft, Found, Key, Link, Network, Place
from xoff.formats.lines import counts
from xoff.formats.plain_xml import each_element

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "GraphML"
ABOUT = "GraphML of a network"


def recognises(lines: Sequence[str]) -> bool:
    """Whether an element of GraphML is among the first."""
    return any("<graphml" in line for line in lines[:50])


def read(path: Path, draft: Draft) -> None:
    """Reads a graph into the draft. Raises InputError."""
    draft.check_is_first(path)
    lines = _lines(path)
    import networkx as nx

    from xoff.formats.graph import table_of

    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            graph = nx.read_graphml(path)
        if topology_zoo.is_one(graph):
            graph, names = topology_zoo.network_of(graph, path.name, draft)
            lines = {(names.get(one, one), names.get(other, other)): line for (one, other), line in lines.items()}
        table = table_of(graph)
    except InputError as error:
        raise error.in_file(str(path)) from None
    except (nx.NetworkXError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"is no graph that NetworkX can read: {one_line(str(error))[:100]}"
        raise InputError(str(path), "", problem, "expected GraphML with typed keys") from None
    for warning in told:
        draft.leave(path.name, one_line(str(warning.message)), "as NetworkX read it")
    hosts = table["hosts"]
    links = [_link(path, link, lines) for link in table["links"]]
    place = Place(path.name, lines.get(("graph", ""), 1))
    numbers = dict(enumerate(zip(hosts, strict=True)))
    draft.network = network = Network(
        place, hosts, table["switches"], links, numbers, f"hosts are 0 to {len(hosts) - 1}, in the order of the file"
    )
    if "failed_links" in table:
        network.keys.append(Key("failed_links", table["failed_links"], path.name))
    draft.found.append(Found(str(path), NAME, counts(len(hosts), len(network.switches), len(links))))
    draft.settle_unless_told(graph_settings.settle)


def _link(path: Path, link: dict[str, object], lines: dict[tuple[str, str], int]) -> Link:
    one, other = map(str, link["between"])  # type: ignore[call-overload]
    line = lines.get((one, other)) or lines.get((other, one), 0)
    return Link(
        one,
        other,
        str(link["rate"]),
        str(link["delay"]),
        str(link.get("error_rate", "")),
        Place(path.name, line),
        str(link.get("rate_back", "")),
    )


def _lines(path: Path) -> dict[tuple[str, str], int]:
    """Returns the line of each edge by the names of its ends, and of the graph. Raises InputError for no plain XML."""
    found: dict[tuple[str, str], int] = {}

    def begin(line: int, name: str, attributes: dict[str, str]) -> None:
        if name == "edge":
            found.setdefault((attributes.get("source", ""), attributes.get("target", "")), line)
        elif name == "graph":
            found.setdefault(("graph", ""), line)

    each_element(path, NAME, begin)
    return found
