"""Numbers of summaries in words."""

from __future__ import annotations

import pytest

from xoff import table


@pytest.mark.parametrize(
    ("dropped", "expected"),
    [(0, ""), (1, "1 acknowledgement dropped"), (12_643, "12,643 acknowledgements dropped")],
)
def test_acknowledgements_are_told_of_where_some_were_dropped(dropped: int, expected: str) -> None:
    assert table.acknowledgements_dropped({"packets": {"acknowledgements_dropped": dropped}}) == expected
