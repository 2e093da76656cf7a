"""Options that several commands have, and every kind of `--set`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xoff.cli import completion
from xoff.errors import InputError
from xoff.plot.figure_format import FigureFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum


FILE = click.Path(path_type=Path)
"""A path, of which nothing is asked yet."""


class OneOf(click.Choice[str]):
    """The values of an enumeration, or of several, as words."""

    def __init__(self, *kinds: type[StrEnum]) -> None:
        self.members: dict[str, StrEnum] = {str(member): member for kind in kinds for member in kind}
        super().__init__([*self.members])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> StrEnum:  # noqa: ANN401
        """Returns the member that a word names."""
        return self.members[super().convert(str(value), param, ctx)]


def as_list(_context: click.Context, _parameter: click.Parameter, values: tuple[Any, ...]) -> list[Any] | None:
    """Returns the values of what may be repeated, or None if there are none: it was left out."""
    return [*values] or None


def repeated(*names: str, **settings: Any) -> Callable[[Any], Any]:  # noqa: ANN401 as Click takes them
    """Declares an option that may be repeated; the command gets a list, or None where it is left out."""
    return click.option(*names, multiple=True, callback=as_list, **settings)


def _changes(one: str, completed: Callable[..., Any] = completion.keys_of_scenario) -> Callable[[Any], Any]:
    told = f"Change one {one}; may be repeated."
    return repeated("--set", "changes", metavar="KEY=VALUE", help=told, shell_complete=completed)


changes_of_all = _changes("key of all; KEY= leaves it out")
changes_of_plan = _changes("key; KEY= leaves it out", completion.keys_of_plan)
changes_of_scenario = _changes(
    "key: workload.load=0.5 of all workloads, workload[1].load=0.5 of the second; KEY= leaves it out"
)
changes_of_model = _changes("parameter, such as flows=8", completion.parameters_of_model)
measures = repeated(
    "--measure",
    "measures",
    metavar="KEY",
    help="A number of summary.json, instead of the usual ones; may be repeated.",
    shell_complete=completion.measures,
)
at_most = repeated(
    "--at-most",
    metavar="KEY=LIMIT",
    help="What a number of summary.json must not exceed; may be repeated.",
    shell_complete=completion.bounds,
)
at_least = repeated(
    "--at-least",
    metavar="KEY=LIMIT",
    help="What it must not fall below; may be repeated.",
    shell_complete=completion.bounds,
)
sweeps = repeated(
    "--sweep",
    "sweeps",
    metavar="KEY=A,B,C",
    shell_complete=completion.keys_of_scenario,
    help="Try each value, or those from START to END, KEY=START:END:STEP; repeated, every combination.",
)
workers = click.option("--workers", type=click.IntRange(min=1), help="Runs at a time; left out, one per core.")
on = click.option(
    "--on",
    metavar="MACHINES",
    shell_complete=completion.machines,
    help="Where runs are done: local:8, slurm, slurm:partition=short,time=30, dask:tcp://host:8786; left out, here.",
)
out = click.option(
    "--out", type=FILE, metavar="DIR", help="The folder for numbers and plot; left out, a new numbered one in results/."
)
watch = click.option(
    "--watch", is_flag=True, help="Show what was found as it comes: a table that grows, or in a log a line for each."
)
dataset = click.option(
    "--dataset",
    type=FILE,
    metavar="DIR",
    help="A folder of Parquet files to add each run to, with its flows; the same with other values extends it.",
)
force = click.option("--force", is_flag=True, help="Replace the folder that --out names.")
force_result = click.option("--force", is_flag=True, help="Replace the result folder that --out names.")
force_plot = click.option("--force", is_flag=True, help="Replace the file that --plot names.")
figures = click.option(
    "--figures", type=OneOf(FigureFormat), default=str(FigureFormat.SVG), help="Format of the figures in the folder."
)
of_workloads = repeated(
    "--workload",
    "workloads",
    metavar="N",
    help="Of slowdown_by_size: the position of a workload in the scenario, or a kind such as incast; may be "
    "repeated. Left out, all.",
)
data_only = click.option("--json", "as_json", is_flag=True, help="Print data only.")


def chosen_workloads(workloads: list[str] | None) -> list[int | str] | None:
    """Positions and kinds."""
    return [int(each) if each.isdecimal() else each for each in workloads] if workloads else None


def where(workers: int | None, machines: str | None) -> int | str:
    """Returns where runs are done, by `--workers` and `--on`. Raises InputError if both say it."""
    from xoff.runs import cores
    from xoff.runs.machines.opening import as_number

    if machines and workers:
        raise InputError(None, "--workers", "stands beside --on", f"expected one of them, such as --on local:{workers}")
    return as_number(machines) if machines else workers or cores.usable()


def refuse(options: Mapping[str, object], problem: str, expected: str, file: str | None = None) -> None:
    """Raises InputError for the first of some options, by their names, that is given."""
    for option, given in options.items():
        if given:
            raise InputError(file, option, problem, expected)
