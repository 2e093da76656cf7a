"""`xoff reproduce`: what is listed, printed, written, kept and refused."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome, wait_until

Command = Callable[..., Outcome]

FIGURES = ROOT / "tests" / "reproduce" / "figures"


@pytest.fixture
def reproduce(command: Command) -> Command:
    """`xoff reproduce` with the figures of nobody."""
    return lambda *arguments: command("reproduce", *arguments, "--figures", FIGURES, "--workers", 1)


def test_the_list_names_what_there_is(reproduce: Command) -> None:
    assert reproduce("--list").out == (
        "nobody/fig1    A small figure (Nobody (Nowhere 1999), figure 1)\n"
        "nobody/table1  A small table (Nobody (Nowhere 1999), table 1)\n"
    )
    assert not Path("results").exists()
    [entry] = json.loads(reproduce("nobody/table1", "--list", "--json").out)
    assert entry == {
        "id": "nobody/table1",
        "title": "A small table",
        "source": "Nobody (Nowhere 1999), table 1",
        "measured": None,
        "is_older": False,
    }


def test_claims_are_told_and_numbers_counted(reproduce: Command) -> None:
    outcome = reproduce("nobody", "--scale", "paper")
    assert (outcome.status, outcome.err) == (0, "")
    for part in (
        "Early marks do not slow",
        "reproduced",
        "differs",
        "not simulated",
        "98.0% below",
        "2 of 3 reproduced",
        "check of the runs",
        "passed",
    ):
        assert part in outcome.out
    assert outcome.out.endswith("Plots and all numbers: results/reproduce\n")


def test_json_holds_every_row_and_is_what_is_written(reproduce: Command) -> None:
    rows = json.loads(reproduce("nobody", "--json").out)
    assert [row["id"] for row in rows] == ["nobody/fig1"] * 4 + ["nobody/table1"] * 2
    assert list(rows[0]) == ["id", "kind", "claim", "published", "measured", "tolerance", "verdict", "scale", "note"]
    written = [
        json.loads(Path(f"results/reproduce/{figure}/quick/verdicts.json").read_text())
        for figure in ("nobody/fig1", "nobody/table1")
    ]
    assert rows == [row for of_figure in written for row in of_figure]
    assert Path("results/reproduce/nobody/fig1/quick/figure.svg").exists()


def test_without_an_id_it_says_first_how_much_it_runs(reproduce: Command) -> None:
    assert reproduce().err == (
        "all 2 figures at the quick scale, 4 runs: "
        "Ctrl-C keeps what is finished, `xoff reproduce --list` names the figures\n"
    )
    assert reproduce("nobody").err == "4 of 4 runs are kept from before\n"


def test_the_second_time_nothing_runs(reproduce: Command) -> None:
    first = reproduce("--json").out
    runs = {path: path.stat().st_mtime_ns for path in Path("results/runs").iterdir()}
    assert reproduce("--json").out == first
    assert runs == {path: path.stat().st_mtime_ns for path in Path("results/runs").iterdir()}


def test_a_change_runs_anew(reproduce: Command) -> None:
    reproduce("nobody/fig1")
    before = len(list(Path("results/runs").iterdir()))
    outcome = reproduce("nobody/fig1", "--set", "switch.total=2MB")
    assert (outcome.status, outcome.err) == (0, "")
    assert len(list(Path("results/runs").iterdir())) == 2 * before


def test_a_change_goes_over_what_the_scale_changes(reproduce: Command) -> None:
    reproduce("nobody/fig1", "--set", "workload.groups=3")
    runs = [json.loads(path.read_text())["workloads"][0] for path in Path("results/runs").glob("*/summary.json")]
    assert {run["count"] for run in runs} == {6}, "three groups of two, where the quick scale has two groups"


def test_what_an_axis_varies_is_not_changed_besides(reproduce: Command) -> None:
    outcome = reproduce("nobody/fig1", "--set", "workload.fan_in=1")
    file = FIGURES / "nobody" / "fig1" / "figure.toml"
    assert outcome == Outcome(
        2, "", f"{file}: --set workload.fan_in=1: the axis fan_in varies it; expected another key\n"
    )


def test_verdicts_on_what_is_changed_are_beside_the_true_ones(reproduce: Command) -> None:
    reproduce("nobody/fig1")
    folder = Path("results/reproduce/nobody/fig1")
    true = {file: file.read_bytes() for file in (folder / "quick").iterdir()}
    outcome = reproduce("nobody/fig1", "--set", "switch.marking.queue.threshold=3kB", "--set", "seed=4")
    assert outcome.out.splitlines()[-1] == (
        "Plots and all numbers: results/reproduce, below quick-changed: switch.marking.queue.threshold=3kB, seed=4"
    )
    assert true == {file: file.read_bytes() for file in (folder / "quick").iterdir()}
    assert sorted(file.name for file in (folder / "quick-changed").iterdir()) == ["figure.svg", "verdicts.json"]


@pytest.fixture
def long_figure(tmp_path: Path) -> Path:
    """The folder of figures of nobody, with 40 runs in the first."""
    figures = Path(shutil.copytree(FIGURES, tmp_path / "figures"))
    with (figures / "nobody" / "fig1" / "figure.toml").open("a", encoding="utf-8") as plan:
        plan.write("[scales.paper]\nseeds = 10\n")
    return figures


def finished() -> dict[Path, int]:
    """Returns the time at which each finished run was written; folders with a dot before their name are unfinished."""
    return {path: path.stat().st_mtime_ns for path in Path("results/runs").glob("[!.]*/summary.json")}


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT], ids=lambda by: by.name)
def test_cut_short_it_goes_on_with_what_is_missing(command: Command, long_figure: Path, by: signal.Signals) -> None:
    arguments = ["reproduce", "nobody/fig1", "--scale", "paper", "--figures", str(long_figure), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "xoff", *arguments, "--workers", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_until(lambda: len(finished()) >= 3)
    process.send_signal(by)
    process.communicate(timeout=120)  # which waits for its workers too: they share its output
    before = finished()
    assert 3 <= len(before) < 40

    resumed = command(*arguments, "--workers", 1)
    assert (resumed.status, resumed.err) == (0, f"{len(before)} of 40 runs are kept from before\n")
    assert before.items() <= finished().items()
    shutil.rmtree("results")
    assert command(*arguments, "--workers", 1).out == resumed.out


def test_what_there_is_not(reproduce: Command) -> None:
    outcome = reproduce("nobody/fig2")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "nobody/fig2: no such figure; did you mean nobody/fig1?\n"


def test_a_folder_without_figures(command: Command) -> None:
    outcome = command("reproduce", "--figures", "none")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "--figures: none holds no figures; they are in the repository that xoff was built from, and in no package: "
        "run xoff in a clone of it, or name the folder, --figures CLONE/figures\n"
    )


def test_the_page_is_written_and_nothing_runs(command: Command) -> None:
    outcome = command("reproduce", "--page", "out/atlas.html")
    assert (outcome.status, outcome.out, outcome.err) == (0, "Page: out/atlas.html\n", "")
    assert "Atlas of published figures" in Path("out/atlas.html").read_text(encoding="utf-8")
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("--page", "nobody"),
            "--page: nobody is no name of a page; expected a name that ends with .html, or --page at the end\n",
        ),
        (("nobody", "--page"), "--page: is about all figures; expected no ids beside it\n"),
        (("nobody", "--record"), "--record: keeps what a paper's own size shows; expected --scale paper, no --set\n"),
    ],
)
def test_a_page_or_a_record_of_something_else_is_refused(
    reproduce: Command, arguments: tuple[str, ...], says: str
) -> None:
    outcome = reproduce(*arguments)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", says)
    assert not Path("results").exists()


def test_a_record_is_kept_in_the_figures_folder(command: Command, long_figure: Path) -> None:
    command("reproduce", "nobody/table1", "--scale", "paper", "--record", "--figures", str(long_figure))
    record = json.loads((long_figure / "nobody" / "table1" / "measured.json").read_text(encoding="utf-8"))
    assert [row["verdict"] for row in record["rows"]] == ["reproduced", "differs"]
    assert record["command"] == "xoff reproduce nobody/table1 --scale paper"
