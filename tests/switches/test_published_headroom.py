"""Headroom as the papers count it, from what an operator computes."""

import pytest

from xoff.switches import headroom


def test_the_papers_example() -> None:
    assert headroom.published_headroom(rate_bps=40 * 10**9, delay_ns=1500, largest_bytes=1500) == {
        "wait_bytes": 1500,
        "propagation_bytes": 7500,
        "reaction_bytes": 3840,
        "response_bytes": 1500,
        "last_propagation_bytes": 7500,
        "total_bytes": 21_840,
    }


@pytest.mark.parametrize(
    ("gbps", "delay_ns", "largest_bytes", "total_bytes"),
    [(10, 1500, 9000, 25_590), (100, 2000, 1048, 55_936), (400, 1500, 1500, 156_840)],
)
def test_rate_delay_and_packet_count(gbps: int, delay_ns: int, largest_bytes: int, total_bytes: int) -> None:
    found = headroom.published_headroom(rate_bps=gbps * 10**9, delay_ns=delay_ns, largest_bytes=largest_bytes)
    assert found["total_bytes"] == total_bytes


def test_a_link_has_a_rate() -> None:
    with pytest.raises(ValueError, match="rate 0"):
        headroom.published_headroom(rate_bps=0, delay_ns=0, largest_bytes=1500)
