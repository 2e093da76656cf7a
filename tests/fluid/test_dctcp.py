"""DCTCP's closed forms at the paper's own example, and the laws between them."""

import pytest

from xoff.fluid.dctcp import Bottleneck, ExactSteadyState, SteadyState

EXAMPLE = Bottleneck(rate_bps=10e9, round_trip_ns=100_000)
"""Of figure 12: 83.33 packets fill it."""


@pytest.mark.parametrize(
    ("gbps", "round_trip_us", "packets"),
    [
        (1, 100, 1.19),
        (1, 300, 3.57),
        (10, 100, 11.9),
        (10, 300, 35.7),
        (40, 50, 23.8),
        (100, 16, 19.0),
        (100, 80, 95.2),
    ],
)
def test_a_seventh_of_what_is_in_flight_is_the_least_threshold(gbps: int, round_trip_us: int, packets: float) -> None:
    bottleneck = Bottleneck(rate_bps=gbps * 1e9, round_trip_ns=round_trip_us * 1e3)
    assert bottleneck.least_threshold == pytest.approx(packets, rel=3e-3)


@pytest.mark.parametrize(
    ("gbps", "round_trip_us", "packet_bytes", "threshold", "gain"),
    [
        (1, 100, 1500, 20, 0.184),
        (10, 100, 1500, 40, 0.0882),
        (10, 100, 1500, 65, 0.0805),
        (100, 80, 9000, 80, 0.0709),
        (100, 80, 1500, 480, 0.0289),
    ],
)
def test_the_greatest_gain(gbps: int, round_trip_us: int, packet_bytes: int, threshold: float, gain: float) -> None:
    bottleneck = Bottleneck(rate_bps=gbps * 1e9, round_trip_ns=round_trip_us * 1e3, packet_bytes=packet_bytes)
    assert bottleneck.greatest_gain(threshold) == pytest.approx(gain, rel=3e-3)


@pytest.mark.parametrize(
    ("flows", "window", "share", "amplitude", "period", "least"),
    [
        (2, 61.67, 0.18009, 11.106, 5.553, 30.894),
        (10, 12.333, 0.40269, 24.833, 2.483, 25.167),
        (40, 3.0833, 0.80539, 49.666, 1.242, 30.334),
    ],
)
def test_the_sawtooth_by_square_roots(
    flows: int, window: float, share: float, amplitude: float, period: float, least: float
) -> None:
    state = SteadyState(bottleneck=EXAMPLE, flows=flows, threshold=40)
    found = (state.window, state.marked_share, state.amplitude, state.period_round_trips, state.queue_min)
    assert found == pytest.approx((window, share, amplitude, period, least), rel=5e-4)
    assert state.queue_max == 40 + flows


@pytest.mark.parametrize(
    ("flows", "share", "amplitude", "period", "least"),
    [(2, 0.18213, 11.413, 5.707, 30.587), (10, 0.40055, 26.703, 2.670, 23.297), (40, 0.72449, 59.167, 1.479, 20.833)],
)
def test_the_exact_sawtooth(flows: int, share: float, amplitude: float, period: float, least: float) -> None:
    state = ExactSteadyState(bottleneck=EXAMPLE, flows=flows, threshold=40)
    found = (state.marked_share, state.amplitude, state.period_round_trips, state.queue_min)
    assert found == pytest.approx((share, amplitude, period, least), rel=5e-4)


@pytest.mark.parametrize(("flows", "threshold"), [(123, 40), (40, 40), (10, 40), (1, 40), (1, 1e5), (1, 1e11)])
def test_the_exact_share_solves_equation_6(flows: int, threshold: float) -> None:
    state = ExactSteadyState(bottleneck=EXAMPLE, flows=flows, threshold=threshold)
    share, right = state.marked_share, (2 * state.window + 1) / (state.window + 1) ** 2
    assert 0 < share <= 1
    assert share**2 * (1 - share / 4) == pytest.approx(right, rel=1e-14)


def test_the_queue_does_not_run_empty_at_the_least_threshold() -> None:
    lowest = min(
        SteadyState(bottleneck=EXAMPLE, flows=flows, threshold=EXAMPLE.least_threshold).queue_min
        for flows in range(1, 60)
    )
    assert lowest == pytest.approx(0, abs=0.1)


def test_a_window_below_a_packet_is_no_sawtooth() -> None:
    with pytest.raises(ValueError, match=r"200 flows: the window at the threshold is 0\.617 packets"):
        SteadyState(bottleneck=EXAMPLE, flows=200, threshold=40)
