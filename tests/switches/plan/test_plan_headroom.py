"""PFC headroom by every method; the numbers are computed by hand from the formulas of DSH, IEEE 802.3 and SONiC."""

import pytest
from planned import planned, values

from conftest import ROOT
from xoff.errors import PlanError
from xoff.switches.plan.file import parse
from xoff.switches.plan.outcome import Outcome, compute, outcome
from xoff.switches.plan.rows import Verdict

ANY = "tomahawk_5"


def link(gbps: int, *, delay: str = "1.5us", mtu: int = 1500, rest: str = "") -> Outcome:
    """One port of a chip that has ports of every rate."""
    return planned(ANY, f'mtu = "{mtu}B"', f'count = 1\nrate = "{gbps}Gbps"\ndelay = "{delay}"', rest=rest)


@pytest.mark.parametrize(
    ("gbps", "small", "jumbo"),
    [
        (10, 10_590, 25_590),
        (25, 16_215, 31_215),
        (40, 21_840, 36_840),
        (50, 25_590, 40_590),
        (100, 44_340, 59_340),
        (200, 81_840, 96_840),
        (400, 156_840, 171_840),
        (800, 306_840, 321_840),
    ],
)
def test_with_the_constant_of_the_papers(gbps: int, small: int, jumbo: int) -> None:
    assert values(link(gbps))["headroom.published"] == small
    assert values(link(gbps, mtu=9000))["headroom.published"] == jumbo


@pytest.mark.parametrize(("mtu", "size"), [(1500, 56_840), (1048, 55_936), (1000, 55_840)])
def test_of_longer_links(mtu: int, size: int) -> None:
    assert values(link(100, delay="2us", mtu=mtu))["headroom.published"] == size


@pytest.mark.parametrize(("delay", "size"), [("0.1us", 9340), ("0.5us", 19_340), ("1us", 31_840), ("2us", 56_840)])
def test_with_a_measured_delay(delay: str, size: int) -> None:
    assert values(link(100, delay=delay))["headroom.published"] == size


@pytest.mark.parametrize(
    ("gbps", "size"),
    [(10, 11_038), (25, 17_495), (40, 25_552), (50, 31_158), (100, 65_716), (200, 106_992), (400, 210_920)],
)
def test_with_the_table_of_ieee_802_3(gbps: int, size: int) -> None:
    assert values(link(gbps))["headroom.ieee"] == size


def test_the_papers_constant_is_warned_of_where_the_standard_allows_more() -> None:
    found = link(400, rest='[headroom]\nmethod = "published"')
    row = next(row for row in found.rows if row.key == "headroom.chosen")
    assert row.verdict is Verdict.WARNS
    assert "57,920 B" in row.why


def test_methods_that_the_plan_does_not_take_are_remarked_on_alone() -> None:
    rows = {row.key: row for row in link(400).rows}
    assert rows["headroom.published"].judgement.startswith("below the 210,920 B for a sender that reacts as late")
    assert rows["headroom.sonic"].judgement == ""
    assert [row.key for row in rows.values() if row.key.startswith("headroom.") and row.verdict] == ["headroom.chosen"]


def test_dcqcns_counts_whole_frames_on_the_wire() -> None:
    cable = 'count = 32\nrate = "40Gbps"\ncable = "300m"\nvelocity_factor = 0.65'
    found = values(planned("trident_2", ports=cable))
    assert found["headroom.wire"] == 22_385  # 22,384.6
    assert found["headroom.published"] == pytest.approx(22_225, abs=1)


@pytest.mark.parametrize(
    ("keys", "sizes"),
    [
        ('cell = "96B"\nsmall_packets = 100', (72_704, 81_920, 147_456)),
        ('cell = "144B"\nsmall_packets = 100', (108_544, 121_856, 220_160)),
        ('cell = "96B"\nsmall_packets = 50', (44_032, 48_128, 84_992)),
        ('cell = "144B"\nsmall_packets = 50', (48_128, 53_248, 94_208)),
        ('cell = "96B"\nsmall_packets = 50\nscheme = "oversubscribed"\nratio = 0.5', (41_984, 46_080, 82_944)),
        ('cell = "144B"\nsmall_packets = 50\nscheme = "oversubscribed"\nratio = 0.5', (46_080, 51_200, 92_160)),
    ],
)
def test_by_sonics_formula(keys: str, sizes: tuple[int, ...]) -> None:
    """100 Gb/s over 5, 40 and 300 m."""
    for metres, size in zip((5, 40, 300), sizes, strict=True):
        ports = f'count = 1\nrate = "100Gbps"\ncable = "{metres}m"'
        assert values(planned(ports=ports, rest=f"[headroom]\n{keys}"))["headroom.sonic"] == size


def test_by_sonics_formula_at_40_gbps() -> None:
    ports = 'count = 1\nrate = "40Gbps"\ncable = "300m"'
    rest = '[headroom]\ncell = "96B"\nsmall_packets = 100'
    assert values(planned("trident_2", ports=ports, rest=rest))["headroom.sonic"] == 66_560


def test_by_the_annex_by_hand() -> None:
    """100 m of cable are 2 x 500 ns x 100 Gb/s = 100,000 bit; a frame of 1538 B is 12,304 bit."""
    found = planned(ports='count = 1\nrate = "100Gbps"\ncable = "100m"')
    bits = (9216 * 8 + 160) + 672 + 2 * 122_880 + 100_000 + 201_728 + 12_304
    assert values(found)["headroom.annex"] == bits / 8


def test_the_annex_says_nothing_of_400_gbps() -> None:
    assert "headroom.annex" not in values(link(400))
    with pytest.raises(PlanError, match=r"headroom\.method: annex says nothing of 400 Gb/s; expected another"):
        link(400, rest='[headroom]\nmethod = "annex"')


def test_by_simulators_by_hand() -> None:
    """40 Gb/s and 1.5 us hold 7,500 B one way."""
    found = values(link(40))
    assert found["headroom.reverie"] == 2 * 1548 + 3860 + 15_000
    assert found["headroom.hpcc"] == 22_500
    assert found["headroom.simulator"] == 3 * 1538 + 84 + 118 * 64 + 15_000


@pytest.mark.parametrize(
    ("gbps", "longest", "reaction"), [(10, 3355.4, 3.072), (40, 838.8, 0.768), (100, 335.5, 0.3072), (400, 83.9, None)]
)
def test_pauses_in_time(gbps: int, longest: float, reaction: float | None) -> None:
    found = values(link(gbps))
    assert found["headroom.longest_pause"] == pytest.approx(longest, abs=0.06)
    if reaction is not None:
        assert found["headroom.published_reaction"] == pytest.approx(reaction)


def test_the_plan_takes_its_method_rounded_up_or_its_size() -> None:
    assert values(link(40, rest='[headroom]\nmethod = "published"\nround_up = "1kB"'))["headroom.chosen"] == 22_000
    assert values(link(40, rest='[headroom]\nsize = "60000B"'))["headroom.chosen"] == 60_000


@pytest.mark.parametrize(
    ("size", "verdict", "says"),
    [
        (17_999, "fails", "must be 18,000 B"),
        (18_000, "warns", "must be 25,552 B"),
        (25_551, "warns", "must be 25,552 B"),
        (25_552, "warns", "must be 27,250 B"),
        (27_249, "warns", 'method = "simulator" sets that aside'),
        (27_250, "holds", "must be 25,552 B"),
    ],
)
def test_a_headroom_holds_from_the_slowest_sender_and_fails_below_the_quickest(
    size: int, verdict: str, says: str
) -> None:
    """40 Gb/s and 1.5 us: 15,000 B in flight and two packets of 1500 B; 118 quanta; three frames and a pause."""
    found = link(40, rest=f'[headroom]\nsize = "{size}B"')
    [row] = [row for row in found.rows if row.key == "headroom.chosen"]
    assert row.verdict == verdict
    assert says in row.why


def test_groups_have_headroom_of_their_own() -> None:
    ports = (
        'name = "down"\ncount = 16\nrate = "25Gbps"\ncable = "5m"\n'
        '[[ports]]\nname = "up"\ncount = 8\nrate = "100Gbps"\ncable = "300m"'
    )
    found = planned(ports=ports, rest='[headroom]\nmethod = "published"')
    numbers = values(found)
    down, up = numbers["headroom.down.chosen"], numbers["headroom.up.chosen"]
    assert down < up
    assert numbers["sih.headroom"] == 16 * down + 8 * up
    assert [group.pause and group.pause.headroom_bytes for group in found.settings.groups] == [down, up]


def with_xon_offset(size: str, classes: str = "[headroom]") -> Outcome:
    plan = f"""\
title = "Resuming"
chip = "trident_3"
[[ports]]
cable = "40m"
[[class]]
name = "rdma"
priorities = [3]
lossless = true
{classes}
size = "100kB"
xon_offset = "{size}"
"""
    return outcome(parse(plan), "plan.toml")


def test_a_pause_must_be_able_to_end() -> None:
    # 32 MiB less 32 x 100 kB leave 30,354,432 B, of which XOFF is an eighth at the most.
    with_xon_offset("3794304B")
    refusal = (
        "plan.toml: headroom.xon_offset: puts XON 3,794,305 B below XOFF, which for rdma is never higher than "
        "3,794,304 B; expected at most 3,794,304 B"
    )
    with pytest.raises(PlanError) as refused:
        with_xon_offset("3794305B")
    assert str(refused.value) == refusal


def test_the_class_with_the_smallest_alpha_must_be_able_to_resume() -> None:
    # Of an eighth and a sixty-fourth of the pool.
    classes = '[[class]]\nname = "small"\npriorities = [4]\nlossless = true\nalpha = "1/64"\n[headroom]'
    with pytest.raises(PlanError, match="which for small is never higher than"):
        with_xon_offset("3MB", classes)


def test_qcns_inputs_keep_what_they_hold_above_stop() -> None:
    found = compute(ROOT / "plans" / "trident_plus_qcn.toml")
    assert {row.key: row.value for row in found.rows}["headroom.chosen"] == 40_000  # 150 kB less 110 kB
    assert found.settings.pools.lossless_bytes == 9 * 2**20 - 24 * 40_000


def test_sonics_formula_says_whose_cells_it_takes() -> None:
    def formula(chip: str) -> str:
        ports = '[[ports]]\ncable = "40m"\n[[class]]\nname = "rdma"\npriorities = [3]\nlossless = true\n'
        found = outcome(parse(f'title = "Cells"\nchip = "{chip}"\n{ports}'))
        return next(row.formula for row in found.rows if row.key == "headroom.sonic")

    assert "cells of 208 B, 100 %" in formula("tomahawk")
    assert "cells of 96 B (Spectrum's: tofino's are not known; set `cell`)" in formula("tofino")
