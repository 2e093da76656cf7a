"""Text from users is printed as it is written."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click import Context
from rich.table import Table

from conftest import ROOT, SCENARIOS, Outcome
from xoff.cli import progress
from xoff.cli.application import application
from xoff.cli.console import Console
from xoff.cli.terminal import printable
from xoff.results import folder

Command = Callable[..., Outcome]

NASTY = "alpha [/8] of [bold] :boom: \x1b[31mred\x9b\x07 \\[4]"
AS_PRINTED = "alpha [/8] of [bold] :boom: \\x1b[31mred\\x9b\\x07 \\[4]"


def test_control_characters_are_escaped_and_all_others_stay() -> None:
    assert printable(NASTY) == AS_PRINTED
    assert printable("60\N{NARROW NO-BREAK SPACE}% über\n\t[x] \N{GRINNING FACE}") == "60\u202f% über\n\t[x] 😀"
    assert printable("\udcff.toml") == "\\udcff.toml", "bytes of a name that are not UTF-8"


def test_a_table_holds_what_was_written(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(title=NASTY)
    table.add_column(NASTY)
    table.add_row(NASTY)
    console = Console(120)
    console.print(table)
    console.print(NASTY)
    assert capsys.readouterr().out.count(AS_PRINTED) == 4


def test_cells_that_are_not_to_be_wrapped_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    words = "words of a cell " * 5
    table = Table()
    for heading in (words, "b", "c"):
        table.add_column(heading, no_wrap=True)
    table.add_row("a", words, words)
    Console(120).print(table)
    assert capsys.readouterr().out.count(words) == 3


def test_where_there_is_no_terminal_no_value_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table()
    table.add_column("queue")
    for number in range(12):
        table.add_column(f"length of it at {number}", justify="right")
    table.add_row("q", *(f"{number} kB of more" for number in range(12)))
    console = Console(120)
    console.print(table)
    console.print("goodput 6.5 Gbps, " * 20)
    out = capsys.readouterr().out
    assert all(f" {number} kB of more │" in out for number in range(12))
    assert out.count("goodput 6.5 Gbps, ") == 20


class Terminal(io.StringIO):
    """Terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def test_a_narrow_terminal_has_all_of_a_table_and_its_own_width_for_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    for columns, heading in ((5, "column"), (7, "quantity of"), (12, "column")):  # as it is; closer; in two blocks
        table = Table("name", title="title", title_justify="left")
        for number in range(columns):
            table.add_column(f"{heading} {number}", justify="right")
        table.add_row("row of it", *(f"{number} kB/s" for number in range(columns)))
        terminal = Terminal()
        monkeypatch.setattr("sys.stdout", terminal)
        console = Console(140)
        console.print(table)
        console.print("word " * 30)
        text = re.sub(r"\x1b\[\d*m", "", terminal.getvalue())
        assert max(map(len, text.splitlines())) <= 80
        assert all(f"{number} kB/s" in text for number in range(columns))
        assert text.count("title") == 1
        assert text.count("row of it") == (2 if columns == 12 else 1), "what names a row stands in each block"


def test_where_there_is_no_terminal_the_given_width_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert Console(120).width == 120


def test_a_title_is_printed_as_it_is_written(command: Command, small_file: Path) -> None:
    title = r'title="alpha [/8] of [bold] :boom:"'
    outcome = command("run", small_file, "--set", title)
    assert (outcome.status, outcome.err) == (0, "")
    assert "alpha [/8] of [bold] :boom:, seed 3" in outcome.out


def test_columns_of_a_comparison_are_headed_by_the_files_names(command: Command, small_file: Path) -> None:
    other = small_file.with_name("a[b].toml")
    other.write_text(small_file.read_text())
    outcome = command("compare", other, small_file, "--workers", 1)
    assert outcome.status == 0
    assert "a[b]" in outcome.out.splitlines()[1]
    assert "how many times a[b]" in outcome.out


def test_errors_hold_no_control_character(command: Command, small_file: Path) -> None:
    outcome = command("check", small_file, "--set", "workload.transport=\x1b[31m")
    assert outcome.status == 2
    assert 'there is no transport "\\x1b[31m"' in outcome.err


def test_progress_shows_titles_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    with progress.shown_count(NASTY, 1) as finished:
        finished()
    assert AS_PRINTED in terminal.getvalue()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("buffering", [{}, {"PYTHONUNBUFFERED": "1"}])
@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["topology", str(SCENARIOS / "lossless.toml")]])
def test_output_that_cannot_be_written_is_a_line(arguments: list[str], buffering: dict[str, str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | buffering
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "xoff", *arguments]
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "cannot write: no space left on device; make room, or send the output elsewhere\n"


PLAN = ROOT / "plans" / "tomahawk_4_dcqcn.toml"
TABLES = ROOT / "examples" / "sonic" / "good" / "config_db.json"


def with_closed_output(command: Command, *arguments: str | Path) -> Outcome:
    """Runs a command whose standard output is as Python finds it after `>&-`."""
    captured, sys.stdout = sys.stdout, None
    try:
        return command(*arguments)
    finally:
        if sys.stdout is not None:
            sys.stdout.close()
        sys.stdout = captured


CLOSED = "cannot write: standard output is closed; send it to a file, or to /dev/null\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("run", "--help"),
        ("list", "chips"),
        ("list", "--json"),
        ("explain", "dctcp"),
        ("check", "small.toml"),
        ("topology", "small.toml", "--json"),
        ("run", "small.toml"),
        ("run", "small.toml", "--json"),
        ("sweep", "small.toml", "--sweep", "workload.fan_in=1,2", "--workers", "1"),
        ("plan", PLAN),
        ("export", PLAN, "--format", "eos"),
        ("lint", TABLES, "--json"),
        ("import", TABLES),
        ("init", "star", "--out", "-"),
        ("fluid", "dctcp", "--json"),
        ("reproduce", "--list"),
    ],
)
@pytest.mark.usefixtures("small_file")
def test_output_that_is_closed_is_a_line(command: Command, arguments: tuple[str | Path, ...]) -> None:
    outcome = with_closed_output(command, *arguments)
    assert (outcome.status, outcome.err) == (2, CLOSED)


@pytest.mark.parametrize(("closed", "err"), [(">&-", CLOSED), ("<&- >&- 2>&-", "")])
def test_no_file_gets_the_number_of_a_closed_stream(tmp_path: Path, small_file: Path, closed: str, err: str) -> None:
    """A result's files are whole, whatever the command, its libraries and a crash print where the shell has closed."""
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "xoff"]
    arguments = ["run", str(small_file), "--out", "out"]
    done = subprocess.run([*shell, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, err)
    assert folder.read(tmp_path / "out").flows.num_rows == 20


def test_a_command_that_prints_nothing_needs_no_output(command: Command) -> None:
    assert with_closed_output(command, "export", PLAN, "--format", "eos", "--out", "eos.txt").status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--json"],
        ["--help"],
        ["plan", str(ROOT / "plans" / "tomahawk_bcc.toml")],
        ["lint", str(ROOT / "examples" / "sonic" / "good" / "config_db.json")],
    ],
)
def test_a_reader_that_has_seen_enough_hears_nothing_more(arguments: list[str]) -> None:
    """The status is a shell's for SIGPIPE, and none of those that say what was found."""
    command = [sys.executable, "-m", "xoff", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_an_error_that_nobody_reads_is_no_other() -> None:
    command = [sys.executable, "-m", "xoff", "plan", "none.toml"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.close()
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_error_that_cannot_be_written_is_no_other() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "xoff", "plan", "none.toml"]
        assert subprocess.run(command, stderr=full, check=False).returncode == 2


@pytest.mark.parametrize("name", application.list_commands(Context(application)))
def test_help_fits_80_columns_and_spells_defaults_as_they_are_given(command: Command, name: str) -> None:
    told = command(name, "--help").out
    assert max(map(len, told.splitlines())) <= 80
    assert not re.search(r"\[default: [A-Z]", " ".join(told.split()))


def test_notes_that_differ_in_numbers_only_are_one(command: Command, small_file: Path) -> None:
    told = command("sweep", small_file, "--sweep", "switch.marking.queue.threshold=1000B,1100B").out
    [note] = [line for line in told.splitlines() if "every packet above" in line]
    assert note.startswith("Note: switch0: every packet above 1kB is marked, ")
    assert note.endswith(" (2 of 2 scenarios, with other numbers)")
