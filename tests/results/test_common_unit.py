"""Values of one measure in one unit."""

import pytest

from xoff.results.common_unit import telling


@pytest.mark.parametrize(
    ("measure", "values", "told"),
    [
        ("goodput_gbps", [0.0412, 0.00012], ["41.2 Mbps", "0.120 Mbps"]),
        ("goodput_gbps", [1802.1, 9.32, 0.0412, 0], ["1,802.1 Gbps", "9.32 Gbps", "0.0412 Gbps", "0 Gbps"]),
        ("flows.small.fct_p99_us", [143.2, 7060], ["0.143 ms", "7.06 ms"]),
        ("flows.small.fct_p99_us", [24.6, 0.25], ["24.6 us", "0.250 us"]),
        ("end_ns", [500, 1500], ["0.500 us", "1.50 us"]),
        ("buffer.peak_bytes", [464_800, 12], ["464.8 kB", "0.0120 kB"]),
        ("goodput_gbps", [0, 0], ["0 Gbps", "0 Gbps"]),
        ("loss_rate", [0.0032, 0.0000012], ["0.32 %", "0.00012 %"]),
        ("flows.timeouts", [35.667, 0], ["35.67", "0"]),
    ],
)
def test_all_are_in_the_unit_of_the_greatest(measure: str, values: list[float], told: list[str]) -> None:
    assert list(map(telling(measure, values), values)) == told
