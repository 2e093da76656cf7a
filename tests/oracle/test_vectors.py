"""The oracle itself, held to numbers computed by hand or printed in papers."""

from fractions import Fraction

import pytest

from oracle.flows import Flow, moments
from oracle.switch import Lossless, Lossy, Marker, Policy, Pool, Settings, Switch

SIXTEENTH = Policy("dynamic_threshold", alphas=(Fraction(1, 16),) * 8)


def settings(ports: int, lossless: Lossless | None, pool: int = 0) -> Settings:
    """A switch of 100 Gbps ports."""
    return Settings(
        ports=ports,
        classes=(0, 3),
        rates=(100 * 10**9,) * ports,
        lossy=Lossy(((pool, tuple(range(ports))),), Policy("complete_sharing"), 0, per_port=False),
        lossless=lossless,
        on_queue=None,
        on_port=None,
        on_pool=None,
        cell=None,
        keeps=False,
    )


def test_dynamic_threshold_leaves_saturated_queues_their_fixed_point() -> None:
    """B alpha / (1 + M alpha), with alpha 4 and 3 MB (Choudhury and Hahne; BCC, section 2)."""
    for queues, each in [(1, 2_400_000), (4, 705_882), (8, 363_636)]:
        pool = Pool(3_000_000, Policy("dynamic_threshold", alphas=(Fraction(4),) * 8), queues)
        pool.used = queues * each
        assert pool.threshold(0) == pytest.approx(each, abs=2 * queues)


def test_red_rises_and_jumps() -> None:
    """K_min 100 kB, K_max 400 kB, P_max 0.2 (DCQCN, figure 5)."""
    red = Marker(100_000, 400_000, 0.2, at_departure=False, marks_only=False)
    chances = [red.chance(length) for length in (100_000, 250_000, 399_900, 401_000)]
    assert chances == pytest.approx([0.0, 0.1, 0.199_933, 1.0], abs=1e-6)


def test_packets_count_as_private_then_shared_then_headroom() -> None:
    """DSH, algorithm 1: 3 KiB private, alpha 1/16 of 2,649,088 B; the packet beyond the threshold pauses the sender.

    With the test of decision 14 a queue pauses with the packet that reaches its threshold: the 149th that is shared.
    """
    lossless = Lossless((3,), 2_649_088, SIXTEENTH, 3072, 0, "sih", (60_000, 60_000))
    switch = Switch(settings(2, lossless))
    assert switch.ingress is not None
    packets = 0
    while not switch.ingress.changes:
        assert switch.arrive(packets, 0, 1, 3, 1048, waits=True).drop is None
        packets += 1
    assert packets == 2 + 149
    assert switch.ingress.bytes(0, 3) == packets * 1048


def test_margins_follow_the_growth_of_queues_that_take_turns() -> None:
    """DSH, algorithm 2: gradients of 100, 100, 60 and 100 Gbps, a quarter of them so that no margin is capped.

    Uncapped, the margins of the full gradients are 75,000, 116,250, 105,937.5 and 125,765.6 B.
    """
    lossless = Lossless(
        (3, 4), 10**7, SIXTEENTH, 0, 0, "dsh", (60_000,), 0, (60_000,), shared_headroom=True, window=10**10
    )
    switch = Switch(settings(1, lossless))
    assert switch.ingress is not None
    shared, now, scheme = 0, 0, switch.ingress.scheme
    scheme.hear(0, 0, 4, 1000, 0)
    for growth, margin in [(2500, 18_750), (2500, 29_062), (1500, 26_484), (2500, 31_441)]:
        shared, now = shared + growth, now + 800_000
        scheme.hear(now, 0, 3, 1000, shared)
        assert scheme.margin(0, 3) == pytest.approx(margin, abs=1)


def test_whole_numbers_leave_a_margin_of_27_parts_to_a_queue_that_has_stopped_growing() -> None:
    """Quarters towards zero (decision 17) leave a gradient of 3 and a deviation of 3 + 3: 3 + 4 x 6 of 2^20."""
    for phi, margin in [(38_836, 0), (38_837, 1), (60_000, 1)]:
        lossless = Lossless(
            (3, 4), 10**7, SIXTEENTH, 0, 0, "dsh", (phi,), 0, (phi,), shared_headroom=True, window=10**10
        )
        ingress = Switch(settings(1, lossless)).ingress
        assert ingress is not None
        ingress.scheme.hear(0, 0, 4, 1000, 0)
        for packet in range(1, 100):
            ingress.scheme.hear(packet * 80_000, 0, 3, 1000, 1000)
        assert ingress.scheme.margin(0, 3) == margin


def test_a_cnm_falls_before_or_after_a_packet_of_its_nanosecond() -> None:
    """And so does a cycle of its timer, here of 5 us; packets of other nanoseconds leave no choice."""
    cnms = [(2_000_000, 7), (9_000_000, 8)]
    for packet, ways in [
        (1_999_999, [(0, 0)]),
        (2_000_352, [(0, 0), (353, 0)]),
        (2_001_000, [(0, 0)]),
        (7_000_010, [(0, 0), (11, 0)]),
        (9_000_352, [(0, 0), (0, 353)]),
    ]:
        flow = Flow(sent=[(packet, 1522)], cnms=cnms)
        expected = [((2_000_000 + first, 7), (9_000_000 + second, 8)) for first, second in ways]
        assert list(moments(flow, 5_000_000)) == expected


def test_eighteen_bursting_queues_get_four_times_as_much_under_dsh() -> None:
    """DSH, section III-A: 32 ports of 100 Gbps and 16 MiB; queues below their thresholds hold 10 and 40 % of it."""
    memory, phi, queues = 16 * 2**20, 56_840, 18
    private = 32 * 7 * 3 * 1024
    held = []
    for pool, margin in [(memory - 32 * 7 * phi - private, 0), (memory - 32 * phi - private, phi)]:
        # T = alpha (B - M (T - margin)).
        threshold = (pool + queues * margin) / (16 + queues)
        held.append(16 * (threshold - margin) * 16 / 15 / memory)
    assert held == pytest.approx([0.1004, 0.3997], abs=5e-4)
