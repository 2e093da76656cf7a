"""`xoff import`: a switch's tables as a part of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli import completion
from xoff.cli.options import FILE, as_list, refuse
from xoff.cli.terminal import say

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@click.argument(
    "files",
    type=FILE,
    nargs=-1,
    help="SONiC's config_db.json and pg_profile_lookup.ini of one switch.",
    callback=as_list,
)
@click.option(
    "--port", metavar="NAME", help="Whose rows are taken, as Ethernet4; left out, the port with most headroom."
)
@click.option(
    "--chip",
    shell_complete=completion.chips,
    help="A name of `xoff list chips`: of several MMUs each has a part of the pools.",
)
@click.option(
    "--ports",
    type=click.IntRange(min=1),
    help="How many the scenario's switches have; left out, as many as the tables, or an MMU.",
)
@click.option("--uplink", metavar="NAME", help="A port with a link of another rate, if some are like that.")
@click.option(
    "--uplinks", type=click.IntRange(min=1), help="How many of the ports are like --uplink; left out, as in the tables."
)
def import_(
    files: list[Path] | None,
    port: str | None,
    chip: str | None,
    ports: int | None,
    uplink: str | None,
    uplinks: int | None,
) -> None:
    """Print a switch's buffer, ECN and PFC tables as the part of a scenario that is about its switches.

    That is `[[class]]`, `[[switch]]` and `[pfc]`, for switches whose ports are all like one of the tables, or some of
    them like another whose link has another rate (--uplink). What a scenario has not, or not so, is told in comments.
    Topology, transport and traffic are yours (`xoff init roce`).
    """
    if not uplink:
        refuse({"--uplinks": uplinks}, "is of ports like another one", "expected --uplink NAME, too")
    from xoff.switches.lint import Severity
    from xoff.switches.switch_tables import SwitchTables

    tables = SwitchTables.load(*files or (), chip=chip)
    click.echo(tables.part_of_scenario(port, ports, uplink, uplinks).text, nl=False)
    errors = sum(finding.severity is Severity.ERROR for finding in tables.lint())
    if errors:
        named = " ".join([*map(str, files or ()), *(["--chip", chip] if chip else [])])
        say(f"warning: {errors} error{'s' * (errors != 1)} in these tables; see `xoff lint {named}`", err=True)
