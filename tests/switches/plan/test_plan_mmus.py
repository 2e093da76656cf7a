"""Chips with several MMUs: each has its own memory and ports, and lossless classes must fit the fullest of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from planned import planned, values

from xoff.errors import PlanError
from xoff.switches.export import Format
from xoff.switches.plan.simulate import not_simulated, other_mmus, scenario, worst_case

if TYPE_CHECKING:
    from xoff.switches.plan.outcome import Outcome

# By the papers' formula at 100 Gb/s with 1500 B: 1 us needs 31,840 B, 10 us 256,840 B and 20 us 506,840 B.
PUBLISHED = '[headroom]\nmethod = "published"'


def ports(*groups: tuple[str, int, str]) -> str:
    tables = (f'name = "{name}"\ncount = {count}\nrate = "100Gbps"\ndelay = "{delay}"' for name, count, delay in groups)
    return "\n[[ports]]\n".join(tables)


def tomahawk(*groups: tuple[str, int, str], classes: str = "[3]", rest: str = PUBLISHED) -> Outcome:
    return planned("tomahawk", ports=ports(*groups), classes=f"priorities = {classes}\nlossless = true", rest=rest)


def test_the_mmu_with_the_long_cables_says_how_large_pools_can_be() -> None:
    found = tomahawk(("down", 28, "1us"), ("up", 4, "10us"))
    numbers = values(found)
    assert numbers["mmu.memory"] == 4 << 20
    assert numbers["mmu.0.headroom"] == 8 * 31_840
    assert numbers["mmu.3.headroom"] == 4 * 31_840 + 4 * 256_840 == 1_154_720
    assert numbers["mmu.3.left"] == numbers["mmu.lossless_pool"] == numbers["sih.shared"] == 3_039_584
    assert [row.quantity for row in found.rows if row.key.endswith(".headroom") and row.key.startswith("mmu")] == [
        "headroom of MMUs 0, 1, 2: 8 down",
        "headroom of MMU 3: 4 down, 4 up",
    ]
    pools = found.settings.pools
    assert (pools.lossless_bytes, pools.headroom_bytes) == (3_039_584, 1_154_720)
    assert not found.failed
    exported = Format.SONIC.write(found.settings)
    assert json.loads(exported.text)["BUFFER_POOL"]["ingress_lossless_pool"]["size"] == str(4 * 3_039_584)
    assert any("for which the MMU with most headroom has room" in note for note in exported.notes)


def test_headroom_that_fits_the_chip_and_not_one_of_its_mmus_fails() -> None:
    found = tomahawk(("down", 24, "1us"), ("up", 8, "20us"), classes="[3, 4]")
    assert values(found)["mmu.3.headroom"] == 2 * 8 * 506_840  # of 4,194,304 B, and the chip's 16,777,216 hold all
    assert [row.key for row in found.failed][:2] == ["mmu.3.headroom", "sih.shared"]
    assert "sih.headroom" not in [row.key for row in found.failed]


@pytest.mark.parametrize(("mmus", "least"), [(1, 1500), (4, 6000)])
def test_memory_holds_a_packet_in_each_mmu(mmus: int, least: int) -> None:
    def tried(memory: int) -> Outcome:
        return planned("tomahawk", f'mmus = {mmus}\nmemory = "{memory}B"')

    for memory in (1, least - 1):
        with pytest.raises(PlanError) as refused:
            tried(memory)
        assert (refused.value.key, refused.value.expected) == ("memory", f'expected at least "{least}B"')
    assert tried(least).failed


def test_long_cables_spread_over_mmus_in_the_order_of_the_plan_fit() -> None:
    spread = [group for n in range(4) for group in ((f"up{n}", 2, "20us"), (f"down{n}", 6, "1us"))]
    found = tomahawk(*spread, classes="[3, 4]")
    assert {row.key: row.value for row in found.rows}["mmu.0.headroom"] == 2 * (2 * 506_840 + 6 * 31_840)
    assert not found.failed


def test_an_mmu_serves_no_more_than_its_part_of_the_chip() -> None:
    def half(count: int, rate: str) -> str:
        return f'count = {count}\nrate = "{rate}"\ncable = "5m"'

    servers, spines = half(96, "100Gbps"), half(40, "400Gbps")
    says = (
        "ports: MMU 1 has 28 servers, 40 spines of 18,800 Gb/s, and serves 12,800 Gb/s; expected groups split so "
        "that each MMU, which takes as many ports as any other, has some of each, or mmus = 1, which takes memory as "
        "one pool"
    )
    with pytest.raises(PlanError, match=f"^{says}$"):
        planned("tomahawk_4", ports=f'name = "servers"\n{servers}\n[[ports]]\nname = "spines"\n{spines}')
    each = [
        f'name = "{name}{n}"\n{half(*of)}'
        for n in range(2)
        for name, of in (("s", (48, "100Gbps")), ("u", (20, "400Gbps")))
    ]
    assert planned("tomahawk_4", ports="\n[[ports]]\n".join(each)).settings.pools.ports_per_mmu == 68
    of_both = f'name = "servers"\n{servers}\n[[ports]]\nname = "spines"\n{spines}'
    assert planned("tomahawk_4", "mmus = 1", of_both).plan.mmus == 1


def test_an_order_in_which_mmus_can_serve_their_ports_is_named() -> None:
    groups = [("s0", 48, "100Gbps"), ("s1", 48, "100Gbps"), ("u0", 20, "400Gbps"), ("u1", 20, "400Gbps")]

    def spelled(names: list[str]) -> str:
        tables = {
            name: f'name = "{name}"\ncount = {count}\nrate = "{rate}"\ncable = "5m"' for name, count, rate in groups
        }
        return "\n[[ports]]\n".join(tables[name] for name in names)

    with pytest.raises(PlanError, match=r"; expected the order s0, u0, s1, u1, in which MMUs, which take"):
        planned("tomahawk_4", ports=spelled(["s0", "s1", "u0", "u1"]))
    assert planned("tomahawk_4", ports=spelled(["s0", "u0", "s1", "u1"])).settings.pools.ports_per_mmu == 68


def test_ports_of_a_chip_that_is_not_full_are_of_one_mmu_after_another() -> None:
    found = tomahawk(("down", 8, "1us"))
    assert values(found)["mmu.0.headroom"] == 8 * 31_840
    assert found.settings.pools.ports_per_mmu == 8
    assert values(tomahawk(("down", 12, "1us")))["mmu.1.headroom"] == 4 * 31_840


def test_a_share_is_of_no_more_queues_than_an_mmu_has() -> None:
    numbers = values(tomahawk(("down", 32, "1us"), rest=f"{PUBLISHED}\nsaturated_queues = [4, 16, 32]"))
    pool = (4 << 20) - 8 * 31_840
    assert {key for key in numbers if key.startswith("sih.share.")} == {"sih.share.4", "sih.share.8"}
    assert numbers["sih.share.8"] == pytest.approx(pool / 8 / 2)  # alpha 1/8: B/8 / (1 + 8/8)


def test_chips_of_one_mmu_have_no_rows_of_mmus() -> None:
    assert not [key for key in values(planned("trident_3")) if key.startswith("mmu.")]


def test_the_fullest_mmu_is_simulated_by_itself() -> None:
    groups = ports(("near", 24, "1us"), ("far", 24, "5us")).replace("100Gbps", "10Gbps")
    found = planned("trident_plus", 'mmus = 2\nmemory = "3MB"', groups, "priorities = [3]\nlossless = true")
    tried = worst_case(found)
    assert tried.described.startswith("MMU 1 of 2 by itself, which has least left (24 far): 23 hosts at once into one")
    table: Any = tried.table()
    assert len(table["topology"]["hosts"]) == 24
    assert {link["delay"] for link in table["topology"]["links"]} == {"5000000ps"}
    assert table["switch"][0]["pfc"]["lossless_pool"] == f"{found.settings.pools.lossless_bytes}B"
    result = scenario(worst_case(found)).run()
    assert result.summary["packets"]["dropped"] == 0
    assert found.settings.pools.lossless_bytes < result.summary["buffer"]["peak_bytes"] < 1_500_000 + (256 << 10)


def near_and_far(far: int, headroom: str) -> Outcome:
    """Far ports, of an MMU of their own, have 50 kB on their cables, and near ones 2.5 kB."""
    groups = ports(("near", 24, "1us"), ("far", far, "20us")).replace("100Gbps", "10Gbps")
    classes = "priorities = [3]\nlossless = true"
    return planned("trident_plus", 'mmus = 2\nmemory = "6MB"', groups, classes, f'[headroom]\nsize = "{headroom}"')


def test_an_mmu_whose_headroom_may_not_be_enough_is_simulated_beside_the_fullest() -> None:
    found = near_and_far(20, "40kB")
    fullest, (far,) = worst_case(found), other_mmus(found).values()
    assert fullest.described.startswith("MMU 0 of 2 by itself, which has least left (24 near): ")
    assert far.described.startswith("MMU 1 of 2 by itself (20 far): 19 hosts at once into one of 20 ports")
    tables: list[Any] = [fullest.table(), far.table()]
    assert {table["switch"][0]["pfc"]["lossless_pool"] for table in tables} == {f"{3_000_000 - 24 * 40_000}B"}
    failures = [case.trial(scenario(case).run()).failures for case in (fullest, far)]
    assert failures[0] == []
    assert failures[1][0].endswith(" packets of lossless classes were lost")
    assert not_simulated(found) == []


@pytest.mark.parametrize(
    ("far", "headroom", "why"),
    [(20, "80kB", "whose headroom holds"), (4, "40kB", "which has too few ports to congest them all")],
)
def test_an_mmu_that_is_not_simulated_is_named(far: int, headroom: str, why: str) -> None:
    found = near_and_far(far, headroom)
    assert other_mmus(found) == {}
    assert not_simulated(found) == [f"MMU 1 ({far} far), {why}"]


def test_an_mmu_with_too_few_ports_to_congest_is_refused() -> None:
    found = planned("tomahawk", "mmus = 8", ports(("down", 32, "1us")))
    with pytest.raises(PlanError, match=r"^p.toml: ports: 4 ports of an MMU are too few to congest them all; expected"):
        scenario(worst_case(found), "p.toml")


def test_simulated_mmus_without_lossless_classes_have_their_parts_of_memory() -> None:
    rest = '[congestion]\nscheme = "dctcp"\nround_trip = "100us"'
    found = planned("tomahawk", ports=ports(("down", 8, "1us")), classes="priorities = [0]", rest=rest)
    table: Any = worst_case(found).table()
    switch = table["switch"][0]
    assert (switch["total"], switch["ports_per_pool"]) == (f"{4 << 20}B", 8)
