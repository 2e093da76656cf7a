"""`xoff plan`: thresholds and headroom of a chip and a fabric, each with its formula and its check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.console import Console
from xoff.cli.options import FILE
from xoff.cli.terminal import say
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from xoff.results.result import Result
    from xoff.scenario.scenario import Scenario
    from xoff.switches.plan.outcome import Outcome
    from xoff.switches.plan.rows import Row
    from xoff.switches.plan.simulate import Case, Trial

_SETTLING = "settling"
"""The folder, and the key of `--json`."""


@click.command
@click.argument("file", type=FILE, metavar="PLAN", help="The plan file (TOML); `xoff init plan` writes one.")
@options.changes_of_plan
@click.option(
    "--simulate", is_flag=True, help="Run the planned switch: all of its ports congested at once, and one that settles."
)
@click.option(
    "--out", type=FILE, metavar="DIR", help="The result folder of --simulate; left out, a new numbered one in results/."
)
@options.on
@options.force_result
@options.data_only
def plan(
    file: Path,
    changes: list[str] | None,
    simulate: bool,
    out: Path | None,
    on: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Compute thresholds and headroom for a chip and a fabric.

    Every row has its formula with the numbers in it, its source, and the verdict of its check. --simulate tells
    whether ECN, or QCN, came before PFC and whether packets were lost. It also tells how busy one port is where hosts
    answer congestion. Of several MMUs it simulates the one with least left, and others whose headroom may be too small.

    Exit status: 0 if no check fails. 1 if a check fails, or if --simulate loses packets of lossless classes or pauses
    a class (PFC) before it marks it (ECN). 2 if a plan cannot be read, or cannot be simulated though no check fails.
    Values that a paper prints fail nothing, whether they follow or not.
    """
    from xoff.errors import PlanError
    from xoff.switches.plan.outcome import compute  # brings pydantic, which other commands do not need

    if not simulate:
        options.refuse(
            {"--out": out, "--on": on, "--force": force}, "is for what is simulated", "expected --simulate, too"
        )
    found = compute(file, changes or ())
    data = _data(found)
    failures: list[str] = []
    if not as_json:
        _print(found)
    if simulate:
        try:
            data["simulation"], failures = _simulated(found, file, out, on, force=force, told=not as_json)
        except PlanError as refused:
            if not found.failed:
                raise
            data["simulation"] = {"refused": str(refused)}
            if not as_json:
                say(f"Not simulated: {refused}")
    if as_json:
        click.echo(json_text.document(data))
    if found.failed or failures:
        raise click.exceptions.Exit(1)


def _ran(scenarios: list[Scenario], on: str | None) -> Iterator[tuple[Result, bool]]:
    """Yields the result of each scenario, and whether Ctrl-C cut it short."""
    if on is None:
        from xoff.cli.run import simulate

        yield from (simulate(one, 1) for one in scenarios)
        return
    from xoff.cli.many import RUNS, run_missing
    from xoff.results.result import Result
    from xoff.runs.store import KeptRuns

    kept = KeptRuns(RUNS)
    ending = run_missing("plan", scenarios, kept, on)
    if ending.interrupted:
        raise KeyboardInterrupt
    if ending.failed:
        raise ending.failed
    yield from ((Result.open(kept.place(one)), False) for one in scenarios)


def _simulated(
    found: Outcome, file: Path, out: Path | None, on: str | None, *, force: bool, told: bool
) -> tuple[dict[str, object], list[str]]:
    """Tries the plan: the numbers of its worst case, MMU by MMU, and of how it settles, and what fails."""
    from xoff.results import folder
    from xoff.switches.plan.simulate import not_simulated, other_mmus, scenario, settling, worst_case

    worst, settles = worst_case(found), settling(found)
    cases: list[tuple[str, Case]] = [(".", worst), *other_mmus(found).items()]
    if settles:
        cases.append((_SETTLING, settles))
    chosen = [scenario(case, str(file)) for _, case in cases]
    results = []
    with folder.prepare(out, file.stem, force=force) as staging:
        for (inside, _), (result, interrupted) in zip(cases, _ran(chosen, on), strict=False):
            results.append(result)
            folder.add(result, staging, inside)
            if interrupted:
                break
        path = staging.commit()
    if interrupted:
        say(f"interrupted: the scenario and what had finished are kept in {path}", err=True)
        raise click.exceptions.Exit(130)
    data: dict[str, object] = {}
    failures: list[str] = []
    for (inside, case), result in zip(cases, results, strict=True):
        trial = case.trial(result)
        failures += trial.failures
        numbers = trial.as_data() | {"case": case.described, "results": str(path / inside)}
        data |= numbers if case is worst else {inside: numbers}
        if told:
            _tell(case, trial, path / inside, promises_report=case is settles)
    for left_out in not_simulated(found) if told else ():
        say(f"Not simulated: {left_out}")
    return data | {"failures": failures}, failures


def _tell(case: Case, trial: Trial, path: Path, *, promises_report: bool) -> None:
    from xoff.cli.table import told_of_report

    for line in (case.described, *trial.sentences):
        say(f"Simulated: {line}")
    for line in trial.failures:
        say(f"Fails: {line}")
    say(f"Results: {path}")
    if promises_report:
        say(f"Report:  {told_of_report(path)}")


def _data(found: Outcome) -> dict[str, object]:
    from dataclasses import asdict

    sections = {name: [row.as_dict() for row in rows] for name, rows in found.sections.items()}
    return {"title": found.plan.title, "rows": sections, "settings": asdict(found.settings)}


def _print(found: Outcome) -> None:
    from rich.table import Table

    console = Console(160)
    for name, rows in found.sections.items():
        table = Table(title=f"{found.plan.title}: {name}", title_justify="left", title_style="bold")
        table.add_column("quantity", min_width=24)
        table.add_column("value", justify="right", no_wrap=True)
        table.add_column("formula")
        table.add_column("source")
        table.add_column("verdict")
        for row in rows:
            table.add_row(row.quantity, row.shown, row.formula, row.source, row.judgement)
        console.print(table)
    for line in _summary(found):
        console.print(line, soft_wrap=True)


def _summary(found: Outcome) -> list[str]:
    from xoff.switches.plan.rows import Verdict

    printed = [row for row in found.rows if row.printed]
    lines = [f"Fails: {_told(row)}" for row in found.failed]
    if printed:
        follow = sum(row.follows is True for row in printed)
        lines.append(f"Printed numbers that follow from their formulas: {follow} of {len(printed)}")
    warned = sum(row.verdict is Verdict.WARNS for row in found.rows)
    if not found.failed:
        lines.append(f"No check fails, and {warned} warn." if warned else "Every check holds.")
    return lines


def _told(row: Row) -> str:
    return f"{row.quantity}, {row.shown}: {row.why}"
