"""Means and ratios with their intervals, against values from a table of Student's t."""

import math

import pytest

from xoff import intervals

T_2 = 4.302653  # 97.5 % quantile of Student's t with 2 degrees of freedom


def test_the_interval_of_a_mean_is_student_s() -> None:
    half = T_2 / math.sqrt(3)  # the standard deviation is 1
    assert intervals.mean([1.0, 2.0, 3.0]) == pytest.approx((2, 2 - half, 2 + half))


def test_one_seed_says_nothing_about_others() -> None:
    assert intervals.mean([7.0]) == (7.0, None, None)
    assert intervals.ratio([3.0], [2.0]) == pytest.approx((1.5, None, None))


def test_a_ratio_is_the_geometric_mean_of_the_pairs() -> None:
    found = intervals.ratio([1.0, 8.0, 8.0], [1.0, 4.0, 2.0])  # 1, 2 and 4: logarithms 0, 1 and 2 times that of 2
    half = 2 ** (T_2 / math.sqrt(3))
    assert found == pytest.approx((2, 2 / half, 2 * half))


def test_a_ratio_and_its_inverse_agree() -> None:
    one, other = [3.0, 5.0, 4.0], [7.0, 6.0, 9.0]
    forth, back = intervals.ratio(one, other), intervals.ratio(other, one)
    assert forth is not None
    assert back is not None
    assert back.low is not None
    assert forth.value * back.value == pytest.approx(1)
    assert forth.high == pytest.approx(1 / back.low)


def test_equal_runs_leave_no_doubt() -> None:
    assert intervals.ratio([5.0, 6.0], [5.0, 6.0]) == (1, 1, 1)


def test_zeros_have_no_interval() -> None:
    assert intervals.ratio([0.0, 0.0], [2.0, 4.0]) == (0, None, None)
    assert intervals.ratio([0.0, 3.0], [2.0, 4.0]) == (0.5, None, None)
    assert intervals.ratio([1.0, 2.0], [0.0, 0.0]) is None
