"""Changed plan files: each is computed, or refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from strategies import changed
from xoff.errors import InputError
from xoff.switches.plan.file import parse
from xoff.switches.plan.outcome import outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

PLANS = [path.read_text() for path in sorted((ROOT / "plans").glob("*.toml"))]
KEYS = [
    "ports.rate",
    "ports[0].count",
    "ports.delay",
    "class.alpha",
    "headroom.scheme",
    "congestion.gain",
    "mtu",
    "chip",
]


def computed_or_refused(text: str, changes: Sequence[str] = ()) -> None:
    """Computes a plan, which may fail with one line alone."""
    refusal = None
    try:
        outcome(parse(text, changes=changes))
    except InputError as error:
        refusal = error
    if refusal is not None:
        assert str(refusal).isprintable()
        assert refusal.problem


@given(st.sampled_from(PLANS).flatmap(changed))
def test_a_changed_plan_is_computed_or_refused_in_a_line(text: str) -> None:
    computed_or_refused(text)


@given(
    st.sampled_from(PLANS),
    st.lists(st.tuples(st.sampled_from(KEYS), st.text("0123456789.-/kMGBbpsu", max_size=8)), max_size=3),
)
def test_a_plan_with_other_values_is_computed_or_refused_in_a_line(text: str, changes: list[tuple[str, str]]) -> None:
    computed_or_refused(text, [f"{key}={value}" for key, value in changes])
