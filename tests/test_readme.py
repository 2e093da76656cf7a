"""The commands in the README and the guides print what is shown there."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT
from readme import PAGES, PICTURE, SHOWN, drawn, needed, output_of, printed, without_measurements

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HERE = re.compile(r"^https://(github\.com|raw\.githubusercontent\.com)/xoff-sim/xoff/(blob/)?main/")
"""Address of a file of this repository."""
OUTSIDE = {"https://xoff-sim.github.io/xoff/try/", "https://github.com/xoff-sim/xoff"}
"""Page of the site that is no file of this repository: `make site` builds it."""
# Commands whose runs take 3 s of CPU time or more.
MANY_RUNS = re.compile(r"^xoff (sweep sweeps/|sweep .*--seeds|compare .*--seeds 5|tune )", re.MULTILINE)
GUIDES_WITH_PICTURES = [page for page in PAGES if PICTURE.search(page.read_text(encoding="utf-8"))]


def every_shown() -> Iterator[object]:
    """Commands, the page above them, and what the last of them prints, called by the heading they stand below."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in SHOWN.finditer(text):
            heading = text[: found.start()].rpartition("\n## ")[2].partition("\n")[0]
            commands = "\n".join([*needed(found[1], text[: found.start()]), found[1]])
            marks = pytest.mark.nightly if MANY_RUNS.search(commands) else ()
            yield pytest.param(
                found[1], text[: found.start()], output_of(found[0]), id=f"{page.stem}: {heading}", marks=marks
            )


@pytest.mark.parametrize(("commands", "above", "output"), list(every_shown()))
def test_commands_print_what_is_shown(commands: str, above: str, output: str) -> None:
    assert without_measurements(printed(commands, above)) == without_measurements(output)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_whatever_is_printed_stands_below_its_commands(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(SHOWN.findall(text)) == text.count("```text\n")


@pytest.mark.nightly
@pytest.mark.parametrize("page", GUIDES_WITH_PICTURES, ids=lambda page: page.stem)
def test_pictures_are_drawn_by_the_commands_above_them(page: Path) -> None:
    pictures = drawn(page)
    assert pictures
    assert all(picture.exists() and len(content) > 5_000 for picture, content in pictures.items())


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for shipped in ("examples", "plans", "scenarios"):
        (tmp_path / shipped).symlink_to(ROOT / shipped)
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "guide" / "python.md"
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(page), "exec"), {})
    assert (tmp_path / "my_result" / "summary.json").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        path = HERE.sub("", target)
        assert target in OUTSIDE or ((page.parent if path == target else ROOT) / path).exists(), target


def test_links_of_the_readme_lead_there_from_a_package_s_page_too() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert target in OUTSIDE or HERE.match(target), target


def test_recipes_are_what_the_simulator_s_tests_compile() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for recipe in (ROOT / "crates/xoff/recipes").iterdir():
        assert f"```rust\n{recipe.read_text(encoding='utf-8')}```\n" in text


def test_all_say_one_version_and_one_address() -> None:
    """Cargo.toml decides; the package, the crate and the citation follow."""
    package = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {package['version']}\n" in citation
    assert f"\nrepository-code: {package['repository']}\n" in citation
    assert f"\nurl: {package['homepage']}\n" in citation
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert (urls["Homepage"], urls["Repository"]) == (package["homepage"], package["repository"])
