"""`xoff export`: results as others' files; plans and scenarios' switches as configuration, or put onto tables."""

from __future__ import annotations

import gzip
import sys
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from xoff.cli import completion, options
from xoff.cli.files import check_free
from xoff.cli.named_ports import named_ports
from xoff.cli.onto import put_onto, show_onto
from xoff.cli.options import FILE, OneOf, refuse, repeated
from xoff.cli.results import opened
from xoff.cli.terminal import is_terminal, say
from xoff.cli.times import between, nanoseconds
from xoff.errors import InputError, OutputError, one_line
from xoff.formats.part import Part
from xoff.formats.result_format import ResultFormat
from xoff.results.whole_file import written_whole
from xoff.scenario.scenario import Scenario
from xoff.switches.export import Format
from xoff.text import toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.results.result import Result
    from xoff.switches.export.export import Export

_DSCPS = range(64)
_ONLY_SONIC = "expected sonic, or no --format: SONiC's tables are all that xoff reads"


@click.command
@click.argument(
    "file", type=FILE, metavar="FILE", help="A plan (TOML), as for `xoff plan`, a scenario, or a result folder."
)
@click.option(
    "--format",
    "target",
    type=OneOf(Format, ResultFormat),
    help="SONiC, Arista EOS, Cisco NX-OS, NVIDIA NVUE, hosts; of a result, fct.txt of HPCC's ns-3, a Perfetto "
    "trace, or packets as pcapng.",
)
@repeated(
    "--onto", type=FILE, metavar="FILE", help="SONiC's tables of a switch, which a scenario changes; may be repeated."
)
@click.option(
    "--port",
    metavar="NAME",
    help="With --onto: the port whose rows change, as for `xoff import`; of a result, only this one, or those of a "
    "pattern such as 'leaf0.*'.",
)
@repeated("--flow", metavar="FLOW", help="Of a result, only host0.flow3, or all of host0; may be repeated.")
@click.option("--from", "start", metavar="TIME", help="Of a result, from when: 1.5ms; left out, the begin.")
@click.option("--to", "end", metavar="TIME", help="Of a result, until when; left out, the end of the run.")
@click.option(
    "--chip",
    shell_complete=completion.chips,
    metavar="NAME",
    help="Of a scenario's switch: a name of `xoff list chips`.",
)
@click.option("--switch", metavar="NAME", help="Which one of a scenario's switches, where they differ.")
@repeated("--dscp", metavar="CLASS=DSCP", help="What packets of a scenario's class carry; may be repeated.")
@options.changes_of_plan
@click.option(
    "--out", type=FILE, metavar="FILE", help="Write it there, with --onto into this folder; left out, print it."
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option(
    "--json",
    "data_only",
    is_flag=True,
    help="With --onto: print a JSON patch, as SONiC's `config apply-patch` takes it.",
)
def export(
    file: Path,
    target: Format | ResultFormat | None,
    onto: list[Path] | None,
    port: str | None,
    flow: list[str] | None,
    start: str | None,
    end: str | None,
    chip: str | None,
    switch: str | None,
    dscp: list[str] | None,
    changes: list[str] | None,
    out: Path | None,
    force: bool,
    data_only: bool,
) -> None:
    """Write the settings of a plan, or of a scenario's switch, as configuration; or a result as another tool reads it.

    What a format cannot express is told in words: in comments, or on standard error if it has none. Checks of the plan
    that fail are named there, and nothing is held back for them; only a plan that leaves lossless classes nothing to
    share is no configuration, and refused. SONiC's tables are linted (`xoff lint`), and what is found is told there,
    too; the status is 1 if something is an error.

    Of a scenario, ports, classes, thresholds, alphas, headroom, pools and shares of the link are those of one switch
    (--switch), and hosts are set to its congestion control.

    With --onto, thresholds, alphas, headroom, pools, weights, watchdog and trimming of a scenario's switch go where
    `xoff import` has found them. What changes is printed as a diff. The rows of one port change, and those of others as
    far as they say the same; without --port it is one whose link, by rate and cable, the scenario has. What the tables
    cannot say is told, and the status is 1.

    Of a result folder, fct is a line for each finished flow as HPCC's ns-3 writes fct.txt: addresses, ports, bytes,
    start, completion time and ideal completion time, in nanoseconds. Flows of incasts have destination port 200, all
    others 100. perfetto is a trace for ui.perfetto.dev: a slice for each flow, pause and collective, counters for
    queues and whatever else [observe] recorded, and arrows from flows of jobs and collectives to those that waited.
    pcapng has the packets that observe.packets recorded, with headers, and pause frames, for Wireshark and tshark: of
    each flow what its source sends and receives, or with --port what ports do. --from, --to, --port and --flow bound
    both, and an --out that ends in .gz is compressed. What was not recorded is told, with the key that records it.
    """
    if file.is_dir() or isinstance(target, ResultFormat):
        of_others = {"--onto": onto, "--switch": switch, "--chip": chip, "--dscp": dscp}
        refuse({**of_others, "--set": changes, "--json": data_only}, "is about a switch", "expected none with a result")
        _write_result(file, target, (start, end, port, flow or []), out, force=force)
        return
    refuse({"--from": start, "--to": end, "--flow": flow}, "is about a result", "expected a result folder")
    if onto:
        if target not in (None, Format.SONIC):
            raise InputError(None, f"--format {target}", "is not read, and nothing can be put onto it", _ONLY_SONIC)
        refuse({"--dscp": dscp}, "is about new tables", "expected --format sonic instead of --onto")
        found = put_onto(Path(file), tuple(changes or ()), onto, switch=switch, port=port, chip=chip)
        if not show_onto(found, out, force=force, as_patch=data_only):
            raise click.exceptions.Exit(1)
        return
    refuse({"--port": port, "--json": data_only}, "is about tables of a switch", "expected --onto FILE, too")
    if target is None:
        expected = f"expected --format with one of {', '.join(Format)}, or --onto FILE for a scenario"
        raise InputError(None, "--format", "nothing says what is to be written", expected)
    if out is not None:
        check_free(out, "--out", force=force)
    if _is_scenario(file):
        scenario = Scenario.load(file, tuple(changes or ()))
        written = scenario.export(target, switch=switch, chip=chip, dscps=_dscps(dscp or []))
    else:
        of_scenarios = {"--switch": switch, "--chip": chip, "--dscp": dscp}
        refuse(of_scenarios, "is about a scenario", "expected a scenario; a plan has that in its keys")
        written, chip = _of_plan(file, target, changes or [])
    _write(target, written, out, chip)


def _write_result(
    folder: Path,
    target: Format | ResultFormat | None,
    bounds: tuple[str | None, str | None, str | None, list[str]],
    out: Path | None,
    *,
    force: bool,
) -> None:
    """Writes a result in a format of other tools."""
    if not isinstance(target, ResultFormat):
        given, expected = f"--format {target}" if target else "--format", f"expected one of {', '.join(ResultFormat)}"
        raise InputError(None, given, f"is no format of a result, and {folder} is a folder", expected)
    if out is not None:
        check_free(out, "--out", force=force)
    elif not target.is_text and is_terminal(sys.stdout):
        raise InputError(None, f"--format {target}", "is nothing for a terminal", "expected --out FILE, or a pipe")
    result = opened(folder, for_records=True)
    part = _part(result, *bounds, folder)
    pieces = target.pieces(result, part)
    if out is None:
        for piece in pieces:
            click.echo(piece, nl=False)
    else:
        with _written(out) as beside, _opened(beside, out) as to:
            to.writelines(pieces)
    for note in target.notes(result, part):
        say(f"note: {note}", err=True)


@contextmanager
def _opened(beside: Path, out: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Opens a file to be written, compressed if the name that it gets ends in .gz."""
    with beside.open("wb") as file:
        if out.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
                yield compressed
        else:
            yield file


def _part(result: Result, start: str | None, end: str | None, port: str | None, flows: list[str], folder: Path) -> Part:
    """Returns what is written of a result. Raises InputError."""
    start_ns, end_ns = (
        None if text is None else nanoseconds(text, option) for text, option in ((start, "--from"), (end, "--to"))
    )
    begins, ends = between(result, start_ns, end_ns) or (0, inf)
    ports = (
        None if port is None else frozenset(each.name for each in named_ports(result.topology, port, folder, "--port"))
    )
    return Part(begins, ends, ports, tuple(flows))


@contextmanager
def _written(out: Path) -> Iterator[Path]:
    """Yields a path whose file gets the name that --out says. Raises OutputError."""
    try:
        with written_whole(out) as beside:
            yield beside
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"{out}: --out: cannot write here: {reason}; choose another file with --out"
        raise OutputError(message) from None


def _of_plan(plan: Path, target: Format, changes: list[str]) -> tuple[Export, str | None]:
    """The configuration of a plan, and its chip."""
    from xoff.switches.plan.outcome import compute

    found = compute(plan, changes)
    written = target.write_plan(found, str(plan))
    if found.failed:
        failed = ", ".join(f"{row.key} ({row.quantity}, {row.shown})" for row in found.failed)
        say(f"warning: {plan} fails, and is written all the same: {failed}; see `xoff plan {plan}`", err=True)
    return written, found.settings.chip


def _is_scenario(file: Path) -> bool:
    """Every scenario has a topology, and no plan has; what cannot be read is for others to refuse."""
    try:
        return "topology" in toml_text.parse(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False


def _dscps(options: list[str]) -> dict[int, int]:
    found = {}
    for option in options:
        one, equals, dscp = option.partition("=")
        if not (equals and one.isdecimal() and dscp.isdecimal() and int(dscp) in _DSCPS):
            problem, expected = "is no class with its DSCP", "expected CLASS=DSCP, such as 3=26; DSCPs are 0 to 63"
            raise InputError(None, f"--dscp {option}", problem, expected)
        found[int(one)] = int(dscp)
    return found


def _write(target: Format, written: Export, out: Path | None, chip: str | None) -> None:
    if written.comment is None:
        for note in written.notes:
            say(f"note: {one_line(note)}", err=True)
    text = written.annotated
    if out is None:
        click.echo(text, nl=False)
    else:
        with _written(out) as beside:
            beside.write_text(text, encoding="utf-8")
    if target is Format.SONIC and _lint(written, chip):
        raise click.exceptions.Exit(1)


def _lint(found: Export, chip: str | None) -> bool:
    """Tells what is wrong with tables; whether some of it is an error."""
    from xoff.scenario import catalogue
    from xoff.switches.lint import Severity, Tables, lint

    entry = next((entry for entry in catalogue.chips() if entry["name"] == chip), None)
    findings = lint([Tables.parse("config_db.json", found.text, entry)])
    for finding in findings:
        say(f"{finding.severity}: {finding.place.key}: {finding.physics} [{finding.check}]", err=True)
    return any(finding.severity is Severity.ERROR for finding in findings)
