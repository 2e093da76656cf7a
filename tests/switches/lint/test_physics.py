"""The formulas of the checks, by hand."""

import pytest

from xoff.switches.lint.physics import bytes_on_cable, dynamic_limit, guaranteed_minimum, response_bytes


@pytest.mark.parametrize(
    ("speed_mbps", "cable_m", "needed"),
    [
        (400_000, 1500, 757_576),  # 2 x 1500 m / 1.98e8 m/s = 15.1515 us, at 50 B/ns 757,575.8 B
        (100_000, 40, 5_051),  # 0.40404 us at 12.5 B/ns: 5050.5 B
        (100_000, 99, 12_500),  # exactly 1 us
        (100_000, 0, 0),
    ],
)
def test_what_is_in_flight_on_a_cable_is_rounded_up(speed_mbps: int, cable_m: int, needed: int) -> None:
    assert bytes_on_cable(speed_mbps, cable_m) == needed


def test_the_other_end_answers_within_quanta_of_64_bytes() -> None:
    assert [response_bytes(speed) for speed in (10_000, 100_000, 400_000)] == [4288, 25_216, 57_920]
    assert response_bytes(1_000) is None


@pytest.mark.parametrize(("exponent", "limit"), [(3, 8_000_000), (0, 4_500_000), (-3, 1_000_000)])
def test_a_lone_queue_holds_alpha_over_one_plus_alpha_of_its_pool(exponent: int, limit: int) -> None:
    assert dynamic_limit(exponent, 9_000_000) == limit


def test_marks_before_pauses_are_guaranteed_as_dcqcn_computes_it() -> None:
    # Section 4: B = 12 MB less 5,734,400 B of headroom, 32 ports, 8 classes, beta = 8, so alpha = 1: printed 21.75 KB.
    assert guaranteed_minimum(0, 12_000_000 - 5_734_400, ports=32, classes=8) == 21_755
