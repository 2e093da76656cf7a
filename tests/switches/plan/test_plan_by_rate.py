"""Marks of ports by their rate, on a leaf with 48 servers of 25 Gb/s and 8 spines of 100 Gb/s."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from planned import HUNDRED, LOSSLESS, planned, values

from xoff.errors import PlanError
from xoff.switches.export import Format
from xoff.switches.export.of_scenario import settings_of
from xoff.switches.plan.rows import Verdict
from xoff.switches.plan.settings import Ecn
from xoff.switches.plan.simulate import other_mmus, scenario, worst_case

if TYPE_CHECKING:
    from xoff.switches.plan.outcome import Outcome
    from xoff.switches.plan.rows import Row

SERVERS = 'name = "servers"\ncount = 48\nrate = "25Gbps"\ncable = "5m"'
SPINES = 'name = "spines"\ncount = 8\nrate = "100Gbps"\ncable = "100m"'
LOSSY = "priorities = [0]"
BESIDE_TCP = f'{LOSSLESS}\n[[class]]\nname = "tcp"\n{LOSSY}'
DCTCP = 'scheme = "dctcp"\nround_trip = "20us"\n'
BCC = 'scheme = "bcc"\nround_trip = "80us"\n'
DCQCN = 'scheme = "dcqcn"\nminimum = "400kB"\nmaximum = "1600kB"\nprobability = 0.2\n'


def leaf(congestion: str, classes: str = LOSSY, more: str = "", chip: str = "trident_3") -> Outcome:
    return planned(chip, "", f"{SERVERS}\n[[ports]]\n{SPINES}{more}", classes, f"[congestion]\n{congestion}")


def row(found: Outcome, key: str) -> Row:
    (one,) = (row for row in found.rows if row.key == key)
    return one


def marks(found: Outcome) -> dict[str, Ecn | None]:
    """Of the first class, by the group of ports."""
    first = found.settings.classes[0]
    return {group.name: dict(group.ecn).get(first.priority, first.ecn) for group in found.settings.groups}


def step(size_bytes: int) -> Ecn:
    return Ecn(size_bytes, size_bytes, 1.0)


def test_where_nothing_is_said_of_rates_all_ports_mark_as_the_fastest() -> None:
    found = leaf(DCTCP)
    assert marks(found) == {"servers": step(36_000), "spines": step(36_000)}
    assert row(found, "dctcp.threshold").quantity == "threshold [K]"
    assert "dctcp.threshold.25Gbps" not in values(found)


def test_dctcps_bound_is_that_of_each_rate() -> None:
    """C RTT / 7 are 35,714 B at 100 Gb/s, below 24 packets of 1500 B, and 8,929 B at 25 Gb/s, below 6."""
    found = leaf(f"{DCTCP}by_rate = true")
    assert marks(found) == {"servers": step(9_000), "spines": step(36_000)}
    fast, slow = row(found, "dctcp.threshold"), row(found, "dctcp.threshold.25Gbps")
    assert (fast.value, fast.quantity) == (36_000, "threshold at 100 Gb/s [K]")
    assert (slow.value, slow.quantity) == (9_000, "threshold at 25 Gb/s [K]")
    assert (slow.formula, slow.source, slow.verdict) == ("6 packets of 1,500 B", "plan", Verdict.HOLDS)
    assert slow.why == "must be above C RTT / 7, 8,929 B, or the queue runs empty"


def test_a_threshold_of_dctcp_is_in_proportion_to_the_rate_and_rounded_up() -> None:
    found = leaf(f'{DCTCP}by_rate = true\nthreshold = "40001B"')
    assert marks(found) == {"servers": step(10_001), "spines": step(40_001)}  # 10,000.25 B
    slow = row(found, "dctcp.threshold.25Gbps")
    assert (slow.formula, slow.source) == ("40,001 x 25 / 100", "HPCC, simulation/run.py")


def test_a_threshold_of_one_rate_is_the_plans_and_held_against_the_bound_of_that_rate() -> None:
    ten = '\n[[ports]]\nname = "old"\ncount = 1\nrate = "10Gbps"\ncable = "5m"'
    found = leaf(f'{DCTCP}at_rate.25Gbps = {{ threshold = "8928B" }}', more=ten)
    assert marks(found) == {"servers": step(8_928), "spines": step(36_000), "old": step(36_000)}
    assert [row.key for row in found.failed] == ["dctcp.threshold.25Gbps"]
    assert row(found, "dctcp.threshold.25Gbps").formula == "the plan's"
    assert row(found, "dctcp.threshold.10Gbps").formula == "24 packets of 1,500 B"
    both = leaf(f'{DCTCP}by_rate = true\nat_rate.25Gbps = {{ threshold = "30kB" }}', more=ten)
    assert marks(both) == {"servers": step(30_000), "spines": step(36_000), "old": step(4_500)}  # 3,571 B / 10 Gb/s
    assert not both.failed
    fastest = leaf(f'{DCTCP}by_rate = true\nat_rate.100Gbps = {{ threshold = "60kB" }}')
    assert marks(fastest) == {"servers": step(9_000), "spines": step(60_000)}


def test_the_gain_is_small_enough_where_flows_have_most_in_flight() -> None:
    """At 25 Gb/s 62,500 B and K, at 100 Gb/s 250,000 B and 36 kB."""
    found = leaf(f'{DCTCP}at_rate.25Gbps = {{ threshold = "900kB" }}')
    assert row(found, "dctcp.greatest_gain").formula == "1.386 / sqrt(2 (41.67 + 600))"
    assert row(leaf(DCTCP), "dctcp.greatest_gain").formula == "1.386 / sqrt(2 (166.7 + 24))"


def test_bccs_threshold_of_a_port_is_by_its_rate_and_the_pools_is_not() -> None:
    """0.72 of 1 MB and of 250 kB."""
    alike, found = leaf(BCC), leaf(f"{BCC}by_rate = true")
    assert marks(found) == {"servers": step(180_000), "spines": step(720_000)}
    assert row(found, "bcc.port_threshold.25Gbps").formula == "0.72 x 250,000"
    assert found.settings.pools == alike.settings.pools
    given = leaf(f'{BCC}by_rate = true\nport_threshold = "600kB"')
    assert marks(given) == {"servers": step(150_000), "spines": step(600_000)}
    own = leaf(f'{BCC}at_rate.25Gbps = {{ port_threshold = "200kB" }}')
    assert marks(own) == {"servers": step(200_000), "spines": step(720_000)}


def test_bccs_pool_is_held_against_the_ports_that_mark_last() -> None:
    late = row(leaf(f'{BCC}at_rate.25Gbps = {{ port_threshold = "900kB" }}'), "bcc.minimum")
    assert late.why == "must reach the port's 900,000 B, or the pool marks one busy port"


def test_ramps_of_dcqcn_are_in_proportion_to_the_rate() -> None:
    """As HPCC's simulator has them: 100 and 400 kB at 25 Gb/s."""
    found = leaf(f"{DCQCN}by_rate = true", LOSSLESS)
    assert marks(found) == {"servers": Ecn(100_000, 400_000, 0.2), "spines": Ecn(400_000, 1_600_000, 0.2)}
    slow = row(found, "minimum.25Gbps")
    assert slow.formula == "400,000 x 25 / 100, marks 20 % at K_max = 400,000 B"
    assert (slow.source, slow.verdict) == ("HPCC, simulation/run.py", Verdict.HOLDS)
    uneven = leaf('scheme = "dcqcn"\nminimum = "5001B"\nmaximum = "5002B"\nby_rate = true', LOSSLESS)
    assert marks(uneven)["servers"] == Ecn(1250, 1251, 0.01)  # of 1250.25 and 1250.5 B


def test_ramps_of_dcqcn_at_one_rate_are_the_plans_and_the_rest_is_as_without() -> None:
    own = 'at_rate.25Gbps = { maximum = "500kB", probability = 0.1 }\n'
    assert marks(leaf(DCQCN + own, LOSSLESS))["servers"] == Ecn(400_000, 500_000, 0.1)
    assert marks(leaf(f"{DCQCN}{own}by_rate = true", LOSSLESS))["servers"] == Ecn(100_000, 500_000, 0.1)
    assert row(leaf(f'{DCQCN}at_rate.25Gbps.minimum = "90kB"', LOSSLESS), "minimum.25Gbps").source == "plan"


def test_ecn_comes_before_pfc_where_the_queues_of_all_ports_together_are_short_enough() -> None:
    """One port feeds them all: 56 of 400 kB are too much, 48 of 100 kB and 8 of 400 kB are 142,857 B on average."""
    alike, found = leaf(DCQCN, BESIDE_TCP), leaf(f"{DCQCN}by_rate = true", BESIDE_TCP)
    shared = found.settings.pools.lossless_bytes
    greatest = row(found, "marks_first.c")
    assert greatest.value == row(alike, "marks_first.c").value == pytest.approx(8 * shared / (56 * 9))
    assert 142_857 < greatest.value < 400_000
    assert [row.key for row in alike.failed] == ["marks_first.c"]
    assert not found.failed
    assert greatest.why.startswith("the plan's, 142,857 B on average over the ports of an MMU, must be at most that")
    assert values(found)["minimum_margin"] == pytest.approx(greatest.value / (8_000_000 / 56))
    many = leaf(f'{DCQCN}by_rate = true\nat_rate.25Gbps.minimum = "399kB"', BESIDE_TCP)
    assert [row.key for row in many.failed] == ["marks_first.c"]


def by_mmu(congestion: str) -> Outcome:
    """The first MMU of two has servers alone, the second spines alone."""
    ports = SERVERS.replace("48", "32") + "\n[[ports]]\n" + SPINES.replace("8", "32")
    return planned("tomahawk_3", "", ports, BESIDE_TCP, f'[headroom]\nmethod = "ieee"\n[congestion]\n{congestion}')


def test_of_several_mmus_that_whose_ports_mark_last_is_the_one_that_must_hold() -> None:
    why = row(by_mmu(f"{DCQCN}by_rate = true"), "marks_first.c").why
    assert why.startswith("the plan's, 400,000 B on average over the ports of an MMU")


def test_an_mmu_is_simulated_with_what_its_ports_mark_by() -> None:
    found = by_mmu(f"{DCQCN}by_rate = true")
    (servers,) = other_mmus(found).values()
    (group,) = settings_of(scenario(servers)).settings.groups
    assert group.rate_bps == 25 * 10**9
    assert settings_of(scenario(servers)).settings.classes[1].ecn == Ecn(100_000, 400_000, 0.2)
    assert settings_of(scenario(worst_case(found))).settings.classes[1].ecn == Ecn(400_000, 1_600_000, 0.2)


@pytest.mark.parametrize(
    ("congestion", "classes"),
    [
        (f"{DCTCP}by_rate = true", LOSSY),
        (f"{BCC}by_rate = true", LOSSY),
        (f"{DCQCN}by_rate = true\nat_rate.25Gbps.probability = 0.1", LOSSLESS),
    ],
)
def test_the_simulated_switch_marks_by_rate_as_planned(congestion: str, classes: str) -> None:
    found = leaf(congestion, classes)
    simulated = settings_of(scenario(worst_case(found))).settings
    own = {one.priority: one.ecn for one in simulated.classes}
    by_rate = {group.rate_bps: {**own, **dict(group.ecn)} for group in simulated.groups}
    priority = found.settings.classes[0].priority
    assert {name: by_rate[rate][priority] for name, rate in (("servers", 25 * 10**9), ("spines", 100 * 10**9))} == (
        marks(found)
    )


@pytest.mark.parametrize("congestion", [DCTCP, BCC + 'shared = "3MB"\n', DCQCN])
def test_ports_of_one_rate_are_planned_as_ever(congestion: str) -> None:
    classes = LOSSLESS if congestion is DCQCN else f'{LOSSY}\nalpha = 4\nreserved = "128kB"'
    found, by_rate = (
        planned(ports=HUNDRED, classes=classes, rest=f"[congestion]\n{congestion}{more}")
        for more in ("", "by_rate = true")
    )
    assert found.rows == by_rate.rows
    assert found.settings == by_rate.settings


def test_sonic_has_a_profile_for_each_rate() -> None:
    tables = json.loads(Format.SONIC.write(leaf(f"{DCTCP}by_rate = true").settings).text)
    profiles = {name: profile["green_min_threshold"] for name, profile in tables["WRED_PROFILE"].items()}
    assert profiles == {"C": "36000", "C_25G": "9000"}
    assert tables["QUEUE"]["Ethernet47|0"] == {"wred_profile": "C_25G"}
    assert tables["QUEUE"]["Ethernet48|0"] == {"wred_profile": "C"}


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("eos", ["qos profile XOFF-25G", "minimum-threshold 9000 bytes", "Ethernet48\n   service-profile XOFF-25G\n"]),
        ("nxos", ["policy-map type queuing XOFF-OUT-25G", "minimum-threshold 9 kbytes maximum-threshold 9 kbytes"]),
        ("nvue", ["xoff-25G traffic-class 0 min-threshold 9000", "swp48 qos congestion-control profile xoff-25G"]),
    ],
)
def test_others_have_one_too(form: str, written: list[str]) -> None:
    rest = Format(form).write(leaf(f"{DCTCP}by_rate = true").settings).text
    for one in written:
        _, found, rest = rest.partition(one)
        assert found, one


@pytest.mark.parametrize(
    ("congestion", "says"),
    [
        (
            f'{DCTCP}at_rate.40Gbps = {{ threshold = "10kB" }}',
            "congestion.at_rate.40Gbps: no port has this rate; expected 25Gbps or 100Gbps",
        ),
        (
            f'{DCTCP}at_rate.25Gb = {{ threshold = "10kB" }}',
            'congestion.at_rate.25Gb: "25Gb" has an unknown unit "Gb"; expected a rate with its unit ',
        ),
        (
            f'{DCTCP}at_rate.25Gbps = {{ threshold = "9kB" }}\nat_rate.25000Mbps = {{ threshold = "9kB" }}',
            "congestion.at_rate: has one rate twice, as 25Gbps and as 25000Mbps; expected one of them",
        ),
        (
            f"{DCTCP}at_rate.25Gbps = {{}}",
            "congestion.at_rate.25Gbps.threshold: is missing; expected a value: at which a queue marks there",
        ),
        (
            f"{DCQCN}at_rate.25Gbps = {{ minimun = 1 }}",
            "congestion.at_rate.25Gbps.minimun: there is no such key; expected minimum",
        ),
        (
            f'{DCQCN}at_rate.25Gbps = {{ minimum = "2MB" }}',
            "congestion.at_rate.25Gbps: maximum, 1,600,000 B, is not above minimum, 2,000,000 B, at these ports; ",
        ),
        (f'{DCTCP}by_rate = "yes"', 'congestion.by_rate: "yes" is not allowed; expected true or false'),
        (
            'scheme = "hpcc"\nby_rate = true',
            "congestion.by_rate: there is no such key; expected one of scheme, congestion_control, round_trip, ",
        ),
        (
            'scheme = "hpcc"\nat_rate.25Gbps = {}',
            "congestion.at_rate: there is no such key; expected one of scheme, congestion_control, round_trip, ",
        ),
    ],
)
def test_what_is_wrong_of_rates_is_told_by_its_key(congestion: str, says: str) -> None:
    with pytest.raises(PlanError) as refused:
        leaf(congestion, LOSSLESS)
    assert str(refused.value).startswith(says)
