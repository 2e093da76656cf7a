"""Ports of a network as an argument: one, those of a node, or those that a pattern names."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from xoff.cli import completion
from xoff.errors import InputError
from xoff.scenario import patterns

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.scenario.topology import Port, Topology

ports_pattern = click.argument(
    "pattern",
    required=False,
    metavar="PORTS",
    shell_complete=completion.ports,
    help="Only these, such as leaf0.port3, leaf0 or 'leaf*'.",
)


def named_ports(network: Topology, pattern: str | None, file: Path, key: str = "PORTS") -> list[Port]:
    """The ports, in the order of the network; all without a pattern. Raises InputError of `key` if there are none."""
    ports = [port for port in network.ports if pattern is None or _is_meant(port, pattern)]
    if not ports:
        raise InputError(str(file), key, f'nothing matches "{pattern}"', _expected(network, pattern or ""))
    return ports


def _is_meant(port: Port, pattern: str) -> bool:
    """Whether a pattern, in which `*` and `?` mean what they mean in scenarios, is that of the port or of its node."""
    return any(patterns.matches(pattern, name) for name in (port.name, port.node))


def _expected(network: Topology, pattern: str) -> str:
    near = get_close_matches(pattern.partition(".")[0], [*network.switches, *network.hosts], n=1)
    node = near[0] if near else network.switches[0]
    port = [port for port in network.ports if port.node == node][-1]
    return f"expected a port such as {port.name}, which leads to {port.peer_node}, or all of a node: {node}"
