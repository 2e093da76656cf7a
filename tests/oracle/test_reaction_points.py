"""Reaction points in random runs: rates of the oracle, and those that the simulator records."""

import random
import secrets
from bisect import bisect_left, bisect_right
from typing import Any

import pytest

from conftest import NIGHTLY
from oracle.flows import WIRE, flows_of, moments
from oracle.reaction_points import Dcqcn, DcqcnPoint, Qcn, QcnPoint, cnps, rates
from xoff import Scenario

RUNS = 200 if NIGHTLY else 6
FIRST = secrets.randbelow(10**9) if NIGHTLY else 0
PACKET_BESIDE_CNM = 539_052_046
"""Seed of a run of QCN in which a packet is sent in the nanosecond in which a CNM comes."""
CHANGE_BELOW_A_BIT = 559_858_972
"""Seed of a run of DCQCN in which a timer raises a rate by less than 1 bps."""
MICROSECOND = 10**6


def difference(expected: list[tuple[int, float]], recorded: list[tuple[int, float]], *, within_ns: int) -> str:
    """Says where rates first differ at a change of either; nothing if they never do.

    Recorded rates are whole bits per second, so that changes of less may be recorded, or not.
    """
    expected = [(time // 1000, rate) for time, rate in expected]

    def compare(of: list[tuple[int, float]], other: list[tuple[int, float]], names: tuple[str, str]) -> str:
        times = [time for time, _ in other]
        for time, rate in of:
            first, end = bisect_left(times, time - within_ns), bisect_right(times, time + within_ns)
            # Changes of the other within the time, or what it last changed to.
            found = [value for _, value in other[min(first, end - 1) : end]]
            if rate not in [pytest.approx(value, rel=1e-6) for value in found]:
                return f"{names[0]} {rate} bps at {time} ns; {names[1]} {found}"
        return ""

    return compare(expected[1:], recorded, ("the oracle", "recorded")) or compare(
        recorded, expected, ("recorded", "the oracle")
    )


@pytest.mark.parametrize("seed", [*range(FIRST, FIRST + RUNS), CHANGE_BELOW_A_BIT])
def test_dcqcn(seed: int) -> None:
    """CNPs come when the notification point of the paper sends them, and rates are those of its reaction point."""
    rng = random.Random(seed)
    senders, gbps = rng.randint(2, 5), rng.choice([10, 40, 100])
    interval, end = rng.randint(10, 60) * MICROSECOND, 1_500 * MICROSECOND
    parameters = Dcqcn(
        line_rate=gbps * 1e9,
        gain=1 / rng.choice([4, 16, 256]),
        alpha_period=rng.randint(10_000_000, 90_000_000),
        timer=rng.randint(10_000_000, 300_000_000),
        byte_counter=rng.choice([0, rng.randint(50_000, 2_000_000)]),
        fast_recovery=rng.randint(0, 6),
        additive=rng.randint(1, 100) * 1e6,
        hyper=rng.randint(1, 500) * 1e6,
        minimum=rng.randint(1, 1000) * 1e6,
    )
    control = {
        "algorithm": "dcqcn",
        "gain": parameters.gain,
        "alpha_period": f"{parameters.alpha_period}ps",
        "timer": f"{parameters.timer}ps",
        "byte_counter": f"{parameters.byte_counter}B",
        "fast_recovery": parameters.fast_recovery,
        "additive_increase": f"{parameters.additive:.0f}bps",
        "hyper_increase": f"{parameters.hyper:.0f}bps",
        "minimum_rate": f"{parameters.minimum:.0f}bps",
        "cnp_interval": f"{interval}ps",
    }
    red = {"kind": "red", "minimum": "5kB", "maximum": "200kB", "probability": rng.randint(1, 100) / 100}
    scenario: dict[str, Any] = {
        "seed": seed,
        "stop": {"at": f"{end}ps"},
        "observe": {"packets": ["*"], "rates": {"every": "change"}},
        "topology": {"kind": "star", "hosts": senders + 1, "host_link": {"rate": f"{gbps}Gbps", "delay": "1234567ps"}},
        "switch": [{"total": "9MB", "marking": {"queue": red}}],
        "transport": {"rdma": {"kind": "roce", "congestion_control": control}},
        "workload": [
            {
                "kind": "long_lived",
                "transport": "rdma",
                "pairs": [[f"host{n}", f"host{senders}"] for n in range(senders)],
            }
        ],
    }
    flows = flows_of(Scenario.from_dict(scenario).run())
    assert len(flows) == senders
    for flow in flows.values():
        assert flow.cnps_sent == cnps(flow.received, interval, end)
        notified = [(time, 0) for time in flow.cnps_received]
        sent = [(time, frame + WIRE) for time, frame in flow.sent]
        found = difference(rates(DcqcnPoint(parameters), notified, sent, end), flow.rates, within_ns=0)
        assert not found, found
    assert sum(len(flow.rates) for flow in flows.values()) > 6


@pytest.mark.parametrize("seed", [*range(FIRST, FIRST + RUNS), PACKET_BESIDE_CNM])
def test_qcn(seed: int) -> None:
    """Rates are those of the standard's reaction point, by the feedback of the notifications that came."""
    rng = random.Random(seed)
    end = 30_000 * MICROSECOND
    parameters = Qcn(
        line_rate=10e9,
        byte_counter=rng.randint(20_000, 300_000),
        timer=rng.randint(100, 7_000) * MICROSECOND,
        cycles=rng.randint(1, 6),
        additive=rng.randint(1, 50) * 1e6,
        hyper=rng.randint(1, 200) * 1e6,
        gain=1 / rng.choice([64, 128, 256]),
        decrease=rng.choice([0.25, 0.5, 0.75]),
        minimum=rng.randint(1, 100) * 1e6,
        extra_fast_recovery=rng.random() < 0.5,
    )
    scenario: dict[str, Any] = {
        "seed": seed,
        "stop": {"at": f"{end}ps"},
        "observe": {"packets": ["*"], "rates": {"every": "change"}, "cnms": {"every": "change"}},
        "topology": {
            "kind": "star",
            "hosts": 4,
            "host_link": {"rate": "10Gbps", "delay": "1us"},
            "links": [{"between": ["host2", "switch0"], "rate": f"{rng.randint(1, 6)}Gbps"}],
        },
        "class": [{"priority": 0, "lossless": True}],
        "switch": [
            {
                "kind": "cioq",
                "input": {"buffer": "150kB", "xoff": "110kB", "xon": "44kB"},
                "output": {"buffer": "150kB", "congestion_point": {"sampling": "arrival", "set_point": "40kB"}},
            }
        ],
        "host": {
            "small_queue": "2kB",
            "reaction_point": {
                "byte_counter": f"{parameters.byte_counter}B",
                "timer": f"{parameters.timer}ps",
                "cycles": parameters.cycles,
                "additive_increase": f"{parameters.additive:.0f}bps",
                "hyper_increase": f"{parameters.hyper:.0f}bps",
                "gain": parameters.gain,
                "minimum_decrease": parameters.decrease,
                "minimum_rate": f"{parameters.minimum:.0f}bps",
                "extra_fast_recovery": parameters.extra_fast_recovery,
            },
        },
        "transport": {"raw": {"kind": "constant_rate", "payload": "1464B", "rate": "5Gbps", "catch_up": False}},
        "workload": [
            {
                "kind": "long_lived",
                "transport": "raw",
                "pairs": [["host0", "host2"], ["host1", "host2"], ["host0", "host3"]],
            }
        ],
    }
    flows = flows_of(Scenario.from_dict(scenario).run())
    for flow in flows.values():
        # Cycles of the timer are whole or half.
        ways = moments(flow, parameters.timer // 2)
        expected = (rates(QcnPoint(parameters), cnms, flow.sent, end) for cnms in ways)
        found = [difference(of_way, flow.rates, within_ns=1) for of_way in expected]
        assert "" in found, found
    assert sum(len(flow.rates) for flow in flows.values()) > 6
