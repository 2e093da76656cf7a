"""The gallery shows its scenarios as they are, and each is short."""

from pathlib import Path

import pytest

from conftest import ROOT
from gallery import MOST_LINES, PICTURES, SCENARIOS, draw, entry, page
from xoff import Scenario


def test_the_page_is_the_one_that_would_be_written() -> None:
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == page()
    assert {path.stem for path in SCENARIOS} == {path.stem for path in PICTURES.glob("*.svg")}


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_is_short_and_valid(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_LINES
    assert all(len(line) <= 120 for line in text.splitlines())
    Scenario.load(path).check()


@pytest.mark.nightly
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_picture_can_be_drawn(path: Path, tmp_path: Path) -> None:
    draw(entry(path), tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 5_000
