"""`xoff import`: other tools' files as a scenario, or a switch's tables as a part of one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xoff.cli import completion
from xoff.cli.options import FILE, as_list, refuse
from xoff.cli.terminal import say
from xoff.errors import InputError, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDER = Path("imported")
_OF_TABLES = (".json", ".ini")


@click.command
@click.argument(
    "files",
    type=FILE,
    nargs=-1,
    help="Topology, flows and settings of another simulator, or SONiC's config_db.json and pg_profile_lookup.ini.",
    callback=as_list,
)
@click.option(
    "--out", type=FILE, metavar="DIR", help="Of a simulator's files: the folder for the scenario; left out, imported."
)
@click.option("--force", is_flag=True, help="Of a simulator's files: replace those that are there.")
@click.option(
    "--port", metavar="NAME", help="Of tables: whose rows are taken, as Ethernet4; left out, that with most headroom."
)
@click.option(
    "--chip",
    shell_complete=completion.chips,
    help="Of tables: a name of `xoff list chips`; of several MMUs each has a part of the pools.",
)
@click.option(
    "--ports",
    type=click.IntRange(min=1),
    help="Of tables: how many the scenario's switches have; left out, as many as the tables, or an MMU.",
)
@click.option("--uplink", metavar="NAME", help="Of tables: a port with a link of another rate, if some are like that.")
@click.option(
    "--uplinks", type=click.IntRange(min=1), help="How many of the ports are like --uplink; left out, as in the tables."
)
def import_(
    files: list[Path] | None,
    out: Path | None,
    force: bool,
    port: str | None,
    chip: str | None,
    ports: int | None,
    uplink: str | None,
    uplinks: int | None,
) -> None:
    """Write the files of another simulator as a scenario, or print a switch's tables as the part about its switches.

    Files are recognised by their content. Of HPCC's ns-3 and its descendants that are topology.txt, flow.txt and
    config.txt; of htsim and uet-htsim .topo and .cm; and GraphML. The scenario and the CSV of its flows go into a
    folder. Each value names the line that it comes from, and what the scenario does not have is told.

    Of tables the part is `[[class]]`, `[[switch]]` and `[pfc]`, with all ports like one of the tables. Some may be like
    another whose link has another rate (--uplink). What a scenario has not, or not so, is told in comments. Topology,
    transport and traffic are yours (`xoff init roce`).
    """
    of_tables = {"--port": port, "--chip": chip, "--ports": ports, "--uplink": uplink, "--uplinks": uplinks}
    of_simulators = {"--out": out, "--force": force}
    if files and not _are_tables(files):
        refuse(of_tables, "is about a switch's tables", "expected it with config_db.json alone")
        _save(files, out or _FOLDER, force=force)
        return
    refuse(of_simulators, "is about files of other simulators", "expected none: what tables come to is printed")
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


def _are_tables(files: Sequence[Path]) -> bool:
    """Whether all files are a switch's tables: JSON or .ini, and of no other format."""
    return all(map(_may_be_table, files))


def _may_be_table(path: Path) -> bool:
    from xoff.formats.lines import head
    from xoff.formats.reading import format_of

    if path.is_file() and format_of(path) is not None:
        return False
    return path.suffix in _OF_TABLES or "".join(head(path)[:9]).lstrip().startswith("{")


def _save(files: Sequence[Path], folder: Path, *, force: bool) -> None:
    """Writes a scenario into a folder, and says what was found, what is left out and what to do next."""
    from xoff import formats

    tables = next(filter(_may_be_table, files), None)
    if tables is not None:
        expected = "expected tables alone; `xoff import` of each prints their part of a scenario"
        raise InputError(str(tables), "", "is a switch's tables beside files of another kind", expected)
    imported = formats.read(files)
    written = imported.save(folder, force=force)
    for found in imported.found:
        say(str(found))
    for left in imported.left_out:
        say(f"left out: {left}")
    scenario, *others = written
    named = " and ".join(map(str, (scenario, *others)))
    try:
        imported.check()
    except ScenarioError as error:
        say(f"{named} written, and cannot run as it is:")
        say(str(error.in_file(str(scenario))), err=True)
        raise click.exceptions.Exit(1) from None
    say(f"{named} written; run it: xoff run {shlex.quote(str(scenario))}")
