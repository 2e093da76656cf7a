"""`xoff init`: a commented scenario, or a plan, to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from xoff.cli import completion
from xoff.cli.options import FILE, as_list, refuse, repeated
from xoff.cli.terminal import say
from xoff.errors import InputError, OutputError
from xoff.results.whole_file import written_whole
from xoff.starters import KINDS, PLAN, SCHEME, SCHEME_FILE, TOPOLOGIES, Switches, starter

_WITH_FABRIC = {"leaf_spine", "clos3", "fat_tree"}
"""Topologies with links between switches of a rate of their own."""


@click.command
@click.argument(
    "kinds",
    nargs=-1,
    metavar="[KIND]...",
    shell_complete=completion.starters,
    help="A topology, a transport, workloads, or some of each; or plan or scheme (see `xoff list scenarios`).",
    callback=as_list,
)
@repeated(
    "--from",
    "sonic",
    type=FILE,
    metavar="FILE",
    help="SONiC's tables, whose switches it has (see `xoff import`); may be repeated.",
)
@click.option("--port", metavar="NAME", help="With --from: the port whose rows are taken.")
@click.option("--chip", shell_complete=completion.chips, help="With --from: a name of `xoff list chips`.")
@click.option(
    "--uplink", metavar="NAME", help="With --from: the port that those between switches are like, at another rate."
)
@click.option("--out", type=FILE, metavar="FILE", help="The file to write, or - to print it; left out, KIND.toml.")
def init(
    kinds: list[str] | None,
    sonic: list[Path] | None,
    port: str | None,
    chip: str | None,
    uplink: str | None,
    out: Path | None,
) -> None:
    """Write a commented scenario, a plan or a congestion control to start from; nothing that exists is overwritten."""
    _check_no_files(kinds or [])
    if kinds == [SCHEME] and out is not None and out.suffix == ".py":
        expected = f"expected a name in .toml; the class goes into {SCHEME_FILE}.py beside it"
        raise InputError(None, f"--out {out}", "is for the scenario", expected)
    chosen = starter(kinds or [], _imported(sonic, (port, uplink), chip, kinds or []))
    if str(out) == "-":
        click.echo(chosen.text, nl=False)
        return
    stem = SCHEME_FILE if kinds == [SCHEME] else "_".join(kinds or ["scenario"])
    path = out or Path(f"{stem}.toml")
    companions = {path.parent / name: text for name, text in chosen.companions.items()}
    _check_free(path)
    texts = {path: chosen.text} | {target: text for target, text in companions.items() if _is_new(target, text)}
    for target, text in reversed(texts.items()):  # the scenario last, once the files it names are there
        _write(target, text)
    command = "compute it: xoff plan" if kinds == [PLAN] else "run it: xoff run"
    say(f"{' and '.join(str(target) for target in texts)} written; {command} {shlex.quote(str(path))}")


def _check_no_files(kinds: list[str]) -> None:
    for kind in kinds:
        if kind not in KINDS and Path(kind).is_file():
            raise InputError(None, kind, "is a file", f"each file has a --from of its own; expected --from {kind}")


def _imported(
    files: list[Path] | None, like: tuple[str | None, str | None], chip: str | None, kinds: list[str]
) -> Switches | None:
    """Returns the switches that a file of tables comes to, with memory for all ports of the largest switch."""
    port, uplink = like
    if not files:
        refuse({"--port": port, "--chip": chip, "--uplink": uplink}, "is of tables", "expected --from FILE, too")
        return None
    from xoff.switches.switch_tables import SwitchTables  # brings pydantic, which scenarios do not need

    _check_tables(files)
    ports, uplinks = _most_ports(kinds)
    if uplink and not _WITH_FABRIC.intersection(_topologies(kinds)):
        expected = "expected leaf_spine, clos3 or fat_tree, or no --uplink"
        raise InputError(None, f"--uplink {uplink}", "the topology has no fabric_link", expected)
    part = SwitchTables.load(*files, chip=chip).part_of_scenario(port, ports, uplink, uplinks if uplink else None)
    return Switches(part.text, part.data, part.control, part.link, part.uplink, part.lossless is not None)


def _check_tables(files: list[Path]) -> None:
    """Raises InputError for a file of another simulator, which brings more than switches."""
    from xoff.formats.reading import format_of

    for path in files:
        if path.suffix not in (".json", ".ini") and (found := format_of(path)) is not None:
            expected = f"expected `xoff import {path}`, which makes a whole scenario of such files"
            raise InputError(str(path), "", f"is of another simulator ({found.NAME}), and no switch's table", expected)


def _topologies(kinds: list[str]) -> list[str]:
    """Returns the topologies among the kinds asked for, or the first topology."""
    return [kind for kind in kinds if kind in TOPOLOGIES] or [TOPOLOGIES[0]]


def _most_ports(kinds: list[str]) -> tuple[int, int]:
    """Of the switch that has most, all and those to other switches."""
    from collections import Counter

    from xoff.scenario.scenario import Scenario

    network = Scenario.from_text(starter(_topologies(kinds)).text).topology
    (largest, ports), *_ = Counter(port.node for port in network.ports).most_common()
    hosts = set(network.hosts)
    return ports, sum(port.node == largest and port.peer_node not in hosts for port in network.ports)


def _check_free(path: Path) -> None:
    if path.exists():
        message = f"{path}: --out: exists already; choose another name with --out"
        raise OutputError(message)


def _is_new(path: Path, text: str) -> bool:
    """Whether a file that the scenario names must be written; raises OutputError if something else is there."""
    if not path.exists():
        return True
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text:
        return False
    message = (
        f"{path}: exists already and is another file; move it, or write the scenario elsewhere with --out DIR/NAME"
    )
    raise OutputError(message)


def _write(path: Path, text: str) -> None:
    try:
        with written_whole(path, replaces=False) as beside:
            beside.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{path}: --out: cannot write: {(error.strerror or str(error)).lower()}; choose another with --out"
        raise OutputError(message) from None
