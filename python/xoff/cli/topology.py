"""`xoff topology`: the ports of a scenario's network, and where each leads."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff import json_text, patterns
from xoff.cli.files import DRAWABLE, check_drawable, draw
from xoff.cli.options import ChangesOfScenario, DataOnly, ForcePlot
from xoff.cli.terminal import Console, say
from xoff.errors import InputError
from xoff.scenario import Scenario
from xoff.units import RATES, TIMES, quantity

if TYPE_CHECKING:
    from xoff.topology import Port, Topology

_MOST_ROWS = 40


def topology(
    scenario: Annotated[Path, typer.Argument(help="The scenario file (TOML).", metavar="SCENARIO")],
    pattern: Annotated[
        str | None, typer.Argument(help="Only these, such as leaf0.port3, leaf0 or 'leaf*'.", metavar="PORTS")
    ] = None,
    changes: ChangesOfScenario = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help=f"Draw the network ({DRAWABLE}).")] = None,
    force: ForcePlot = False,
    as_json: DataOnly = False,
) -> None:
    """Print the ports of a scenario's network, where each leads, and its link.

    Links are as they are when the run begins, before any link event.
    """
    if plot is not None:
        check_drawable(plot, force=force)
    network = Scenario.load(scenario, tuple(changes or ())).topology
    ports = [port for port in network.ports if pattern is None or _is_meant(port, pattern)]
    if not ports:
        raise InputError(str(scenario), "PORTS", f'nothing matches "{pattern}"', _expected(network, pattern or ""))
    if plot is not None:
        from xoff.plot import topology as drawing

        draw(plot, drawing.size_inches(network), lambda ax: drawing.draw(network, ax))
    if as_json:
        typer.echo(json_text.document([port._asdict() for port in ports]))
    else:
        _print(network, ports)


def _is_meant(port: Port, pattern: str) -> bool:
    """Whether a pattern, in which `*` and `?` mean what they mean in scenarios, is that of the port or of its node."""
    return any(patterns.matches(pattern, name) for name in (port.name, port.node))


def _expected(network: Topology, pattern: str) -> str:
    near = get_close_matches(pattern.partition(".")[0], [*network.switches, *network.hosts], n=1)
    node = near[0] if near else network.switches[0]
    port = [port for port in network.ports if port.node == node][-1]
    return f"expected a port such as {port.name}, which leads to {port.peer_node}, or all of a node: {node}"


def _print(network: Topology, ports: list[Port]) -> None:
    """Ports of switches first: those of hosts are at their other ends."""
    from rich.table import Table

    table = Table(title=str(network), title_justify="left", title_style="bold")
    for heading in ("port", "leads to", "rate", "delay"):
        table.add_column(heading, justify="left" if heading in {"port", "leads to"} else "right", no_wrap=True)
    has_faults = any(port.faults for port in ports)
    if has_faults:
        table.add_column("link", no_wrap=True)
    hosts = set(network.hosts)
    for port in sorted(ports, key=lambda port: port.node in hosts)[:_MOST_ROWS]:
        rate, delay = quantity(port.rate_bps, tuple(RATES)), quantity(1000 * port.delay_ns, tuple(TIMES))
        table.add_row(port.name, port.peer, rate, delay, *([port.faults] if has_faults else []))
    Console(120).print(table)
    if len(ports) > _MOST_ROWS:
        say(f"and {len(ports) - _MOST_ROWS:,} more; name some, such as {ports[-1].node}, or ask for all with --json")
