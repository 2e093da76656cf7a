"""`xoff tune`: what is printed, written and refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, interrupted

Command = Callable[..., Outcome]
FCT = "flows.all.fct_mean_us"
SEARCH = ("--tune", "host.delay=1us:30us", "--minimize", FCT, "--trials", 3, "--confirm", 2, "--workers", 1)
FROM_20 = ("--set", "host.delay=20us", "--set", "workload.groups=2")


def test_it_prints_the_best_trials_what_they_gain_and_how_to_set_it(command: Command, small_file: Path) -> None:
    outcome = command("tune", small_file, *SEARCH, *FROM_20)
    assert (outcome.status, outcome.err) == (0, "")
    assert re.search(r"┃ +┃ +delay ┃ +all FCT mean ┃", outcome.out)
    assert re.search(r"│ as it stands │ +20us │", outcome.out)
    assert f"Small, seed 3; minimize {FCT}, the best of 3 trials.\n" in outcome.out
    assert re.search(r"as it stands ┃ +tuned ┃", outcome.out)
    assert "Means over seeds 4, 5; x: how many times as it stands" in outcome.out
    assert re.search(r"Best: +--set host\.delay=[\d.]+us\nResults: results/tune-001 \(scenario", outcome.out)


def test_what_it_prints_to_set_gives_what_it_measured(command: Command, small_file: Path) -> None:
    found = json.loads(command("tune", small_file, *SEARCH, *FROM_20, "--json").out)
    best = found["best"]["host.delay"]
    ran = json.loads(command("run", small_file, *FROM_20, "--set", f"host.delay={best}", "--json").out)
    assert ran["flows"]["all"]["fct_mean_us"] == min(trial["measured"][FCT]["value"] for trial in found["trials"])


def test_it_says_what_kept_trials_from_being_the_best(command: Command, small_file: Path) -> None:
    out = command("tune", small_file, *SEARCH, *FROM_20, "--at-most", f"{FCT}=x0.1").out
    assert f"Note: {FCT} is not at most x0.1 (3 of 3 trials)" in out
    assert "Best:    none: no trial keeps to the bounds, and neither does the scenario as it stands" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--minimize", FCT), "small.toml: nothing is tuned; expected a key and its range: --tune KEY=START:END\n"),
        (
            ("--tune", "host.delay=1us:2us"),
            "--minimize: nothing says what is best; expected --minimize or --maximize with a number of summary.json,",
        ),
        (
            (*SEARCH, "--maximize", FCT),
            "--maximize: stands beside --minimize; expected one of them\n",
        ),
        (
            (*SEARCH, "--at-most", "loss_rate"),
            "--at-most loss_rate: has no limit; expected KEY=LIMIT, such as --at-most loss_rate=0.001\n",
        ),
        ((*SEARCH, "--at-least", "loss_rate=y"), "--at-least loss_rate=y: `y` is no limit; expected a number"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    command: Command, small_file: Path, options: tuple[str, ...], says: str
) -> None:
    outcome = command("tune", small_file, *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.removeprefix(f"{small_file.parent}/").startswith(says)
    assert not Path("results").exists()


def test_interrupted_it_shows_the_trials_that_are_finished(tmp_path: Path, small_file: Path) -> None:
    search = ("--tune", "host.delay=1us:30us", "--minimize", FCT, "--trials", "400", "--workers", "1")
    outcome = interrupted(tmp_path, "tune", small_file, *search)
    assert outcome.status == 130
    assert re.fullmatch(r"interrupted: \d+ of 400 trials are finished; the same command goes on\n", outcome.err)
    data = json.loads((tmp_path / "results/tune-001/tune.json").read_text())
    assert data["interrupted"]
    assert f"interrupted: {len(data['trials'])} of 400" in outcome.err
