"""What the README and the guides show is what happens."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def block(language: str, after: str = "") -> str:
    """The first code block in a language, of the page that has a text, after it."""
    page = next(text for page in PAGES if after in (text := page.read_text(encoding="utf-8")))
    match = re.search(rf"```{language}\n(.*?)```", page[page.index(after) :], re.DOTALL)
    assert match
    return match[1]


def without_measurements(text: str) -> list[str]:
    """Lines without trailing space, and without those about this machine."""
    return [line.rstrip() for line in text.splitlines() if not line.startswith("Engine:")]


def test_the_demo_prints_the_table(command: Callable[..., Outcome]) -> None:
    outcome = command("run", ROOT / "scenarios" / "web_search.toml")
    assert without_measurements(outcome.out) == without_measurements(block("text"))


def test_the_comparison_prints_the_table(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    compare = block("sh", "## Compare").split()
    outcome = command(*compare[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Compare"))


def test_the_pauses_are_explained(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    for line in block("sh", "## Explain pauses").splitlines():
        outcome = command(*line.split()[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Explain pauses"))


def test_the_drops_are_explained(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    for line in block("sh", "## Explain drops").splitlines():
        outcome = command(*shlex.split(line)[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Explain drops"))


def test_faults_in_tables_are_printed(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    outcome = command(*block("sh", "## Lint").split()[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Lint"))


def test_tables_are_printed_as_a_part_of_a_scenario(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    outcome = command(*block("sh", "## Try a switch's tables").split()[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Try a switch's tables"))


def test_the_plan_is_computed_and_tried_out(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "plans").symlink_to(ROOT / "plans")
    outcome = command(*block("sh", "## Plan a switch").split()[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Plan a switch"))


@pytest.mark.parametrize(
    "heading",
    [
        "## Try many settings",
        "## Warm up",
        "## Collectives",
        "## Balance load",
        "## Fail a link",
        "## Try a watchdog",
    ],
)
def test_the_sweep_prints_the_table(command: Callable[..., Outcome], tmp_path: Path, heading: str) -> None:
    for shipped in ("scenarios", "sweeps"):
        (tmp_path / shipped).symlink_to(ROOT / shipped)
    outcome = command(*block("sh", heading).split()[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", heading))


def test_the_fluid_model_prints_the_table(command: Callable[..., Outcome]) -> None:
    outcome = command(*block("sh", "## Sweep a fluid model").split()[1:])
    assert without_measurements(outcome.out) == without_measurements(block("text", "## Sweep a fluid model"))


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for shipped in ("examples", "plans", "scenarios"):
        (tmp_path / shipped).symlink_to(ROOT / shipped)
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python"), "README.md", "exec"), {})
    assert (tmp_path / "my_result" / "report.html").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
