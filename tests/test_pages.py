"""Decisions have one form, and the index has them all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))


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
