"""`xoff why`: where a flow's time went."""

from __future__ import annotations

import shlex
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from xoff.cli import options
from xoff.cli.files import DRAWABLE, check_drawable, draw
from xoff.cli.options import FILE, as_list, refuse
from xoff.cli.results import opened
from xoff.cli.rows import print_rows
from xoff.cli.run import simulate
from xoff.cli.terminal import say
from xoff.errors import InputError, OutputError
from xoff.text import json_text
from xoff.text.units import counted, duration, percent, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from xoff.explain.critical_path import CriticalPath, Part
    from xoff.results.result import Result
    from xoff.scenario.scenario import Scenario

_MICROSECOND_PS = 10**6
_LEAST_SHARE = 0.01
_MOST_PORTS = 4
_MOST_NAMES = 3
_REST = "the rest, below 1 % each"


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder.")
@click.argument(
    "flows",
    nargs=-1,
    metavar="[FLOW]...",
    help="Flows (host0.flow3); left out, those with the greatest slowdown, or without end where none finished.",
    callback=as_list,
)
@click.option("--slowest", type=click.IntRange(min=1), help="How many of these; left out, one.")
@click.option(
    "--collective",
    type=click.IntRange(min=0),
    metavar="WORKLOAD",
    help="Instead, the collective of this workload (0 is the first) that took longest.",
)
@click.option(
    "--job", type=click.IntRange(min=0), metavar="WORKLOAD", help="Instead, the job of this workload (0 is the first)."
)
@click.option("--threads", type=click.IntRange(min=1), default=1, help="Threads that share the work.")
@click.option(
    "--plot", type=FILE, metavar="FILE", help=f"Draw the packets of one flow and its critical path ({DRAWABLE})."
)
@options.force_plot
@options.data_only
def why(
    folder: Path,
    flows: list[str] | None,
    slowest: int | None,
    collective: int | None,
    job: int | None,
    threads: int,
    plot: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Print where a flow's time went: in which queues, pauses, timeouts, or waiting for its rate.

    The scenario runs once more with the flow's packets recorded. From its last acknowledgement back to its start, every
    instant has one cause, so that the times add up to the completion time. A flow that had not finished is told of up
    to the end of the run, from what it waited for then. Of a collective or a job, flows wait for one another:
    those are told of which each waited for the one before.
    """
    if plot is not None:
        check_drawable(plot, force=force)
    from xoff.explain import why as why_

    result = opened(folder)
    if collective is not None:
        _check_alone(folder, "--collective", {"FLOW": flows, "--plot": plot, "--slowest": slowest, "--job": job})
        _tell_collective(result, folder, collective, threads, as_json=as_json)
        return
    if job is not None:
        _check_alone(folder, "--job", {"FLOW": flows, "--plot": plot, "--slowest": slowest})
        _tell_job(result, folder, job, threads, as_json=as_json)
        return
    if flows:
        _check_alone(folder, "FLOW", {"--slowest": slowest})
    chosen = _chosen(result, folder, flows, slowest or 1)
    if plot is not None and len(chosen) > 1:
        expected = f"expected one, such as {chosen[0]}"
        raise InputError(str(folder), "--plot", f"{len(chosen)} flows are to be drawn", expected)
    with _refused_by(folder, "FLOW"):
        paths = why_.critical_paths(result, chosen, _running(threads))
    if plot is not None:
        from xoff.plot import critical_path as drawing

        draw(plot, drawing.size_inches(paths[0]), lambda ax: drawing.draw(paths[0], ax))
    if as_json:
        click.echo(json_text.document([_data(path) for path in paths]))
        return
    if len(paths) == 1:
        _print_one(result, folder, paths[0])
    else:
        _print_several(result, paths)


def _chosen(result: Result, folder: Path, flows: list[str] | None, slowest: int) -> list[str]:
    from xoff.explain import why

    chosen = list(dict.fromkeys(why.named(result, flows) if flows else why.slowest(result, slowest)))
    chosen = chosen or why.unfinished(result)[:slowest]
    if not chosen:
        message = f"{folder}: FLOW: no flow had started in the measured time"
        raise OutputError(message)
    return chosen


def _check_alone(folder: Path, this: str, others: Mapping[str, object]) -> None:
    refuse(others, f"is there beside {this}", "expected one of them", str(folder))


def _running(threads: int) -> Callable[[Scenario], Result]:
    def run(scenario: Scenario) -> Result:
        again, interrupted = simulate(scenario, threads)
        if interrupted:
            say("interrupted: nothing was written", err=True)
            raise click.exceptions.Exit(130)
        return again

    return run


@contextmanager
def _refused_by(folder: Path, what: str) -> Iterator[None]:
    """Rejects an argument FLOW that names no finished flow, and names the argument in the error."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        message = f"{folder}: {what}: {error}"
        raise OutputError(message) from None


def _data(path: CriticalPath) -> dict[str, object]:
    return {
        "flow": path.flow,
        "start_ps": path.start_ps,
        "finish_ps": path.finish_ps,
        "parts": [part._asdict() for part in path.parts],
        "stretches": [stretch._asdict() for stretch in path.stretches],
    }


def _print_one(result: Result, folder: Path, path: CriticalPath) -> None:
    from xoff.explain.critical_path import Cause
    from xoff.explain.why import rows_of

    flow = rows_of(result, [path.flow])[path.flow]
    parts = path.parts
    say(f"{path.flow}: {_size(flow)} to {flow['destination']} by {flow['transport']} {_outcome(flow, path)}")
    headings = ("what it waited for", "where", "time", "share")
    rows = [[*_words(result, part), _told(part.time_ps), percent(part.share)] for part in _shown(parts)]
    rows += _rest(parts[len(rows) :], path.time_ps, [""])
    print_rows(
        f"Its critical path, {counted(path.round_trips, 'round trip')}",
        headings,
        rows,
        of=len(rows),
        words=set(headings[:2]),
        rest="",
    )
    _say_marks([path])
    place = next((part.place for part in parts if part.cause is Cause.QUEUEING), None)
    if place is not None:
        say(f"Whose packets were there: xoff ports {shlex.quote(str(folder))} {place} --flows")
    if any(part.cause is Cause.PAUSED for part in parts) and result.pauses is not None:
        say(f"Where its pauses began:   xoff pauses {shlex.quote(str(folder))} --victim {path.flow}")


def _size(flow: Mapping[str, Any]) -> str:
    return "a flow without end" if flow["size_bytes"] is None else size(flow["size_bytes"])


def _outcome(flow: Mapping[str, Any], path: CriticalPath) -> str:
    if flow["finish_ns"] is None:
        return f"not finished after {_told(path.time_ps)}, {size(flow['received_bytes'])} received"
    alone = duration(flow["ideal_fct_ns"] / 1000)
    return f"in {_told(path.time_ps)}, alone {alone} (slowdown {flow['slowdown']:.3g})"


def _print_several(result: Result, paths: Sequence[CriticalPath]) -> None:
    from xoff.explain.why import rows_of

    of_flows = rows_of(result, [path.flow for path in paths])
    rows = [
        [
            path.flow,
            of_flows[path.flow]["destination"],
            _size(of_flows[path.flow]),
            _told(path.time_ps),
            "not finished" if (slowdown := of_flows[path.flow].get("slowdown")) is None else f"{slowdown:.3g}",
            str(path.round_trips),
            _most_of(result, path.parts[0], path.flow.rpartition(".")[0]),
            percent(path.parts[0].share),
        ]
        for path in paths
    ]
    headings = ("flow", "to", "size", "FCT", "slowdown", "round trips", "most of it", "share")
    words = {"flow", "to", "most of it"}
    print_rows("Flows", headings, rows, of=len(paths), words=words, rest="flows more; --json has all")
    _print_together(result, paths)


def _print_together(result: Result, paths: Sequence[CriticalPath]) -> None:
    from xoff.explain.critical_path import parts

    found, together = parts(paths), _time_of(paths)
    rows = [
        [*_words(result, part), str(sum(_has(path, part) for path in paths)), _told(part.time_ps), percent(part.share)]
        for part in _shown(found)
    ]
    rows += _rest(found[len(rows) :], together, ["", ""])
    headings = ("what they waited for", "where", "flows", "time", "share")
    title = f"Critical paths of {len(paths)} flows, {_told(together)} together"
    print_rows(title, headings, rows, of=len(rows), words=set(headings[:2]), rest="")


def _shown(found: list[Part]) -> list[Part]:
    """Returns the parts that are shown in rows of their own."""
    return [part for part in found if part.share >= _LEAST_SHARE]


def _rest(parts: Sequence[Part], together: int, blank: list[str]) -> list[list[str]]:
    """The row of all others, if there are any."""
    time_ps = sum(part.time_ps for part in parts)
    return [[_REST, *blank, _told(time_ps), percent(time_ps / together)]] if time_ps else []


def _tell_collective(result: Result, folder: Path, workload: int, threads: int, *, as_json: bool) -> None:
    from xoff.explain import why

    workloads = [of_one["workload"] for of_one in result.summary.get("collectives", [])]
    if workload not in workloads:
        expected = f"expected {' or '.join(map(str, workloads))}" if workloads else "no workload is one"
        raise InputError(str(folder), "--collective", f"workload {workload} is no collective", expected)
    rows = [] if result.collectives is None else result.collectives.to_pylist()
    of_workload = [row for row in rows if row["workload"] == workload and row["measured"]]
    if not of_workload:
        complete = sorted({str(row["workload"]) for row in rows if row["measured"]})
        expected = f"expected {' or '.join(complete)}" if complete else _stuck_in(result, workload)
        raise InputError(str(folder), "--collective", f"workload {workload} has no complete collective", expected)
    row = max(of_workload, key=lambda row: row["completion_ns"])
    with _refused_by(folder, "--collective"):
        paths = why.collective_path(result, row, _running(threads))
    if as_json:
        told = {name: row[name] for name in ("workload", "group", "iteration", "completion_ns")}
        click.echo(json_text.document(told | {"flows": [_data(path) for path in paths]}))
        return
    say(
        f"Collective {row['iteration']} of group {row['group']}: {duration(row['completion_ns'] / 1000)}, "
        f"bus bandwidth {row['bus_bandwidth_gbps']:.3g} Gbps; the longest of {len(of_workload)}"
    )
    before = row["completion_ns"] - _time_of(paths) / 1000
    host = result.topology.host_of(paths[0].flow.rpartition(".")[0])
    begun = f", after {duration(before / 1000)} in which {host} had not begun"
    _print_pairs(result, paths, begun if before > 1 else "")
    _print_together(result, paths)
    _say_marks(paths)


def _tell_job(result: Result, folder: Path, workload: int, threads: int, *, as_json: bool) -> None:
    from xoff.explain import why

    with _refused_by(folder, "--job"):
        paths = why.job_path(result, workload, _running(threads))
    [completion_us] = [one["completion_us"] for one in result.summary["jobs"] if one["workload"] == workload]
    computing_us = completion_us - _time_of(paths) / _MICROSECOND_PS
    if as_json:
        told = {"workload": workload, "completion_us": completion_us, "computing_us": computing_us}
        click.echo(json_text.document(told | {"flows": [_data(path) for path in paths]}))
        return
    say(f"Job of workload {workload}: {duration(completion_us)}")
    _print_pairs(result, paths, f", and {duration(computing_us)} of computing before and between them")
    _print_together(result, paths)
    _say_marks(paths)


def _stuck_in(result: Result, workload: int) -> str:
    """Names a flow of the unfinished collective to ask about instead."""
    from xoff.explain import why

    names = why.unfinished(result, workload)
    more = ", ..." if len(names) > _MOST_NAMES else ""
    told = f"expected flows of it that had not finished, {', '.join(names[:_MOST_NAMES])}{more}"
    return told if names else "no workload has one"


def _print_pairs(result: Result, paths: Sequence[CriticalPath], besides: str) -> None:
    from xoff.explain.critical_path import parts
    from xoff.explain.why import rows_of

    flows = rows_of(result, [path.flow for path in paths])
    of_pairs: dict[tuple[str, str], list[CriticalPath]] = {}
    for path in paths:
        pair = (flows[path.flow]["source"], flows[path.flow]["destination"])
        of_pairs.setdefault(pair, []).append(path)
    together = _time_of(paths)
    by_time = sorted(of_pairs.items(), key=lambda item: -_time_of(item[1]))
    rows = [
        [
            *pair,
            str(len(found)),
            _told(_time_of(found)),
            duration(sum(flows[path.flow].get("ideal_fct_ns", 0) for path in found) / 1000),
            percent(_time_of(found) / together),
            _most_of(result, parts(found)[0], pair[0]),
        ]
        for pair, found in by_time
    ]
    headings = ("from", "to", "flows", "time", "alone", "share", "most of it")
    title = f"{len(paths)} flows of which each waited for the one before, {_told(together)}{besides}"
    print_rows(
        title, headings, rows, of=len(rows), words={"from", "to", "most of it"}, rest="pairs more; --json has all"
    )


def _say_marks(paths: Sequence[CriticalPath]) -> None:
    """Prints where packets were marked, since marks keep rates and windows low."""
    marked: Counter[str] = Counter()
    for path in paths:
        marked.update(path.marked_at)
    if marked:
        ports = ", ".join(f"{port} ({count:,})" for port, count in marked.most_common(_MOST_PORTS))
        more = f", {len(marked) - _MOST_PORTS} more ports" if len(marked) > _MOST_PORTS else ""
        say(f"Packets marked: {marked.total():,}, at {ports}{more}")


def _time_of(paths: Sequence[CriticalPath]) -> int:
    return sum(path.time_ps for path in paths)


def _has(path: CriticalPath, wanted: Part) -> bool:
    return any(part[:3] == wanted[:3] for part in path.parts)


def _words(result: Result, part: Part) -> list[str]:
    """Returns two texts for a part of a flow's time: its cause and its place."""
    from xoff.explain.critical_path import Cause
    from xoff.results.table import reason_words

    if part.place is None:
        return [part.cause.words, ""]
    if part.reason is not None:
        return [part.cause.words, f"dropped at {part.place} ({reason_words(part.reason)})"]
    peer = next(port.peer_node for port in result.topology.ports if port.name == part.place)
    where = {
        Cause.TRANSMISSION: f"{part.place} to {peer}",
        Cause.QUEUEING: f"{part.place} to {peer}",
        Cause.PAUSED: f"{part.place}, by {peer}",
    }
    return [part.cause.words, where.get(part.cause, part.place)]


def _most_of(result: Result, part: Part, source: str) -> str:
    """Returns the words for the largest part in one cell; the adapter of the flow's own source is left out."""
    from xoff.explain.critical_path import Cause

    words, where = _words(result, part)
    is_plain = part.cause is Cause.TRANSMISSION and where.startswith(f"{source}.")
    return words if is_plain or not where else f"{words}, {where}"


def _told(picoseconds: int) -> str:
    return duration(picoseconds / _MICROSECOND_PS)
