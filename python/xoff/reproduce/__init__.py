"""Published figures run again: what was published, what is measured, and a verdict on each claim."""

from xoff.reproduce.atlas import find
from xoff.reproduce.figure import Figure
from xoff.reproduce.plan import Scale
from xoff.reproduce.verdict import Row, Verdict

__all__ = ["Figure", "Row", "Scale", "Verdict", "find"]
