"""A plan tried out on a small switch, and what makes BCC's lose packets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from planned import planned

from conftest import ROOT
from xoff.errors import PlanError
from xoff.scenario.scenario import Scenario
from xoff.switches.plan.file import Qcn
from xoff.switches.plan.outcome import Outcome, compute
from xoff.switches.plan.simulate import scenario, worst_case
from xoff.switches.plan.simulate.bursts import Bursts
from xoff.switches.plan.simulate.hotspots import Hotspots, HotspotsTrial
from xoff.switches.plan.simulate.long_flows import LongFlows, LongFlowsTrial, SlowStart
from xoff.switches.plan.simulate.trial import SharedMemoryTrial, order

PORTS = 'count = 8\nrate = "10Gbps"\ndelay = "1us"'
QCN = '[congestion]\nscheme = "qcn"\nset_point = "60kB"\nbuffer = "150kB"\nstop = "110kB"\ngo = "44kB"\n'
BCC = compute(ROOT / "plans" / "tomahawk_bcc.toml")


def bursts(found: Outcome) -> SharedMemoryTrial:
    return Bursts(found).trial(scenario(worst_case(found)).run())


def long_flows(found: Outcome, table: dict[str, Any]) -> LongFlowsTrial:
    return LongFlows(found).trial(Scenario.from_dict(table).run())


def hotspots(found: Outcome) -> HotspotsTrial:
    own = found.plan.congestion
    assert isinstance(own, Qcn)
    return Hotspots(found, own).trial(scenario(worst_case(found)).run())


def dcqcn(minimum: str, maximum: str) -> Outcome:
    rest = f'[congestion]\nscheme = "dcqcn"\nminimum = "{minimum}"\nmaximum = "{maximum}"\nprobability = 1.0'
    return planned("trident_plus", 'memory = "1MB"', PORTS, "priorities = [3]\nlossless = true", rest)


def test_thresholds_that_hold_mark_before_they_pause() -> None:
    found = bursts(dcqcn("5kB", "10kB"))
    assert found.ecn_came_first
    assert found.pause_frames > 0
    assert (found.dropped_packets, found.first_drop_us, found.last_drop_us) == (0, None, None)
    assert found.sentences[0].endswith("ECN came before PFC")
    assert found.sentences[1].startswith("nothing was lost")
    assert found.failures == []


def test_thresholds_that_are_never_reached_pause_first() -> None:
    found = bursts(dcqcn("900kB", "950kB"))
    assert not found.ecn_came_first
    assert found.failures == [f"c: no mark, first pause after {found.first_pause_us:.3f} us: PFC alone"]


def test_a_class_that_pauses_before_it_marks_fails_by_itself() -> None:
    more = '\nalpha = 1\n[[class]]\nname = "small"\npriorities = [4]\nlossless = true\nalpha = "1/256"\n'
    marks = '[congestion]\nscheme = "dcqcn"\nminimum = "40kB"\nmaximum = "80kB"\nprobability = 1.0'
    found = bursts(planned("trident_plus", 'memory = "1MB"', PORTS, f"priorities = [3]\nlossless = true{more}", marks))
    early, small = found.classes
    assert (early.name, early.pfc_came_first) == ("c", False)
    assert (small.name, small.pfc_came_first) == ("small", True)
    assert found.failures == [small.sentence]


# Three frames of 1538 B, 84 B, what senders react for (67 or 60 quanta), and 1250 B on the cable each way.
@pytest.mark.parametrize(("method", "least"), [("ieee", 11_486), ("published", 11_038)])
def test_dsh_is_simulated_with_the_insurance_of_the_plan(method: str, least: int) -> None:
    def tried(size: str) -> Outcome:
        rest = f'[headroom]\nscheme = "dsh"\nmethod = "{method}"\n{size}'
        return planned("trident_plus", 'memory = "1MB"', PORTS, "priorities = [3, 4]\nlossless = true", rest)

    def noted(size: str) -> bool:
        return any("headroom is sure to have room for" in note for note in scenario(worst_case(tried(size))).check())

    assert [noted(size) for size in ("", f'size = "{least - 1}B"', f'size = "{least}B"')] == [True, True, False]
    assert bursts(tried(f'size = "{least}B"')).dropped_packets == 0


def test_pauses_without_planned_marks_are_no_failure() -> None:
    found = bursts(planned("trident_plus", 'memory = "1MB"', PORTS, "priorities = [3]\nlossless = true"))
    assert found.first_pause_us is not None
    assert found.failures == []


def test_headroom_far_too_small_loses_packets() -> None:
    rest = '[headroom]\nsize = "1kB"'
    classes = "priorities = [3]\nlossless = true\nalpha = 8"
    found = bursts(planned("trident_plus", 'memory = "200kB"', PORTS, classes, rest))
    assert found.dropped_packets > 0
    assert found.last_drop_us is not None
    assert "packets were lost, the last after" in found.sentences[1]
    assert found.failures == [f"{found.dropped_packets} packets of lossless classes were lost"]


def test_each_class_pauses_at_its_own_alpha() -> None:
    """7 senders of 8 to one port: what a port holds of a class as it is paused is a share of what is free of 1 MB."""
    more = '\nalpha = 1\n[[class]]\nname = "small"\npriorities = [4]\nlossless = true\nalpha = "1/64"'
    found = planned("trident_plus", 'memory = "1MB"', PORTS, f"priorities = [3]\nlossless = true{more}")
    result = scenario(worst_case(found)).run()
    assert result.pauses is not None
    held = {3: [0], 4: [0]}
    for row in result.pauses.to_pylist():
        held[row["priority"]].append(row["ingress_bytes"])
    assert 0 < max(held[4]) < found.settings.pools.lossless_bytes / 64 + 2000 < max(held[3])


def test_an_alpha_of_thirds_is_simulated() -> None:
    """DCQCN's beta of 8 for three classes."""
    marks = '[congestion]\nscheme = "dcqcn"\nmaximum = "10kB"\nprobability = 1.0'
    found = planned("trident_plus", 'memory = "1MB"', PORTS, "priorities = [3, 4, 5]\nlossless = true", marks)
    table: Any = Bursts(found).table()
    assert table["switch"][0]["pfc"]["xoff"]["alpha_by_priority"][3:6] == ["8/3"] * 3
    assert bursts(found).failures == []


def test_alphas_are_simulated_exactly() -> None:
    for alpha, simulated in (("0.000000001", "1/1000000000"), ("5000000001/10000000000", "5000000001/10000000000")):
        classes = f'priorities = [3]\nlossless = true\nalpha = "{alpha}"'
        found = planned("trident_plus", 'memory = "1MB"', PORTS, classes, '[headroom]\nxon_offset = "0B"')
        assert scenario(worst_case(found)).to_toml().count(f'"{simulated}"') == 1


NEAR_AND_FAR = (
    'name = "near"\ncount = 7\nrate = "10Gbps"\ncable = "5m"\n'
    '[[ports]]\nname = "far"\ncount = 1\nrate = "10Gbps"\ncable = "10km"'
)


def test_each_port_is_simulated_with_its_own_headroom() -> None:
    """A port of 10 km needs many times what the others need: they keep theirs, and the plan's memory is enough."""
    found = planned("trident_plus", 'memory = "400kB"', NEAR_AND_FAR, "priorities = [3]\nlossless = true")
    near, far = (group.pause.headroom_bytes for group in found.settings.groups if group.pause)
    assert far > 10 * near
    table: Any = Bursts(found).table()
    (switch,) = table["switch"]
    sizes = [{"ports": [*range(7)], "size": f"{near}B"}, {"ports": [7], "size": f"{far}B"}]
    assert switch["pfc"]["headroom"] == {"scheme": "sih", "at_ports": sizes}
    assert switch["pfc"]["lossless_pool"] == f"{400_000 - 7 * near - far}B"
    assert switch["total"] == f"{400_000 + (256 << 10)}B"
    assert Bursts(found).described.endswith("as the plan's method takes it")
    assert bursts(found).dropped_packets == 0


def test_ports_that_are_alike_have_one_size() -> None:
    table: Any = Bursts(dcqcn("5kB", "10kB")).table()
    assert table["switch"][0]["pfc"]["headroom"].keys() == {"scheme", "size"}


@pytest.mark.parametrize(
    ("headroom", "times"),
    [
        ("", Fraction(2)),
        ('scheme = "dsh"\nmethod = "simulator"', Fraction(1)),
        ('scheme = "oversubscribed"\nratio = "3/4"', Fraction(3, 2)),
    ],
)
def test_the_simulated_switch_sets_aside_what_is_planned(headroom: str, times: Fraction) -> None:
    """For two classes of each port; DSH's insurance is for both."""
    rest = f"[headroom]\n{headroom}"
    found = planned("trident_plus", 'memory = "2MB"', NEAR_AND_FAR, "priorities = [3, 4]\nlossless = true", rest)
    near, far = (group.pause.headroom_bytes for group in found.settings.groups if group.pause)
    table: Any = Bursts(found).table()
    table["observe"] |= {"headroom": True}
    result = Scenario.from_dict(table).run()
    assert result.headroom is not None
    assert set(result.headroom["set_aside_bytes"].to_pylist()) == {found.settings.pools.headroom_bytes}
    assert found.settings.pools.headroom_bytes == int(times * (7 * near + far))
    assert Bursts(found).trial(result).failures == []


def test_long_flows_of_dctcp_are_marked_and_never_paused() -> None:
    rest = '[congestion]\nscheme = "dctcp"\nround_trip = "100us"'
    found = planned("trident_plus", 'memory = "4MB"', PORTS, "priorities = [0]", rest)
    trial = long_flows(found, LongFlows(found).table())
    assert trial.switch.marked_packets > 0
    assert trial.switch.pause_frames == 0
    assert trial.slow_start is None
    assert trial.sentences[0].endswith("ECN alone")
    assert trial.sentences[1].startswith("nothing was lost")


def test_bccs_flows_that_all_begin_at_once_overshoot_into_their_hosts() -> None:
    trial = long_flows(BCC, LongFlows(BCC).table())
    found = trial.slow_start
    assert trial.switch.dropped_packets > 0
    assert found is not None
    assert (found.links_bytes, found.memory_bytes) == (32 * 10**6, 16 << 20)  # 32 x 100 Gb/s x 80 us
    assert found.windows_bytes > 2 * (found.links_bytes + found.memory_bytes)
    assert found.adapter_bytes > 10**6
    assert found.longest_round_trip_us == pytest.approx(80 + found.adapter_bytes * 8 / 100e3)
    assert trial.failures == []
    assert trial.sentences[2].endswith(f"takes {found.longest_round_trip_us:.0f} us there instead of 80")


def test_it_is_not_bccs_first_windows_that_are_lost() -> None:
    table: Any = LongFlows(BCC).table()
    table["transport"]["long"]["initial_window"] = 1
    assert long_flows(BCC, table).switch.dropped_packets > 0


def test_bcc_loses_nothing_where_ports_of_a_pool_begin_a_round_trip_apart() -> None:
    table: Any = LongFlows(BCC).table()
    (all_at_once,) = table["workload"]
    table["workload"] = [
        all_at_once | {"pairs": [pair], "start": f"{80 * (int(pair[1].removeprefix('host')) % 8)}us"}
        for pair in all_at_once["pairs"]
    ]
    trial = long_flows(BCC, table)
    assert trial.switch.marked_packets > 0
    assert (trial.switch.dropped_packets, trial.slow_start) == (0, None)


def test_bcc_loses_nothing_where_adapters_hold_little_and_echoes_come_in_time() -> None:
    """Small queues hold windows back where no host delay is in between: the same round trip, all of it in the links."""
    table: Any = LongFlows(BCC).table()
    table["host"] = {}
    for link in table["topology"]["links"]:
        link["delay"] = "20us"
    result = Scenario.from_dict(table).run()
    assert result.series is not None
    rows = result.series.to_pylist()
    assert max(row["value"] for row in rows if row["quantity"] == "queue") < 300_000  # 4 flows, 64 kB and a packet each
    assert LongFlows(BCC).trial(result).switch.dropped_packets == 0


def test_windows_that_links_and_memory_hold_are_all_that_is_told() -> None:
    told = SlowStart(1000, 600, 400, 0, 80, 80).sentence
    assert told.endswith("links hold 600 B in a round trip, and the switch has room for 400 B")


def test_occupancy_sampling_spares_the_innocent_and_arrival_sampling_does_not() -> None:
    """QCN-OS, figures 4 and 6; hot flows get their share of the output under both."""
    sampling = {
        name: hotspots(planned("trident_plus", ports=PORTS, rest=QCN + f'sampling = "{name}"\nhot_inputs = 6'))
        for name in ("occupancy", "arrival")
    }
    for found in sampling.values():
        assert found.hot_mbps == pytest.approx(2000, rel=0.02)
        assert found.dropped_packets == 0
        assert found.failures == []
    assert sampling["occupancy"].innocent_mbps == pytest.approx(5000, rel=0.02)
    assert sampling["arrival"].innocent_mbps < 3000


def test_feedback_stays_in_the_planned_range() -> None:
    found = hotspots(planned("trident_plus", ports=PORTS, rest=QCN))
    assert found.full_feedback == 18  # 63 x (150 - 60) / 300
    assert found.least_feedback is not None
    assert found.greatest_feedback is not None
    assert 1 <= found.least_feedback <= found.greatest_feedback <= 63
    assert found.greatest_feedback > found.full_feedback  # of a buffer that fills, by its growth
    assert "of 63 steps, where a full buffer at rest has 18" in found.sentences[1]


def test_all_inputs_are_hot_and_no_output_twice() -> None:
    found = planned("trident_plus", ports=PORTS, rest=QCN + "hot_inputs = 3")
    own = found.plan.congestion
    assert isinstance(own, Qcn)
    table: Any = Hotspots(found, own).table()
    shared, alone = (workload["pairs"] for workload in table["workload"])
    assert {source for source, _ in shared + alone} == {f"host{n}" for n in range(8)}
    assert [pair[1] for pair in shared[1::2]] == [pair[1] for pair in alone]  # two flows into each hot output
    outputs = {pair[1] for pair in shared}
    assert len(outputs) == len(shared) == 8
    assert all(source != to for source, to in shared + alone)


@pytest.mark.parametrize(
    ("ports", "classes", "rest", "says"),
    [
        (
            4,
            "priorities = [3]\nlossless = true",
            "",
            "ports: 4 ports are too few to congest them all; expected at least 5",
        ),
        (6, "priorities = [3]\nlossless = true", QCN, "ports: 6 ports are too few for a hotspot of 6 inputs; expected"),
        (8, "priorities = [3]", QCN, "class: none is lossless, and full inputs pause their senders; expected one"),
    ],
)
def test_what_is_not_simulated_is_refused(ports: int, classes: str, rest: str, says: str) -> None:
    found = planned("trident_plus", ports=PORTS.replace("8", str(ports)), classes=classes, rest=rest)
    with pytest.raises(PlanError) as refused:
        scenario(worst_case(found), "p.toml")
    assert str(refused.value).startswith(f"p.toml: {says}")


def test_a_stop_too_near_the_end_of_the_buffer_is_refused_by_its_own_key() -> None:
    found = planned("trident_plus", ports=PORTS, rest=QCN.replace("110kB", "140kB"))
    with pytest.raises(PlanError) as refused:
        scenario(worst_case(found), "p.toml")
    assert str(refused.value).startswith(
        "p.toml: congestion.stop: the planned switch cannot be simulated: switch0 leaves"
    )


def test_packets_of_headers_alone_are_refused() -> None:
    """Telemetry of HPCC is a header, too."""
    rest = '[congestion]\nscheme = "hpcc"'
    found = planned("trident_plus", 'mtu = "68B"', PORTS, "priorities = [3]\nlossless = true", rest)
    with pytest.raises(PlanError, match=r"^p.toml: mtu: 68 B are no more than headers; expected at least 87B$"):
        scenario(worst_case(found), "p.toml")


@pytest.mark.parametrize(
    ("mark", "pause", "judged"),
    [
        (1.0, 2.0, "first mark after 1.000 us, first pause after 2.000 us: ECN came before PFC"),
        (2.0, 1.0, "first mark after 2.000 us, first pause after 1.000 us: PFC came before ECN"),
        (None, 1.0, "no mark, first pause after 1.000 us: PFC alone"),
        (1.0, None, "first mark after 1.000 us, no pause: ECN alone"),
        (None, None, "no mark, no pause: neither ECN nor PFC was needed"),
    ],
)
def test_what_came_first(mark: float | None, pause: float | None, judged: str) -> None:
    assert order(("ECN", "mark", mark), ("PFC", "pause", pause)) == judged
