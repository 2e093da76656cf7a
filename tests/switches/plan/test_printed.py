"""Numbers that BCC, DCQCN, DCTCP, DSH and QCN-OS print, against their formulas, with those that do not follow."""

import pytest
from planned import planned, values

from conftest import ROOT
from xoff.switches.plan.outcome import compute
from xoff.switches.plan.rows import Verdict, follows

TOMAHAWK = 'count = 32\nrate = "100Gbps"\ndelay = "2us"'
TRIDENT = 'count = 32\nrate = "40Gbps"\ndelay = "1.5us"'
DCQCN = '[congestion]\nscheme = "dcqcn"'
T_ECN = 't_ecn_static = "0.85kB"'
SEVEN = "priorities = [0, 1, 2, 3, 4, 5, 6]\nlossless = true"
EIGHT = "priorities = [0, 1, 2, 3, 4, 5, 6, 7]\nlossless = true"


def judged(name: str) -> dict[str, bool | None]:
    """Returns, for each value that a shipped plan prints, whether it follows."""
    found = compute(ROOT / "plans" / f"{name}.toml")
    return {row.key: row.follows for row in found.rows if row.printed}


def test_dcqcn() -> None:
    assert judged("trident2_dcqcn") == {
        "t_flight": True,
        "t_pfc": True,
        "t_ecn_static": False,
        "t_ecn": True,
        "packets_per_cnp": True,
    }


def test_bcc() -> None:
    found = judged("tomahawk_bcc")
    assert len(found) == 8
    assert all(found.values())


def test_qcn() -> None:
    assert judged("trident_plus_qcn") == {"qcn.hot_flow": True}


def test_dsh() -> None:
    assert judged("tomahawk_dsh") == {
        "headroom.published": False,  # the formula gives 56,840 B, as ICDCS prints
        "sih.headroom": True,
        "reserved": True,
        "dsh.burst.margin": True,
    }


def test_a_number_that_does_not_follow_is_shown_with_what_the_formula_gives() -> None:
    found = compute(ROOT / "plans" / "trident2_dcqcn.toml")
    row = next(row for row in found.rows if row.key == "t_ecn_static")
    assert row.judgement.endswith("printed 0.85 kB, the formula gives 0.7648 kB: does not follow")


def test_dshs_motivation_is_binary() -> None:
    rest = '[headroom]\nmethod = "published"\n[printed]\n"sih.headroom" = "5.33MiB"\n"sih.share" = "44.4%"'
    found = planned("trident_2", ports=TRIDENT, classes=EIGHT, rest=rest)
    assert [row.follows for row in found.rows if row.printed] == [True, True]
    decimal = rest.replace("MiB", "MB")
    found = planned("trident_2", ports=TRIDENT, classes=EIGHT, rest=decimal)
    assert [row.follows for row in found.rows if row.printed] == [False, True]


@pytest.mark.parametrize(
    ("chip", "count", "gbps", "time", "share"),
    [("trident_plus", 48, 10, "157us", "43%"), ("tomahawk_4", 64, 400, "37us", "67%")],
)
def test_the_ends_of_dshs_figure_4(chip: str, count: int, gbps: int, time: str, share: str) -> None:
    ports = f'count = {count}\nrate = "{gbps}Gbps"\ndelay = "1.5us"'
    rest = f'[headroom]\nmethod = "published"\n[printed]\n"chip.time" = "{time}"\n"sih.share" = "{share}"'
    found = planned(chip, ports=ports, classes=EIGHT, rest=rest)
    assert [row.follows for row in found.rows if row.printed] == [True, True]


@pytest.mark.parametrize(
    ("chip", "count", "gbps", "per_port", "per_gbps"),
    [
        ("bcm56538", 48, 1, 85.33, 85.33),
        ("trident_plus", 48, 10, 192, 19.2),  # printed "IMB" for 9 MB
        ("trident_2", 32, 40, 384, 9.6),
        ("tomahawk", 32, 100, 512, 5.12),
    ],
)
def test_table_1_of_bcc(chip: str, count: int, gbps: int, per_port: float, per_gbps: float) -> None:
    ports = f'count = {count}\nrate = "{gbps}Gbps"\ndelay = "1us"'
    found = values(planned(chip, ports=ports, classes="priorities = [0]"))
    assert found["chip.per_port"] / 1024 == pytest.approx(per_port, abs=0.005)
    assert found["chip.per_port_per_gbps"] / 1024 == pytest.approx(per_gbps, abs=0.005)


@pytest.mark.parametrize(
    ("chip", "head", "ports", "classes", "rest", "printed"),
    [
        # another t_flight, and binary memory: 853.5 B
        ("trident_2", 'memory = "12MiB"', TRIDENT, EIGHT, '[headroom]\nsize = "21840B"\n' + DCQCN, T_ECN),
        # DSH at ICDCS 2023
        ("tomahawk", "", TOMAHAWK, SEVEN, '[headroom]\nmethod = "published"', '"headroom.published" = "56,840B"'),
        ("tomahawk", "", TOMAHAWK, SEVEN, '[headroom]\nmethod = "published"', '"sih.headroom" = "12MiB"'),
        # DSH's fabric of leaves and spines
        ("tomahawk", "", TOMAHAWK, SEVEN, '[congestion]\nscheme = "hpcc"', '"hpcc.round_trip" = "16us"'),
    ],
)
def test_other_readings(chip: str, head: str, ports: str, classes: str, rest: str, printed: str) -> None:
    found = planned(chip, head, ports, classes, f"{rest}\n[printed]\n{printed}")
    assert [row.follows for row in found.rows if row.printed] == [True]


@pytest.mark.parametrize(("gbps", "packets", "least", "greatest"), [(1, 20, 1.2, 0.184), (10, 65, 11.9, 0.0805)])
def test_dctcps_thresholds_and_gain_are_within_their_bounds(
    gbps: int, packets: int, least: float, greatest: float
) -> None:
    ports = f'count = 1\nrate = "{gbps}Gbps"\ndelay = "1us"'
    rest = f'[congestion]\nscheme = "dctcp"\nround_trip = "100us"\nthreshold = "{packets * 1500}B"\ngain = "1/16"'
    plan = planned(ports=ports, classes="priorities = [0]", rest=rest)
    found = values(plan)
    assert found["dctcp.least_packets"] == pytest.approx(least, abs=0.05)
    assert found["dctcp.greatest_gain"] == pytest.approx(greatest, rel=0.004)
    verdicts = {row.key: row.verdict for row in plan.rows}
    assert verdicts["dctcp.threshold"] is verdicts["dctcp.gain"] is Verdict.HOLDS


@pytest.mark.parametrize(
    ("value", "unit", "printed", "follow"),
    [
        (24_475, "B", "24.47kB", True),  # truncated
        (22_385, "B", "22.4kB", True),  # rounded
        (765, "B", "0.85kB", False),
        (56_840, "B", "60,000B", False),
        (166.67, "", "166", True),
        (2000, "Mb/s", "2Gbps", True),
    ],
)
def test_rounded_or_truncated(value: float, unit: str, printed: str, follow: bool) -> None:
    assert follows(value, unit, printed) is follow
