"""The rules of docs/flow_sizes.md for files of flow sizes."""

import re
from pathlib import Path

import pyarrow.compute as pc
import pytest

import xoff
from conftest import ROOT, SMALL

PAGE = (ROOT / "docs" / "flow_sizes.md").read_text(encoding="utf-8")
MANY = SMALL.replace('size = "50kB"', 'sizes = "my_sizes.csv"').replace("groups = 10", "groups = 500")


def block(language: str) -> str:
    """The first block in a language."""
    match = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert match
    return match[1]


def written(folder: Path, sizes: str) -> xoff.Scenario:
    """A scenario of a thousand flows beside its file of sizes."""
    (folder / "my_sizes.csv").write_text(sizes, encoding="utf-8")
    (folder / "many.toml").write_text(MANY, encoding="utf-8")
    return xoff.Scenario.load(folder / "many.toml")


def test_flows_have_the_sizes_of_the_file(tmp_path: Path) -> None:
    sizes = written(tmp_path, block("csv")).run().flows["size_bytes"]
    assert len(sizes) == 1000
    shares = {limit: pc.mean(pc.less_equal(sizes, limit).cast("float64")).as_py() for limit in (1000, 5500, 10_000)}
    assert shares == {
        1000: pytest.approx(0.3, abs=0.05),
        5500: pytest.approx(0.5, abs=0.05),
        10_000: pytest.approx(0.7, abs=0.05),
    }
    assert (pc.min(sizes).as_py(), pc.max(sizes).as_py() <= 1_000_000) == (1000, True)
    assert pc.mean(sizes).as_py() == pytest.approx(154_000, rel=0.1)


def test_a_percentage_is_refused_as_the_page_says(tmp_path: Path) -> None:
    with pytest.raises(xoff.ScenarioError, match=re.escape(block("text").strip())):
        written(tmp_path, block("csv").replace("0.7", "70")).check()
