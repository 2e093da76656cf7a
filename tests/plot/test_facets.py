"""Titles of small panels are short, and panels stand in rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.plot import facets
from xoff.plot.house_figure import HouseFigure


@given(st.lists(st.text("abc-", min_size=1, max_size=70), min_size=1, max_size=12).map(" ".join))
def test_a_title_takes_two_lines_at_most_and_keeps_both_ends(name: str) -> None:
    lines = facets.title_lines(name)
    assert len(lines) <= 2
    assert all(len(line) <= facets.TITLE_CHARACTERS for line in lines)
    assert lines[0][0] == name[0]
    assert lines[-1][-1] == name[-1]


@pytest.mark.parametrize(("count", "rows", "columns"), [(1, 1, 1), (4, 1, 4), (5, 2, 3), (11, 3, 4)])
def test_panels_stand_in_rows_of_at_most_four(count: int, rows: int, columns: int) -> None:
    panels = facets.grid(HouseFigure(figsize=facets.size_inches(count)), count)
    places = [place for ax in panels if (place := ax.get_subplotspec())]
    assert len(places) == count
    assert {place.rowspan.start for place in places} == set(range(rows))
    assert {place.colspan.start for place in places} == set(range(columns))
