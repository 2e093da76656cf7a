"""Ranges of keys in a search, as they are spelled."""

from decimal import Decimal

import pytest

from xoff.errors import ScenarioError
from xoff.studies.tuning import space as search_space
from xoff.studies.tuning.space import Choice, Range


def test_a_range_has_values_of_three_digits_within_its_ends() -> None:
    [threshold] = search_space.spelled(["k=20.5kB:400kB"]).values()
    assert threshold == Range(Decimal("20.5"), Decimal(400), "kB")
    numbers = (20.5001, 97.3456, 123.456, 399.9)
    assert [threshold.value(number) for number in numbers] == ["20.5kB", "97.3kB", "123kB", "400kB"]
    [alpha] = search_space.spelled(["k=0.5:8"]).values()
    assert isinstance(alpha, Range)
    assert [alpha.value(number) for number in (0.5, 1.23456)] == [0.5, 1.23]


@pytest.mark.parametrize(
    ("text", "is_whole"), [("1:8", True), ("1:8.0", False), ("64B:9kB", True), ("64B:9000B", True), ("1kB:9kB", False)]
)
def test_a_range_from_whole_to_whole_without_a_smaller_unit_is_whole(text: str, is_whole: bool) -> None:
    assert search_space.spelled([f"k={text}"])["k"].is_whole == is_whole  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("100kB:4MB", "100kB:4000kB"),
        ("64B:1.5kB", "64B:1500B"),
        ("100KiB:1MB", "100KiB:976.5625KiB"),
        ("0.5us:1ms", "0.5us:1000us"),
        ("2.5Gbps:0.4Tbps", "2.5Gbps:400Gbps"),
        ("900kB:1MB", "900kB:1000kB"),
    ],
)
def test_ends_in_two_units_are_converted_to_the_smaller_exactly(text: str, told: str) -> None:
    assert str(search_space.spelled([f"k={text}"])["k"]) == told


@pytest.mark.parametrize(("text", "is_logarithmic"), [("1us:9us", False), ("1us:10us", True), ("0:1", False)])
def test_a_range_of_magnitudes_is_searched_by_them(text: str, is_logarithmic: bool) -> None:
    found = search_space.spelled([f"k={text}"])["k"]
    assert isinstance(found, Range)
    assert found.is_logarithmic == is_logarithmic


def test_steps_are_ordered_and_names_are_not() -> None:
    found = search_space.spelled(["k=10kB:30kB:10kB", "l=1,2,8", "m=dctcp,reno", "n=8,1,2", "o=1us,1ms"])
    assert found["k"] == Choice(("10kB", "20kB", "30kB"), is_ordered=True)
    assert [dimension.is_ordered for dimension in found.values() if isinstance(dimension, Choice)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert found["l"] == Choice((1, 2, 8), is_ordered=True)


def test_of_values_in_order_three_are_examples() -> None:
    """A scenario is laid out for each, which a step of a ten-thousandth of the way would make ten thousand."""
    found = search_space.spelled(["k=1:9:1", "l=1us,9us", "m=a,b,c,d"])
    assert [dimension.examples for dimension in found.values()] == [[1, 5, 9], ["1us", "9us"], ["a", "b", "c", "d"]]


def test_python_gives_text_or_values() -> None:
    found = search_space.given({"k": "1us:10us", "l": [True, False], "m": [{"policy": "complete_sharing"}, "x"]})
    assert found["k"] == Range(Decimal(1), Decimal(10), "us")
    assert found["l"] == Choice((True, False))
    assert str(found["k"]) == "1us:10us"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("k", "--tune k: no values"),
        ("k=5kB", "--tune k: leaves nothing to choose; expected START:END, such as"),
        ("k=9kB:5kB", "--tune k: 9kB:5kB starts where it ends, or above"),
        ("k=a,a", "--tune k: a value stands twice"),
        ("k=1kB:2us", "--tune k: is no range; expected START:END"),
        ("k=1kB:2", "--tune k: is no range; expected START:END"),
        ("k=1kB:1MB:1kB", "--tune k: is no range; expected START:END"),
        ("k=1MB:900kB", "--tune k: 1MB:900kB starts where it ends, or above"),
        ("k=1:4:2", "--tune k: steps of 2 from 1 do not lead to 4"),
    ],
)
def test_what_leaves_no_choice_is_refused(text: str, says: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        search_space.spelled([text])
    assert str(refused.value).startswith(says)


def test_python_hears_what_is_no_space() -> None:
    with pytest.raises(TypeError, match="space: is a list; expected a dictionary"):
        search_space.given([])  # type: ignore[arg-type]
    with pytest.raises(ScenarioError, match="k: is a int; expected START:END"):
        search_space.given({"k": 5})  # type: ignore[dict-item]
