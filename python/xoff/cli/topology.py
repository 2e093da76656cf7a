"""`xoff topology`: the ports of a scenario's network, and where each leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli import named_ports, options
from xoff.cli.files import DRAWABLE, check_drawable, draw
from xoff.cli.options import FILE
from xoff.cli.rows import print_rows
from xoff.scenario.scenario import Scenario
from xoff.text import json_text
from xoff.text.units import RATES, TIMES, quantity

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.scenario.topology import Port, Topology


@click.command
@click.argument("scenario", type=FILE, metavar="SCENARIO", help="The scenario file (TOML).")
@named_ports.ports_pattern
@options.changes_of_scenario
@click.option("--plot", type=FILE, metavar="FILE", help=f"Draw the network ({DRAWABLE}).")
@options.force_plot
@options.data_only
def topology(
    scenario: Path, pattern: str | None, changes: list[str] | None, plot: Path | None, force: bool, as_json: bool
) -> None:
    """Print the ports of a scenario's network, where each leads, and its link.

    Links are as they are when the run begins, before any link event.
    """
    if plot is not None:
        check_drawable(plot, force=force)
    network = Scenario.load(scenario, tuple(changes or ())).topology
    ports = named_ports.named_ports(network, pattern, scenario)
    if plot is not None:
        from xoff.plot import topology as drawing

        draw(plot, drawing.size_inches(network), lambda ax: drawing.draw(network, ax))
    if as_json:
        click.echo(json_text.document([port._asdict() for port in ports]))
    else:
        _print(network, ports)


def _print(network: Topology, ports: list[Port]) -> None:
    """Ports of switches first: those of hosts are at their other ends."""
    faults = ["link"] if any(port.faults for port in ports) else []
    back = ["rate back"] if any(network.rate_back_bps(port) != port.rate_bps for port in ports) else []
    hosts = {*network.hosts, *network.inside}
    rows = (
        [
            port.name,
            port.peer,
            quantity(port.rate_bps, tuple(RATES)),
            *(quantity(network.rate_back_bps(port), tuple(RATES)) for _ in back),
            quantity(1000 * port.delay_ns, tuple(TIMES)),
            *(port.faults for _ in faults),
        ]
        for port in sorted(ports, key=lambda port: port.node in hosts)
    )
    print_rows(
        str(network),
        ["port", "leads to", "rate", *back, "delay", *faults],
        rows,
        of=len(ports),
        words={"port", "leads to", "link"},
        rest=f"more; name some, such as {ports[-1].node}, or ask for all with --json",
    )
