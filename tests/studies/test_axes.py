"""Axes of sweeps as files and the command line spell them."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from xoff.errors import ScenarioError
from xoff.studies.axes import Axis, combinations, spelled


def test_values_of_a_key_have_its_unit() -> None:
    axis = Axis(key="switch.marking.queue.threshold", values=[25, 0.5], unit="kB")
    assert axis.positions == {
        25: {"switch.marking.queue.threshold": "25kB"},
        0.5: {"switch.marking.queue.threshold": "0.5kB"},
    }


def test_names_change_keys_of_their_own_and_may_be_numbers() -> None:
    axis = Axis(values={"dsh": {"switch.pfc.headroom.scheme": "dsh"}, "0.5": {}})
    assert axis.positions == {"dsh": {"switch.pfc.headroom.scheme": "dsh"}, 0.5: {}}


def test_every_combination_is_there_and_the_later_axis_has_the_last_word() -> None:
    axes: Any = {"a": {1: {"x": 1, "y": 1}, 2: {"x": 2}}, "b": {"p": {"x": 3}, "q": {}}}
    assert list(combinations(axes)) == [
        ({"a": 1, "b": "p"}, {"x": 3, "y": 1}),
        ({"a": 1, "b": "q"}, {"x": 1, "y": 1}),
        ({"a": 2, "b": "p"}, {"x": 3}),
        ({"a": 2, "b": "q"}, {"x": 2}),
    ]


def test_commas_within_brackets_braces_and_quotes_separate_nothing() -> None:
    assert spelled(['a=1, 2us,[3, 4],{ b = 5, c = [6, 7] },"8,9"', "d=e"]) == {
        "a": ["1", "2us", "[3, 4]", "{ b = 5, c = [6, 7] }", '"8,9"'],
        "d": ["e"],
    }


def test_values_on_the_command_line_are_what_set_takes() -> None:
    axis = Axis.spelled("k", ["16", "0.5", "25kB", "true", "[1, 2]", '"7"', "1979-05-27"])
    assert [changes["k"] for changes in axis.positions.values()] == [16, 0.5, "25kB", True, [1, 2], "7", "1979-05-27"]


@pytest.mark.parametrize("text", ["a", "a=", "=1", "a=1,,2", "a=1,"])
def test_what_has_no_values_is_refused(text: str) -> None:
    with pytest.raises(ScenarioError, match=f"^--sweep {text}: no values; expected KEY=A,B,C"):
        spelled([text])


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"values": [1]}, "has no key; expected the key that takes the values"),
        ({"key": "a", "values": []}, "has no values; expected a list"),
        ({"key": "a", "values": 3}, "has no values; expected a list"),
        ({"key": "a", "values": [1, [2]]}, "has lists or tables for values"),
        ({"key": "a", "values": [1, 1.0]}, "has a value twice"),
        ({"key": "a", "values": {"b": {}}}, "has names for values; expected .* no key and no unit"),
        ({"values": {"0.3": {}, "0.30": {}}}, "has a value twice"),
        ({"values": {"b": 3}}, "has names for values; expected for each a table"),
        ({"values": {"a\n=cmd": {}}}, "has a name of several lines, or with control characters; expected one line"),
    ],
)
def test_what_is_no_axis_is_refused(table: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Axis.model_validate(table)


@pytest.mark.parametrize(
    "values", [np.array([1, 2]), [np.int64(1), np.uint8(2)], (each for each in (1, 2)), np.linspace(1, 2, 2)]
)
def test_what_python_gives_is_plain_numbers(values: object) -> None:
    positions = Axis.given("k", values).positions
    assert positions == {1: {"k": 1}, 2: {"k": 2}}
    assert {type(at) for at in positions} <= {int, float}


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], "has no values; expected a list of them"),
        ({}, "has no values; expected a list of them"),
        (3, "has no values; expected a list of them"),
        (np.array(3), "has no values; expected a list of them"),
        ("1MB", "has no values; expected a list of them"),
        ([[1]], "has lists or tables for values; expected numbers"),
        ([1, 1.0], "has a value twice; expected each once"),
        ({"a": 1}, "has names for values; expected for each a table"),
    ],
)
def test_what_python_gives_and_is_no_axis_is_a_line_that_names_it(values: object, says: str) -> None:
    with pytest.raises(ScenarioError, match=f"^switch.total: {says}") as refused:
        Axis.given("switch.total", values)
    assert "\n" not in str(refused.value)
