"""The subcommands of `xoff`, grouped by purpose; each is imported when it is called, so that others start at once."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


COMPLETE = "_XOFF_COMPLETE"
"""Environment variable by which a shell asks for completions."""


class Subcommand(NamedTuple):
    """A command of `xoff`: the first line of its help, and the function below `xoff.cli` that does its work."""

    about: str
    function: str = ""
    """`MODULE.NAME`; left out, `COMMAND.COMMAND`."""


GROUPS: Mapping[str, Mapping[str, Subcommand]] = {
    "Start": {
        "init": Subcommand("Write a commented scenario, or a plan of a switch, to start from."),
        "import": Subcommand("Take another simulator's files, or a switch's tables.", "importing.import_"),
        "check": Subcommand("Validate scenarios, and say how much each is to simulate."),
        "topology": Subcommand("Print the ports of a scenario's network and their links."),
        "list": Subcommand("List algorithms, chips, flow-size distributions or starters.", "listing.listing"),
        "explain": Subcommand("Explain an algorithm, a key, a value, a measure or a word."),
        "completion": Subcommand("Print a shell's script for completing commands, files and keys."),
    },
    "Simulate": {
        "run": Subcommand("Run a scenario, and keep its result in a folder."),
        "compare": Subcommand("Run the same traffic through several scenarios."),
        "sweep": Subcommand("Run a scenario for all combinations of values of its keys."),
        "tune": Subcommand("Search the values of keys with which a measure is best."),
        "reproduce": Subcommand("Run published figures again, and judge every claim."),
        "fluid": Subcommand("Integrate a fluid model of a congestion control."),
    },
    "Understand a result": {
        "report": Subcommand("Write a result's report: pictures and numbers as a page."),
        "plot": Subcommand("Draw completion times, slowdowns, queues or rates."),
        "csv": Subcommand("Print flows, ports, series, drops or pauses as CSV.", "csv_rows.csv_rows"),
        "why": Subcommand("Print where a flow's time went: queues, pauses, timeouts."),
        "ports": Subcommand("Print what every port sent, marked and dropped."),
        "drops": Subcommand("Print where packets were dropped, why, and whose."),
        "pauses": Subcommand("Print whose pauses a victim waited for, and their roots."),
    },
    "Configure switches": {
        "plan": Subcommand("Compute thresholds and headroom for a chip and a fabric."),
        "export": Subcommand("Write a plan, or a scenario's switch, as configuration."),
        "lint": Subcommand("Hold a switch's buffer, ECN and PFC tables against physics."),
    },
}
"""Commands by what one wants of them, in the order of the help."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


class Commands(click.Group):
    """The group of all subcommands, which imports the module of one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of the help."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns a subcommand, imported now; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self.commands:
            module, _, function = (COMMANDS[cmd_name].function or f"{cmd_name}.{cmd_name}").partition(".")
            self.commands[cmd_name] = getattr(import_module(f"xoff.cli.{module}"), function)
        return self.commands[cmd_name]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the subcommand that the arguments begin with; an unknown one is answered with a near name."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS)
            meant = f"did you mean {' or '.join(near)}?" if near else "see `xoff --help`"
            raise InputError(None, args[0], "there is no such command", meant)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the subcommands by group, from the table alone."""
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, command.about) for name, command in group.items()])
