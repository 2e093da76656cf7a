"""How large the runs of a figure are."""

from __future__ import annotations

from enum import StrEnum


class Scale(StrEnum):
    """How large the runs are."""

    QUICK = "quick"
    """Smaller than published, large enough for the effect; for tests."""
    PAPER = "paper"
    """The paper's own size."""
