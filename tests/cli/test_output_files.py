"""Single files that commands write: whole or not at all, alike for everyone, and never at the price of a run."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import xoff
from conftest import ROOT, Outcome
from xoff import report
from xoff.results.whole_file import written_whole

Command = Callable[..., Outcome]


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


@contextmanager
def full_disk() -> Iterator[None]:
    """No file grows beyond some bytes."""
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize(
    ("arguments", "again", "file"),
    [
        (("plot", "out", "fct_cdf", "--out", "fct.svg"), ("--force",), "fct.svg"),
        (("report", "out"), (), "out/report.html"),
        (
            ("export", ROOT / "plans" / "tomahawk_bcc.toml", "--format", "eos", "--out", "eos.txt"),
            ("--force",),
            "eos.txt",
        ),
    ],
)
def test_what_cannot_be_replaced_stays_as_it_was(
    command: Command, small_file: Path, arguments: tuple[str, ...], again: tuple[str, ...], file: str
) -> None:
    command("run", small_file, "--out", "out")
    command(*arguments)
    before, there = Path(file).read_bytes(), names(Path(file).parent)
    with full_disk():
        outcome = command(*arguments, *again)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith(f"{file}: ")
    assert "file too large" in outcome.err.lower()
    assert (Path(file).read_bytes(), names(Path(file).parent)) == (before, there)


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.touch(0o600)
    with written_whole(path) as beside:
        beside.write_text("new", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["file.txt"]


def test_a_link_stays_and_its_file_is_written_whole(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, file = tmp_path / "link.txt", tmp_path / "elsewhere" / "file.txt"
    link.symlink_to(file)
    for text in ("first", "second"):
        with written_whole(link) as beside:
            beside.write_text(text, encoding="utf-8")
        assert (link.readlink(), file.read_text(encoding="utf-8")) == (file, text)
        assert (names(tmp_path), names(file.parent)) == (["elsewhere", "link.txt"], ["file.txt"])


@pytest.mark.parametrize("path", [os.devnull, "/dev/stdout", "loop"])
def test_devices_and_links_to_no_file_are_written_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    with written_whole(Path(path)) as itself:
        assert itself.samefile(path) if path != "loop" else itself.is_symlink()
    assert names(tmp_path) == ["loop"]


def test_a_name_that_may_not_be_replaced_is_refused_even_if_taken_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"

    def write() -> None:
        with written_whole(path, replaces=False) as beside:
            beside.write_text("new", encoding="utf-8")
            path.write_text("precious", encoding="utf-8")

    with pytest.raises(FileExistsError):
        write()
    with pytest.raises(FileExistsError):
        written_whole(path, replaces=False).__enter__()
    assert (names(tmp_path), path.read_text(encoding="utf-8")) == (["file.txt"], "precious")


def test_a_starter_that_cannot_be_written_leaves_nothing(command: Command) -> None:
    with full_disk():
        outcome = command("init")
    assert outcome == Outcome(2, "", "scenario.toml: --out: cannot write: file too large; choose another with --out\n")
    assert names(Path()) == []


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            RuntimeError("Failed to process string with tex\nbecause latex could not be found"),
            "Failed to process string",
        ),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left on device;"),
        (MemoryError(), "MemoryError;"),
    ],
)
def test_a_run_is_kept_whatever_becomes_of_its_report(
    command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    def fail(_: object) -> str:
        raise error

    monkeypatch.setattr(report, "render", fail)
    outcome = command("run", small_file, "--out", "out", "--report")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert outcome.err.startswith(f"out/report.html: cannot be made: {says}")
    assert outcome.out.endswith("Results: out\nReport:  `xoff report out` draws it\n")
    assert "summary.json" in names(Path("out"))
    assert "report.html" not in names(Path("out"))


@pytest.mark.parametrize("is_full", [False, True])
def test_a_run_is_written_elsewhere_if_its_folder_goes(
    command: Command, small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_full: bool
) -> None:
    run, temporary = xoff.Scenario.run, tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def and_remove(*arguments: Any, **options: Any) -> xoff.Result:  # noqa: ANN401 as they come
        shutil.rmtree("gone")
        return run(*arguments, **options)

    monkeypatch.setattr(xoff.Scenario, "run", and_remove)
    with full_disk() if is_full else nullcontext():
        outcome = command("run", small_file, "--out", "gone/out")
    says = "gone/out: --out: cannot write here: no such file or directory; choose another folder with --out"
    if is_full:
        assert outcome == Outcome(2, "", f"{says}\n")
        assert names(temporary) == []
    else:
        [elsewhere] = temporary.iterdir()
        assert (outcome.status, outcome.err) == (2, f"{says}; this result is in {elsewhere / 'result'}\n")
        assert xoff.Result.open(elsewhere / "result").digest == run(xoff.Scenario.load(small_file)).digest


def test_figures_are_the_same_whatever_matplotlib_is_told(command: Command, small_file: Path) -> None:
    command("run", small_file, "--out", "out")
    command("plot", "out", "fct_cdf", "--out", "plain.svg")
    Path("matplotlib").mkdir()
    Path("matplotlib/matplotlibrc").write_text("axes.facecolor: red\n", encoding="utf-8")
    Path("matplotlibrc").write_text("text.usetex: True\n", encoding="utf-8")
    told = {"XDG_CONFIG_HOME": str(Path.cwd()), "MATPLOTLIBRC": "", "MPLBACKEND": "nonsense"}
    for name in ("here.svg", "elsewhere.svg"):
        plot = [sys.executable, "-m", "xoff", "plot", "out", "fct_cdf", "--out", name]
        subprocess.run(plot, env=os.environ | told, check=True)
        assert Path(name).read_bytes() == Path("plain.svg").read_bytes()
        Path("matplotlibrc").unlink(missing_ok=True)


def test_files_that_are_written_into_one_folder_at_a_time_are_all_there(tmp_path: Path) -> None:
    def write(number: int) -> None:
        with written_whole(tmp_path / str(number)) as beside:
            beside.write_text(str(number), encoding="utf-8")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(400)))
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        str(number): str(number) for number in range(400)
    }
