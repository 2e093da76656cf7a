"""Means and ratios with their intervals, against values from a table of Student's t."""

import math

import pytest
from scipy import special

from xoff.results import intervals
from xoff.results.intervals import Estimate

T_2 = 4.302653  # 97.5 % quantile of Student's t with 2 degrees of freedom


def test_the_interval_of_a_mean_is_student_s_of_the_logarithms_around_it() -> None:
    times = 2 ** (T_2 / math.sqrt(3))  # logarithms 0, 1 and 2 times that of 2
    assert intervals.mean([1.0, 2.0, 4.0]) == pytest.approx((7 / 3, 7 / 3 / times, 7 / 3 * times))


def test_the_interval_of_a_mean_with_zeros_is_student_s_and_ends_at_zero() -> None:
    half = T_2 / math.sqrt(3)  # the standard deviation is 1
    assert intervals.mean([0.0, 1.0, 2.0]) == pytest.approx((1, 0, 1 + half))


@pytest.mark.parametrize("count", [*range(2, 40), 101, 10_000])
def test_the_quantile_of_student_s_t_is_scipy_s(count: int) -> None:
    values = [0.0] * (count - 1) + [1.0]
    half = intervals.mean(values).high or 0
    error = math.sqrt((1 - 1 / count) / (count - 1) / count)  # of the mean of one 1 among zeros
    assert half - 1 / count == pytest.approx(special.stdtrit(count - 1, 0.975) * error, rel=1e-11)


@pytest.mark.parametrize(
    ("measure", "values", "least", "most"),
    [
        ("flows.all.slowdown_p99", [1.2, 9.0], 1, math.inf),
        ("workloads[1].slowdown_mean", [1.0, 1.0, 1.5], 1, math.inf),
        ("flows.small.fct_p99_us", [3.0, 300.0], 0, math.inf),
        ("loss_rate", [0.0, 0.02], 0, 1),
        ("queries.timeout_fraction", [0.9, 0.5], 0, 1),
        ("flows.long_lived_jain_index", [0.4, 0.99], 0, 1),
        ("flows.timeouts", [0.0, 40.0, 1.0], 0, math.inf),
    ],
)
def test_an_interval_holds_its_mean_and_what_is_possible(
    measure: str, values: list[float], least: float, most: float
) -> None:
    value, low, high = intervals.of_measure(measure, values)
    assert value == pytest.approx(sum(values) / len(values))
    assert low is not None
    assert high is not None
    assert least <= low < value < high <= most


def test_slowdowns_below_one_have_the_interval_of_any_measure() -> None:
    values = [0.192574, 0.192574, 0.207774]  # a link that gets faster leaves flows faster than alone at the start
    times = math.exp(T_2 * math.log(values[2] / values[0]) / 3)
    mean = sum(values) / 3
    assert intervals.of_measure("flows.all.slowdown_mean", values) == pytest.approx((mean, mean / times, mean * times))


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


@pytest.mark.parametrize(
    ("estimate", "is_vague"),
    [
        (Estimate(2, 0.5, 20.1), True),
        (Estimate(2, 0.19, 5), True),
        (Estimate(2, 0.2, 20), False),
        (Estimate(2, 0, 21), True),
        (Estimate(2, 0, 9), False),
        (Estimate(2), False),
        (Estimate(0, 0, 0), False),
    ],
)
def test_an_interval_of_ten_times_the_value_to_a_side_tells_nothing(estimate: Estimate, is_vague: bool) -> None:
    assert estimate.is_vague == is_vague
    assert estimate.unless_vague == (Estimate(2) if is_vague else estimate)


def test_zeros_have_no_interval() -> None:
    assert intervals.ratio([0.0, 0.0], [2.0, 4.0]) == (0, None, None)
    assert intervals.ratio([0.0, 3.0], [2.0, 4.0]) == (0.5, None, None)
    assert intervals.ratio([1.0, 2.0], [0.0, 0.0]) is None
