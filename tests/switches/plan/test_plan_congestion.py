"""BCC, DCQCN, DCTCP, QCN and HPCC: numbers that their papers print, or computed by hand from their formulas."""

import pytest
from planned import HUNDRED, planned, values

from xoff.errors import PlanError
from xoff.switches.plan.outcome import Outcome
from xoff.switches.plan.rows import Verdict


def bcc(
    *, ports: str = HUNDRED, chip: str = "tomahawk", head: str = "", alpha: int = 4, reserved: str = "128kB", more: str
) -> Outcome:
    classes = f'priorities = [0]\nalpha = {alpha}\nreserved = "{reserved}"'
    return planned(chip, head, ports, classes, f'[congestion]\nscheme = "bcc"\n{more}')


def thresholds(found: Outcome) -> list[float]:
    return [values(found)[f"bcc.{key}"] for key in ("required", "maximum", "minimum")]


PAPER = 'round_trip = "80us"\nshared = "3MB"'


def test_bccs_thresholds() -> None:
    found = bcc(more=PAPER)
    assert thresholds(found) == [1_592_000, 2_602_000, 1_802_000]
    numbers = values(found)
    assert numbers["bcc.at_maximum"] == numbers["bcc.required"]  # alpha (B - K_max) = B_R
    assert (numbers["bcc.in_flight"], numbers["bcc.port_threshold"]) == (1_000_000, 720_000)
    assert numbers["bcc.analysed_threshold"] == 170_000
    assert (numbers["bcc.ports_that_fit"], numbers["bcc.ports_that_fit_pool"]) == (16, 4)
    shares = [numbers[f"bcc.share.{busy}"] for busy in range(1, 9)]
    assert shares == [2_400_000, 1_333_333, 923_076, 705_882, 571_428, 480_000, 413_793, 363_636]
    assert not found.failed


def test_thresholds_of_bcc_are_of_the_pool_that_lossless_classes_and_headroom_leave() -> None:
    more = '[[class]]\nname = "rdma"\npriorities = [3]\nlossless = true\n[headroom]\nmethod = "published"\n'
    classes = f'priorities = [0]\nalpha = 64\nreserved = "1500B"\n{more}'
    trip = '[congestion]\nscheme = "bcc"\nround_trip = "8us"\nramp = "1us"'
    found = planned("tomahawk", "", HUNDRED, classes, trip)
    pools = found.settings.pools
    # 4 MiB less 8 x 1500 B and 8 x 44,340 B (1.5 us, 1500 B), and a quarter of that
    assert pools.lossy_bytes == (4 * 2**20 - 8 * 1500 - 8 * 44_340 + 3) // 4
    assert pools.ecn is not None
    assert pools.ecn.maximum_bytes < pools.lossy_bytes
    (shared,) = (row for row in found.rows if row.key == "bcc.shared")
    assert shared.formula == "4,194,304 - 12,000 in reserves - 354,720 in headroom - 2,870,688 for lossless classes"
    assert shared.value == 4_194_304 - 12_000 - 354_720 - 2_870_688 == pools.lossy_bytes
    larger = planned("tomahawk", "", HUNDRED, classes, f'{trip}\nshared = "2MB"')
    assert [row.key for row in larger.failed] == ["bcc.shared"]


def test_variants_of_bcc() -> None:
    star = 'congestion_control = "ecn_star"\n'
    assert thresholds(bcc(more=star + PAPER)) == [1_872_000, 2_532_000, 1_732_000]
    assert thresholds(bcc(more=PAPER.replace("80us", "30us"))) == [517_000, 2_870_750, 2_070_750]
    forty = HUNDRED.replace("100Gbps", "40Gbps")
    pool = 'round_trip = "80us"\nshared = "12MB"'
    assert thresholds(bcc(chip="trident_2", ports=forty, reserved="0B", more=pool)) == [688_000, 11_828_000, 10_548_000]
    four_hundred = HUNDRED.replace("100Gbps", "400Gbps")
    future = bcc(
        chip="tomahawk_3",
        ports=four_hundred,
        head="mmus = 1",
        reserved="0B",
        more='round_trip = "20us"\nshared = "64MB"',
    )
    assert thresholds(future) == [1_720_000, 63_570_000, 50_770_000]


def test_bccs_code_counts_in_binary() -> None:
    binary = 'round_trip = "83.88608us"\nshared = "3MiB"\nramp = "8.192us"'  # 1 MiB in flight, and 100 KiB a port
    required, maximum, minimum = thresholds(bcc(reserved="128KiB", more=binary))
    assert required == pytest.approx(1_672_478.7, abs=1)
    assert [maximum, minimum] == pytest.approx([2_727_608, 1_908_408], abs=1)


def test_with_alpha_1_the_pool_marks_a_single_busy_port() -> None:
    found = bcc(alpha=1, more=PAPER)
    assert thresholds(found) == [1_592_000, 1_408_000, 608_000]
    assert [row.key for row in found.failed] == ["bcc.minimum"]


def test_from_some_number_of_busy_ports_on_a_port_drops_before_it_marks() -> None:
    assert values(bcc(more=PAPER))["bcc.drops_from"] == 5
    assert values(bcc(reserved="0B", more=PAPER))["bcc.drops_from"] == 4


def test_a_pool_too_small_for_bcc_is_refused() -> None:
    with pytest.raises(PlanError, match=r"B_R.*expected a larger pool"):
        bcc(more='round_trip = "1ms"\nshared = "3MB"')


def test_what_bcc_sets() -> None:
    settings = bcc(more=PAPER).settings
    assert settings.pools.ecn is not None
    assert (settings.pools.ecn.minimum_bytes, settings.pools.ecn.maximum_bytes) == (1_802_000, 2_602_000)
    assert (settings.pools.mmus, settings.pools.ports_per_mmu, settings.pools.lossy_bytes) == (4, 8, 3_000_000)
    [one] = settings.classes
    assert one.ecn is not None
    assert (one.ecn.minimum_bytes, one.alpha, one.reserved_bytes) == (720_000, 4.0, 128_000)


def dcqcn(more: str = "", head: str = 'memory = "12MB"', headroom: str = "") -> Outcome:
    ports = 'count = 32\nrate = "40Gbps"\ndelay = "1.5us"'
    classes = "priorities = [0, 1, 2, 3, 4, 5, 6, 7]\nlossless = true"
    rest = f'[headroom]\nsize = "22400B"\n{headroom}\n[congestion]\nscheme = "dcqcn"\n{more}'
    return planned("trident_2", head, ports, classes, rest)


def test_dcqcns_thresholds() -> None:
    numbers = values(dcqcn())
    assert numbers["headroom_total"] == 5_734_400
    assert numbers["t_pfc"] == 24_475
    assert numbers["t_resume"] == 24_475 - 3000
    assert numbers["t_ecn_static"] == pytest.approx(764.84, abs=0.01)
    assert numbers["t_ecn"] == pytest.approx(21_755.6, abs=0.05)
    assert numbers["t_pfc_dynamic"] == pytest.approx(696_178, abs=1)
    assert numbers["t_ecn.one_queue_a_port"] == 97_900
    assert numbers["packets_per_cnp"] == pytest.approx(166.67, abs=0.01)
    assert (numbers["flows_per_adapter.5us"], numbers["flows_per_adapter.1us"]) == (10, 50)
    assert numbers["minimum_margin"] == pytest.approx(4.35, abs=0.005)
    sweep = [round(numbers[f"t_ecn.beta_{beta}"]) for beta in (1, 2, 4, 8, 16, 32)]
    assert sweep == [12_238, 16_317, 19_580, 21_756, 23_035, 23_733]


@pytest.mark.parametrize(
    ("offset", "resume", "verdict"),
    [
        ("10kB", 14_475, Verdict.HOLDS),
        ("0B", 24_475, Verdict.HOLDS),
        ("24474B", 1, Verdict.HOLDS),
        ("24475B", 0, Verdict.FAILS),
        ("7MB", 24_475 - 7_000_000, Verdict.FAILS),
    ],
)
def test_senders_resume_as_far_below_the_pause_as_planned(offset: str, resume: int, verdict: Verdict) -> None:
    found = dcqcn("beta = 16", headroom=f'xon_offset = "{offset}"')
    (row,) = [row for row in found.rows if row.key == "t_resume"]
    assert (row.value, row.verdict) == (resume, verdict)
    assert row.formula.endswith("the plan's xon_offset")


def test_two_packets_that_a_plan_does_not_ask_for_fail_nothing() -> None:
    """Of 24,475 B, two of 16,000 are more."""
    found = dcqcn("beta = 16", head='memory = "12MB"\nmtu = "16000B"')
    (row,) = [row for row in found.rows if row.key == "t_resume"]
    assert (row.value, row.verdict) == (24_475 - 32_000, Verdict.WARNS)
    assert "headroom.xon_offset must be below 24,475 B" in row.why


def test_static_thresholds_of_dcqcn_are_below_a_packet_and_its_plan_with_dynamic_ones_holds() -> None:
    found = dcqcn()
    assert {row.key: row.verdict for row in found.rows}["t_ecn_static"] is Verdict.WARNS
    assert not found.failed


@pytest.mark.parametrize(
    ("memory", "size", "static"),
    [("12MiB", 21_840, 853.5), ("12MiB", 22_400, 836), ("12MiB", 22_938, 819)],
)
def test_where_0_85_kilobytes_may_come_from(memory: str, size: int, static: float) -> None:
    """No reading of the printed inputs gives the printed 0.85 KB; these come near (22,938 B are 22.4 KiB)."""
    ports = 'count = 32\nrate = "40Gbps"\ndelay = "1.5us"'
    classes = "priorities = [0, 1, 2, 3, 4, 5, 6, 7]\nlossless = true"
    rest = f'[headroom]\nsize = "{size}B"\n[congestion]\nscheme = "dcqcn"'
    found = values(planned("trident_2", f'memory = "{memory}"', ports, classes, rest))
    assert found["t_ecn_static"] == pytest.approx(static, abs=0.7)


def test_the_misconfiguration_of_dcqcn_marks_after_it_pauses() -> None:
    found = dcqcn('minimum = "120kB"\nmaximum = "200kB"')
    assert values(found)["minimum_over_pause"] == pytest.approx(4.9, abs=0.01)
    assert {row.key for row in found.failed} == {"marks_first.c"}
    [static] = [row for row in found.rows if row.key == "minimum_over_pause"]
    assert static.verdict is Verdict.WARNS  # whose thresholds are dynamic here


def test_a_maximum_that_no_queue_comes_to_is_warned_of() -> None:
    for maximum, verdict in (("11MB", Verdict.HOLDS), ("12MB", Verdict.WARNS)):
        found = dcqcn(f'maximum = "{maximum}"')
        (row,) = [row for row in found.rows if row.key == "minimum"]
        assert (row.verdict, row.why) == (verdict, "K_max must be below the memory of its ports, 12,000,000 B")


def test_beta_is_alpha_of_each_class() -> None:
    assert {one.alpha for one in dcqcn().settings.classes} == {1.0}
    assert {one.alpha for one in dcqcn("beta = 4").settings.classes} == {0.5}


def lossless_pool_of_6_mb(alphas: tuple[str, ...], minimum: int, scheme: str = "sih") -> Outcome:
    """Beside the headroom of 32 ports there are 7 MB: 6 MB for lossless classes, 1 MB for others."""
    ports = 'count = 32\nrate = "40Gbps"\ndelay = "1us"'
    head = f'memory = "{7_000_000 + 32 * 20_000 * (1 if scheme == "dsh" else len(alphas))}B"\nlossy_pool = "1MB"'
    classes = "".join(
        f'\n[[class]]\nname = "{name}"\npriorities = [{priority}]\nlossless = true\nalpha = "{alpha}"'
        for name, priority, alpha in zip(("roce", "storage"), (3, 4), alphas, strict=False)
    )
    rest = f'[headroom]\nsize = "20kB"\nscheme = "{scheme}"\n[congestion]\nscheme = "dcqcn"\nminimum = "{minimum}B"'
    return planned("trident_2", head, ports, "priorities = [0]" + classes, rest)


@pytest.mark.parametrize(
    ("alpha", "greatest"),
    [
        ("1/8", 6_000_000 / 8 / (32 * (1 + 1 / 8))),  # 20,833 B
        ("1/64", 6_000_000 / 64 / (32 * (1 + 1 / 64))),  # 2,885 B
        ("8", 6_000_000 * 8 / (32 * (1 + 8))),  # 166,667 B
        ("3/10", 6_000_000 / 4 / (32 * (1 + 1 / 4))),  # switches have 1/4
    ],
)
def test_ecn_comes_first_by_the_alpha_and_the_pool_that_are_exported(alpha: str, greatest: float) -> None:
    for minimum, verdict in ((int(greatest), Verdict.HOLDS), (int(greatest) + 1, Verdict.FAILS)):
        found = lossless_pool_of_6_mb((alpha,), minimum)
        assert found.settings.pools.lossless_bytes == 6_000_000
        row = next(row for row in found.rows if row.key == "marks_first.roce")
        assert row.value == pytest.approx(greatest)
        assert row.verdict is verdict
        assert values(found)["minimum_margin"] == pytest.approx(greatest / minimum)
        assert values(found)["t_ecn"] == pytest.approx(8 * 6_000_000 / (32 * 9))  # at beta, whatever the alpha
        assert values(found)["t_pfc"] == pytest.approx(6_000_000 / 32)


def test_a_class_that_pauses_too_early_is_named_with_what_would_do() -> None:
    found = lossless_pool_of_6_mb(("2", "1/64"), 20_000)
    assert values(found)["marks_first.roce"] == pytest.approx(2 * 6_000_000 / (32 * (1 + 2 * 2)))
    assert values(found)["marks_first.storage"] == pytest.approx(6_000_000 / 64 / (32 * (1 + 2 / 64)))
    (row,) = (row for row in found.failed if row.key.startswith("marks_first"))
    assert row.key == "marks_first.storage"
    assert row.formula == "1/64 x 6,000,000 / (32 x (1 + 2 x 1/64))"
    # 32 x 20 kB of what 64 queues of 20 kB leave, 4.72 MB: 0.136
    assert row.why.endswith("; expected K_min of at most 2,840 B or alpha of 1/4")


def test_under_dsh_a_queue_pauses_up_to_a_worst_case_early() -> None:
    found = lossless_pool_of_6_mb(("1/8",), 5000, "dsh")
    assert values(found)["marks_first.roce"] == pytest.approx((6_000_000 / 8 - 20_000) / (32 * (1 + 1 / 8)))


def test_a_share_is_of_the_class_that_may_take_least() -> None:
    """Beside queues of a large alpha little is free: 6 MB / (1 + 1/64 + 7 x 2), and 1/64 of it."""
    found = lossless_pool_of_6_mb(("2", "1/64"), 5000)
    assert values(found)["sih.share.8"] == pytest.approx(6_000_000 / (1 + 1 / 64 + 7 * 2) / 64)
    row = next(row for row in found.rows if row.key == "sih.share.8")
    assert row.quantity == "a queue of storage beside 7 others of largest alpha under SIH"
    assert values(found)["sih.share.1"] == pytest.approx(6_000_000 / 64 / (1 + 1 / 64))
    alike = lossless_pool_of_6_mb(("2", "2"), 5000)
    assert values(alike)["sih.share.8"] == pytest.approx(2 * 6_000_000 / (1 + 2 * 8))


def dctcp(gbps: int, trip: str, *, mtu: int = 1500, more: str = "") -> Outcome:
    ports = f'count = 1\nrate = "{gbps}Gbps"\ndelay = "1us"'
    rest = f'[congestion]\nscheme = "dctcp"\nround_trip = "{trip}"\n{more}'
    return planned("tomahawk", f'mtu = "{mtu}B"', ports, "priorities = [0]", rest)


@pytest.mark.parametrize(
    ("gbps", "trip", "in_flight", "least", "packets"),
    [
        (1, "100us", 12_500, 1786, 1.19),
        (1, "300us", 37_500, 5357, 3.57),
        (10, "100us", 125_000, 17_857, 11.9),
        (10, "300us", 375_000, 53_571, 35.7),
        (40, "50us", 250_000, 35_714, 23.8),
        (100, "16us", 200_000, 28_571, 19.0),
        (100, "30us", 375_000, 53_571, 35.7),
        (100, "80us", 1_000_000, 142_857, 95.2),
    ],
)
def test_dctcps_least_threshold(gbps: int, trip: str, in_flight: int, least: int, packets: float) -> None:
    numbers = values(dctcp(gbps, trip))
    assert numbers["dctcp.in_flight"] == pytest.approx(in_flight)
    assert round(numbers["dctcp.least_threshold"]) == least
    assert numbers["dctcp.least_packets"] == pytest.approx(packets, abs=0.05)
    assert numbers["dctcp.threshold"] > least


@pytest.mark.parametrize(
    ("gbps", "trip", "mtu", "packets", "greatest"),
    [
        (1, "100us", 1500, 20, 0.184),
        (10, "100us", 1500, 40, 0.0882),
        (10, "100us", 1500, 65, 0.0805),
        (100, "80us", 9000, 80, 0.0709),
        (100, "80us", 9000, 22, 0.0849),
        (100, "80us", 1500, 480, 0.0289),
    ],
)
def test_dctcps_greatest_gain(gbps: int, trip: str, mtu: int, packets: int, greatest: float) -> None:
    found = dctcp(gbps, trip, mtu=mtu, more=f'threshold = "{packets * mtu}B"')
    assert values(found)["dctcp.greatest_gain"] == pytest.approx(greatest, rel=0.004)
    verdict = Verdict.HOLDS if greatest > 1 / 16 else Verdict.FAILS
    row = next(row for row in found.rows if row.key == "dctcp.gain")
    assert row.verdict is verdict
    if verdict is Verdict.FAILS:
        assert "1/64" in row.why


def test_where_any_gain_will_do_the_greatest_is_one() -> None:
    found = dctcp(100, "1ns", mtu=1500, more='threshold = "100B"')
    row = next(row for row in found.rows if row.key == "dctcp.gain")
    assert "as 1/1 is" in row.why


@pytest.mark.parametrize(
    ("flows", "square_root", "exact"),
    [
        (2, (11.106, 5.553, 30.89), (11.413, 5.707, 30.59)),
        (10, (24.833, 2.483, 25.17), (26.703, 2.670, 23.30)),
        (40, (49.666, 1.242, 30.33), (59.167, 1.479, 20.83)),
    ],
)
def test_dctcps_sawtooth(flows: int, square_root: tuple[float, ...], exact: tuple[float, ...]) -> None:
    numbers = values(dctcp(10, "100us", more='threshold = "60kB"'))
    assert numbers[f"dctcp.{flows}.queue_max"] == 40 + flows
    for prefix, expected in (("", square_root), ("exact.", exact)):
        found = [numbers[f"dctcp.{flows}.{prefix}{key}"] for key in ("amplitude", "period", "queue_min")]
        assert found == pytest.approx(expected, abs=0.006)


def test_a_threshold_above_dctcps_bound_fails_nothing_whatever_becomes_of_many_flows() -> None:
    """Of 10 flows the queue runs empty with the exact alpha, and 40 have less than a packet each: some rate is lost."""
    found = dctcp(1, "300us", more="flows = [10, 40]")
    verdicts = {row.key: row.verdict for row in found.rows}
    assert verdicts["dctcp.10.exact.queue_min"] is verdicts["dctcp.40.window"] is Verdict.WARNS
    assert not found.failed
    assert [row.key for row in dctcp(1, "300us", more='threshold = "5kB"').failed] == ["dctcp.threshold"]


def test_dctcps_incast_and_drain() -> None:
    assert values(dctcp(1, "100us", more='port_buffer = "150kB"'))["dctcp.incast"] == 50
    assert values(dctcp(1, "100us", more='port_buffer = "105kB"'))["dctcp.incast"] == 35
    for size, time in (("1MB", 8000), ("20kB", 160), ("700kB", 5600)):
        assert values(dctcp(1, "100us", more=f'threshold = "{size}"'))["dctcp.drain"] == pytest.approx(time)


def test_qcn() -> None:
    ports = 'count = 1\nrate = "10Gbps"\ndelay = "1.5us"'
    rest = '[congestion]\nscheme = "qcn"\nset_point = "60kB"\nbuffer = "150kB"\nstop = "110kB"\ngo = "44kB"'
    found = planned("trident_plus", ports=ports, rest=rest)
    numbers = values(found)
    assert numbers["qcn.greatest_feedback"] == 300_000
    assert [numbers["qcn.still_feedback"], numbers["qcn.still_steps"]] == [90_000, 18]
    table = [
        (150_000, 120, 8333, 5.6),
        (75_000, 60, 16_667, 11.2),
        (50_000, 40, 25_000, 16.8),
        (37_500, 30, 33_333, 22.4),
        (30_000, 24, 41_667, 28),
        (25_000, 20, 50_000, 33.6),
        (21_500, 17.2, 58_140, 39.1),
        (18_500, 14.8, 67_568, 45.4),
    ]
    for index, row in enumerate(table):
        told = [numbers[f"qcn.interval.{index}.{key}"] for key in ("bytes", "period", "cnms", "load")]
        assert told == pytest.approx(row, rel=0.001)
    assert [numbers["qcn.above_stop"], numbers["qcn.above_stop_time"]] == pytest.approx([40_000, 32])
    assert numbers["qcn.above_stop_ratio"] == pytest.approx(3.8, abs=0.03)
    assert numbers["qcn.stop_to_go"] == pytest.approx(52.8)
    assert numbers["qcn.frames"] == pytest.approx(810_636, abs=1)
    assert numbers["qcn.frame_share"] == pytest.approx(98.7, abs=0.01)
    assert numbers["qcn.recovery"] == pytest.approx(600)
    assert numbers["qcn.timer_recovery"] == pytest.approx(75_000)
    assert numbers["qcn.strongest_cut"] == pytest.approx(50.78, abs=0.01)
    assert numbers["qcn.hot_flow"] == pytest.approx(2000)
    assert not found.failed
    five = values(planned("trident_plus", ports=ports, rest=rest + '\nhot_inputs = 5\ntimer = "10ms"'))
    assert [five["qcn.hot_flow"], five["qcn.hot_recovery"]] == pytest.approx([2500, 2400])
    assert five["qcn.timer_recovery"] == pytest.approx(50_000)


def hpcc(gbps: int, more: str = "") -> Outcome:
    rest = f'[congestion]\nscheme = "hpcc"\n{more}'
    return planned("tomahawk", ports=f'count = 32\nrate = "{gbps}Gbps"\ndelay = "2us"', rest=rest)


@pytest.mark.parametrize(
    ("gbps", "trip", "window", "increase"), [(100, 13, 162_500, 81.25), (100, 16, 200_000, 100), (25, 13, 40_625, 20.3)]
)
def test_windows_of_hpcc(gbps: int, trip: int, window: int, increase: float) -> None:
    numbers = values(hpcc(gbps, f'round_trip = "{trip}us"'))
    assert numbers["hpcc.window"] == window
    assert numbers["hpcc.increase"] == pytest.approx(increase, abs=0.02)
    assert numbers["power_tcp.increase"] == pytest.approx(window / 100)


def test_first_windows_that_no_pool_holds_are_warned_of() -> None:
    """200,000 B each, and flows that meet at one port share the memory of its MMU."""
    pool = hpcc(100).settings.pools.lossless_bytes
    assert pool < 4 << 20
    for flows, verdict in ((pool // 200_000, Verdict.HOLDS), (pool // 200_000 + 1, Verdict.WARNS)):
        [row] = [row for row in hpcc(100, f"flows = {flows}").rows if row.key == "hpcc.first_windows"]
        assert row.verdict is verdict


def test_flows_regain_a_port_by_their_additive_increase() -> None:
    """400 Gb/s / (8 x 40 Mb/s) are 1250 timers of 55 us."""
    ports, rest = 'rate = "400Gbps"\ndelay = "1us"', '[congestion]\nscheme = "dcqcn"\n'
    assert values(planned("tomahawk_4", ports=ports, rest=rest))["recovery_time"] == 68_750
    faster = 'additive_increase = "400Mbps"\ntimer = "11us"\n'
    assert values(planned("tomahawk_4", ports=ports, rest=rest + faster))["recovery_time"] == 1375


def test_dctcp_warns_of_busy_ports_that_drop_before_they_mark() -> None:
    """4,194,304 B of an MMU at alpha 1: 838,860 B each for 4 ports, 699,050 B for 5, and K is 720 kB."""
    rest = '[congestion]\nscheme = "dctcp"\nround_trip = "80us"\nthreshold = "720kB"\ngain = "1/64"'
    found = planned(classes="priorities = [0]", rest=rest)
    verdicts = {row.key: row.verdict for row in found.rows}
    assert values(found)["dctcp.share.4"] == 838_860
    assert (verdicts["dctcp.share.4"], verdicts["dctcp.share.5"]) == (Verdict.HOLDS, Verdict.WARNS)
    assert values(found)["dctcp.drops_from"] == 5
    below = planned(classes="priorities = [0]", rest=rest.replace("720kB", "400kB"))
    assert "dctcp.drops_from" not in values(below)


def test_what_is_shared_is_not_planned_where_inputs_have_buffers_of_their_own() -> None:
    rest = '[congestion]\nscheme = "qcn"\nset_point = "60kB"\nbuffer = "150kB"\nstop = "110kB"\ngo = "44kB"'
    keys = values(planned("trident_plus", rest=rest, ports='rate = "10Gbps"\ndelay = "1us"'))
    assert "sih.headroom" in keys
    assert not {"sih.shared", "sih.first_threshold", "sih.burst"} & keys.keys()
    assert "sih.shared" in values(planned())
