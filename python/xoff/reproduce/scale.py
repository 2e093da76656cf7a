"""Scales of a figure's runs."""

from __future__ import annotations

from enum import StrEnum


class Scale(StrEnum):
    """Scale of a figure's runs."""

    QUICK = "quick"
    """Smaller than published, large enough for the effect, for tests."""
    PAPER = "paper"
    """The paper's own size."""
