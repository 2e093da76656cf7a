"""Lines: what the simulator takes for a name, and text of users in a comment."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import xoff
from conftest import SMALL
from xoff.errors import ScenarioError, one_line
from xoff.text.line import is_line
from xoff.text.toml_text import value


@given(st.text(min_size=1, max_size=5))
@example("\u2028")
@example("\x85")
@example("\ufffe")
@example("\u202f% über 😀")
def test_the_simulator_takes_titles_of_one_line(title: str) -> None:
    text = SMALL.replace('"Small"', value(title))
    if is_line(title):
        assert xoff.Scenario.from_text(text).title == title
    else:
        with pytest.raises(ScenarioError, match=r"^title: has control characters or several lines; expected one line"):
            xoff.Scenario.from_text(text)


@given(st.text())
def test_one_line_can_be_seen_whole(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert is_line(line)
    assert one_line(line) == line


@pytest.mark.parametrize("text", ["", "a b", "60 % über", "[x] 'y' \"z\" \\ $"])
def test_what_is_a_line_stays(text: str) -> None:
    assert one_line(text) == text
