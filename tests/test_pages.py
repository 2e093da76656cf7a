"""ARCHITECTURE, CONTRIBUTING and the decisions name what is there."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *DECISIONS]
INVENTED = ("halving", "half_free", "PAPER", "KIND")
"""Names in recipes of CONTRIBUTING."""
FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)*(?:\.(?:rs|py|toml|txt|csv|md)|/))`")


def files() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [f"/{name}" for name in listed.stdout.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_folders_that_a_page_names_exist(page: Path) -> None:
    there = files()
    named = {
        name for name in FILE.findall(page.read_text(encoding="utf-8")) if not any(word in name for word in INVENTED)
    }
    missing = [
        name
        for name in sorted(named)
        if not any(path.endswith(f"/{name}") or (name.endswith("/") and f"/{name}" in path) for path in there)
    ]
    assert not missing


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_its_three_parts_in_order(page: Path) -> None:
    assert re.findall(r"^## (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)[:3] == [
        "Context",
        "Decision",
        "Consequence",
    ]


def test_the_index_has_every_decision_by_number_and_title() -> None:
    rows = []
    for page in DECISIONS:
        number, _, title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").partition(". ")
        rows.append(f"| {number} | [{title}]({page.name}) |")
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    assert [line for line in index.splitlines() if line.startswith("| ")][1:] == rows
