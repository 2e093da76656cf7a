"""Time until one port is busy again after flows begin at once, and the queue at that time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from planned import LOSSLESS, planned

from xoff.switches.plan.simulate import scenario, settling
from xoff.switches.plan.simulate.settling import SettlingTrial

if TYPE_CHECKING:
    from xoff.switches.plan.outcome import Outcome

FAST = 'count = 9\nrate = "400Gbps"\ndelay = "1.5us"'
DCQCN = '[congestion]\nscheme = "dcqcn"\n'
DCTCP = '[congestion]\nscheme = "dctcp"\nround_trip = "100us"\n'


def settled(found: Outcome) -> SettlingTrial:
    case = settling(found)
    assert case is not None
    return case.trial(scenario(case).run())


def dctcp(rest: str) -> Outcome:
    return planned("trident_plus", "", 'count = 9\nrate = "10Gbps"\ndelay = "1us"', "priorities = [0]", DCTCP + rest)


def test_times_and_shares_are_those_of_the_series() -> None:
    busy = np.array([1.0] * 2 + [0.5] * 18 + [0.94] * 29 + [0.95] + [0.9] * 25 + [1.0] * 25)
    queue = np.concatenate([np.full(500, 10**6), np.arange(1, 501)])
    found = SettlingTrial.of(busy[2:], queue, 980.0)
    assert found.busy_after_us == pytest.approx(480)  # the 48th of 98 intervals of 10 us is the first of 95 %
    assert found.settled_busy == pytest.approx((24 * 0.9 + 25) / 49)
    assert (found.settled_queue_p50_bytes, found.settled_queue_p99_bytes) == (251, 496)
    assert SettlingTrial.of(busy[2:49], queue, 47.0).busy_after_us is None
    assert SettlingTrial.of(busy, queue, 1000.0).start_busy == pytest.approx((2 + 18 * 0.5) / 20)


def test_the_queue_is_that_of_the_flows_class() -> None:
    """CNPs have a class of their own, whose queue is empty nearly always."""
    cnps = f'{LOSSLESS}\n[[class]]\nname = "cnp"\npriorities = [7]'
    of_two_classes = settled(planned("tomahawk_4", ports=FAST, classes=cnps, rest=DCQCN))
    case = settling(planned("tomahawk_4", ports=FAST, classes=cnps, rest=DCQCN))
    assert case is not None
    series = scenario(case).run().series
    assert series is not None
    rows = [row for row in series.to_pylist() if row["quantity"] == "queue"]
    assert {row["priority"] for row in rows} == {3, 7}
    own = [row["value"] for row in rows if row["priority"] == 3]
    assert of_two_classes.settled_queue_p50_bytes == sorted(own[len(own) // 2 :])[len(own) // 4]


def test_increases_made_for_slow_links_leave_fast_ones_idle() -> None:
    """With those of the paper, of 40 Gb/s, eight flows take tens of milliseconds for a link of ten times the rate."""
    slow = settled(planned("tomahawk_4", ports=FAST, rest=DCQCN))
    more = 'additive_increase = "400Mbps"\nhyper_increase = "2Gbps"\n'
    fast = settled(planned("tomahawk_4", ports=FAST, rest=DCQCN + more))
    assert slow.start_busy < 0.5 * fast.start_busy
    assert slow.busy_after_us is not None
    assert fast.busy_after_us is not None
    assert slow.busy_after_us > 2 * fast.busy_after_us
    assert min(slow.settled_busy, fast.settled_busy) > 0.95


def test_a_threshold_below_dctcps_bound_leaves_the_port_idle() -> None:
    """C RTT / 7 are 17.9 kB (DCTCP, section 3.4); two packets of eight flows in step are far less."""
    bound, below = settled(dctcp('threshold = "40kB"')), settled(dctcp('threshold = "2kB"'))
    assert bound.settled_busy > 0.99
    assert below.settled_busy < 0.97
    assert bound.settled_queue_p50_bytes > 10 * below.settled_queue_p50_bytes


def test_the_first_of_the_fastest_ports_settles() -> None:
    slow = 'name = "slow"\ncount = 4\nrate = "100Gbps"\ndelay = "1us"\n[[ports]]\nname = "fast"\n'
    case = settling(planned("tomahawk_3", "mmus = 1", slow + FAST.replace("9", "3"), rest=DCQCN))
    assert case is not None
    table: Any = case.table()
    assert table["observe"]["throughput"]["of"] == ["switch0.port4"]
    assert table["workload"][0]["pairs"] == [[f"host{n}", "host4"] for n in (5, 6, 0, 1, 2, 3)]
    assert case.described == "6 long flows into one port of 400 Gb/s, which start at once"


@pytest.mark.parametrize(
    ("classes", "rest"),
    [
        (LOSSLESS, ""),
        (f'{LOSSLESS}\n[[class]]\nname = "tcp"\npriorities = [0]', DCTCP),
        (LOSSLESS, '[congestion]\nscheme = "qcn"\nset_point = "60kB"\nbuffer = "150kB"\nstop = "110kB"\ngo = "44kB"\n'),
    ],
)
def test_nothing_settles_where_the_hosts_of_the_worst_case_answer_no_congestion(classes: str, rest: str) -> None:
    assert settling(planned("tomahawk", classes=classes, rest=rest)) is None
