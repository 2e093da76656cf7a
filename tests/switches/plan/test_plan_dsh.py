"""SIH against DSH (ToN 2025, equations 1 to 3 and 9 to 11; figure 4): numbers computed by hand from its formulas."""

import pytest
from planned import planned, values

from xoff.switches.plan.rows import Verdict

RDMA = 'priorities = [1, 2, 3, 4, 5, 6, 7]\nlossless = true\nalpha = "1/16"\nreserved = "{reserved}"'
LINKS = 'count = 32\nrate = "100Gbps"\ndelay = "2us"'


def numbers(size: str, reserved: str = "3000B", more: str = "") -> dict[str, float]:
    """DSH's evaluation: 32 ports, seven classes, 16 MiB in one pool."""
    rest = f'[headroom]\nsize = "{size}"\nsaturated_queues = [1, 8, 16, 25, 32, 224]\n{more}'
    return values(planned(head="mmus = 1", ports=LINKS, classes=RDMA.format(reserved=reserved), rest=rest))


@pytest.mark.parametrize(
    ("size", "sih", "dsh", "shared", "thresholds"),
    [
        ("60000B", 13_440_000, 1_920_000, (2_665_216, 14_185_216), (166_576, 886_576)),
        ("56840B", 12_732_160, 1_818_880, (3_373_056, 14_286_336), (210_816, 892_896)),
    ],
)
def test_budgets(size: str, sih: int, dsh: int, shared: tuple[int, int], thresholds: tuple[int, int]) -> None:
    found = numbers(size)
    assert (found["sih.headroom"], found["dsh.insurance"], found["dsh.saving"]) == (sih, dsh, sih - dsh)
    assert found["reserved"] == 672_000
    assert (found["sih.shared"], found["dsh.shared"]) == shared
    assert (found["sih.threshold"], found["dsh.threshold"]) == thresholds


def test_budgets_with_binary_reserves() -> None:
    found = numbers("60000B", "3KiB")
    assert (found["reserved"], found["sih.shared"], found["dsh.shared"]) == (688_128, 2_649_088, 14_169_088)


@pytest.mark.parametrize(
    ("busy", "sih", "dsh", "with_margin"),
    [
        (1, 156_777, 834_424, 777_954),
        (8, 111_051, 591_051, 551_051),
        (16, 83_288, 443_288, 413_288),
        (25, 65_005, 345_981, 322_566),
        (32, 55_525, 295_525, 275_525),
        (224, 11_105, 59_105, 55_105),
    ],
)
def test_what_each_of_many_queues_holds(busy: int, sih: int, dsh: int, with_margin: int) -> None:
    found = numbers("60000B")
    keys = (f"sih.share.{busy}", f"dsh.share.{busy}", f"dsh.share.{busy}.margin")
    assert [round(found[key]) for key in keys] == [sih, dsh, with_margin]


def test_bursts_without_a_pause() -> None:
    found = numbers("56840B", "3KiB")
    assert found["sih.burst"] == pytest.approx(10.04, abs=0.005)
    assert found["dsh.burst.margin"] == pytest.approx(39.97, abs=0.005)
    assert found["dsh.burst_ratio"] == pytest.approx(3.98, abs=0.005)
    found = numbers("60000B", "3KiB")
    assert found["sih.burst"] == pytest.approx(7.93, abs=0.005)
    assert found["dsh.burst.margin"] == pytest.approx(39.52, abs=0.005)
    assert found["dsh.burst"] == pytest.approx(42.39, abs=0.005)
    assert found["dsh.burst_ratio"] == pytest.approx(4.986, abs=0.0005)  # of both before they are rounded


def test_an_oversubscribed_pool_is_warned_of() -> None:
    rest = '[headroom]\nsize = "60000B"\nscheme = "oversubscribed"\nratio = 0.8'
    found = planned(head="mmus = 1", ports=LINKS, classes=RDMA.format(reserved="3000B"), rest=rest)
    row = next(row for row in found.rows if row.key == "headroom_pool")
    assert (row.value, row.verdict) == (10_752_000, Verdict.WARNS)
    assert found.settings.pools.headroom_bytes == 10_752_000


@pytest.mark.parametrize(
    ("mmus", "ratio", "verdict"),
    [(1, "1/224", Verdict.WARNS), (1, "1/225", Verdict.FAILS), (4, "1/56", Verdict.WARNS), (4, "1/57", Verdict.FAILS)],
)
def test_a_pool_smaller_than_the_headroom_of_one_queue_fails(mmus: int, ratio: str, verdict: Verdict) -> None:
    """32 ports with seven classes each, in one pool or in four."""
    rest = f'[headroom]\nsize = "60000B"\nscheme = "oversubscribed"\nratio = "{ratio}"'
    found = planned(head=f"mmus = {mmus}", ports=LINKS, classes=RDMA.format(reserved="3000B"), rest=rest)
    row = next(row for row in found.rows if row.key == "headroom_pool")
    assert row.verdict is verdict
    assert ("what one queue alone needs" in row.why) is (verdict is Verdict.FAILS)


def test_headroom_that_memory_does_not_hold_fails() -> None:
    found = planned(classes="priorities = [0, 1, 2, 3, 4, 5, 6, 7]\nlossless = true", head='memory = "10MB"')
    assert {row.key for row in found.failed} >= {"sih.headroom", "sih.shared"}


def test_a_plan_of_dsh_does_not_fail_by_sih() -> None:
    classes = "priorities = [0, 1, 2, 3, 4, 5, 6, 7]\nlossless = true"
    found = planned(classes=classes, head='memory = "10MB"', rest='[headroom]\nscheme = "dsh"')
    assert not found.failed
    assert next(row for row in found.rows if row.key == "sih.headroom").verdict is Verdict.WARNS


@pytest.mark.parametrize(
    ("chip", "count", "gbps", "time", "share"),
    [
        ("trident_plus", 48, 10, 157.29, 43.09),
        ("trident_2", 32, 40, 78.64, 44.43),
        ("tomahawk", 32, 100, 41.94, 67.66),
        ("tomahawk_2", 64, 100, 55.05, 51.55),
        ("trident_3", 32, 100, 83.89, 33.83),
        ("tomahawk_3", 32, 400, 41.94, 59.83),
        ("tomahawk_3", 128, 100, 41.94, 67.66),
        ("tomahawk_4", 64, 400, 37.03, 67.77),
        ("tomahawk_5", 64, 800, 27.03, 90.8),
    ],
)
def test_figure_4_of_dsh(chip: str, count: int, gbps: int, time: float, share: float) -> None:
    ports = f'count = {count}\nrate = "{gbps}Gbps"\ndelay = "1.5us"'
    classes = "priorities = [0, 1, 2, 3, 4, 5, 6, 7]\nlossless = true"
    found = values(planned(chip, ports=ports, classes=classes, rest='[headroom]\nmethod = "published"'))
    assert found["chip.time"] == pytest.approx(time, abs=0.006)
    assert found["sih.share"] == pytest.approx(share, abs=0.06)


def test_no_headroom_leaves_no_margin_to_plan_with() -> None:
    """As many rows as there are, and no traceback; that it is too little is said of headroom itself."""
    ports, classes = 'count = 32\nrate = "100Gbps"\ndelay = "0ns"', "priorities = [3]\nlossless = true"
    found = planned("trident_3", ports=ports, classes=classes, rest='[headroom]\nmethod = "hpcc"')
    assert {"sih.burst", "dsh.burst"} == {key for key in values(found) if "burst" in key}
    assert [row.why.split(":")[0] for row in found.failed] == ["must be 3,000 B"]
