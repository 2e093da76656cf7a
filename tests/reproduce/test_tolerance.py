"""Tolerances around published values."""

import math

import pytest

from xoff.reproduce.tolerance import Tolerance


@pytest.mark.parametrize(
    ("text", "published", "near", "far"),
    [
        ("+-20 %", 100, (80, 120), (79.9, 120.1)),
        ("+-20%", -100, (-80, -120), (-79.9, -120.1)),
        ("+-0.5", 85, (84.5, 85.5), (84.4, 85.6)),
        ("+-0", 0, (0,), (1e-300,)),
        (">= 3", None, (3, math.inf), (2.999,)),
        ("> 1", None, (1.0000001,), (1, 0.9)),
        ("<= 1e-3", None, (1e-3, -5), (1.001e-3,)),
        ("< 1e-5", None, (9.9e-6,), (1e-5,)),
        ("0.99..1.05", None, (0.99, 1, 1.05), (0.98, 1.06)),
        ("-2..-1", None, (-2, -1), (0,)),
    ],
)
def test_near_and_far(text: str, published: float | None, near: tuple[float, ...], far: tuple[float, ...]) -> None:
    tolerance = Tolerance.parse(text, published)
    assert all(tolerance.holds(value) for value in near)
    assert not any(tolerance.holds(value) for value in (*far, math.nan))


@pytest.mark.parametrize("text", ["", "20 %", "about 3", "=> 3", "1...2", "+-20 % or so"])
def test_nothing_else_is_understood(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Tolerance.parse(text, 1.0)


def test_around_nothing_is_nowhere() -> None:
    with pytest.raises(ValueError, match="20"):
        Tolerance.parse("+-20 %", None)


@pytest.mark.parametrize(
    ("text", "measured", "told"),
    [
        (">= 5000", 4000, "20.0% below the limit"),
        ("0.99..1.05", 1.155, "10.0% above the limit"),
        ("<= 0", 3, "3 above the limit"),
        ("> 1", math.nan, "is undefined"),
    ],
)
def test_the_distance_is_to_the_nearest_that_holds(text: str, measured: float, told: str) -> None:
    assert Tolerance.parse(text, None).distance(measured) == told
