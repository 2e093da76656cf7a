"""Critical paths of flows: every instant has one cause, and they add up to the completion time."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import xoff
from conftest import SCENARIOS, ring
from xoff.errors import ResultError
from xoff.explain import why
from xoff.explain.critical_path import Cause, CriticalPath, parts

NETWORK = """
[topology]
kind = "star"
hosts = 4
host_link = { rate = "10Gbps", delay = "1us" }
"""

# A packet of 1000 bytes takes 800 ns at 10 Gb/s, and two links of 1 us.
BLOCKS = """
[transport.blocks]
kind = "constant_rate"
payload = "942B"
wire_overhead = "0B"
"""


def flow_from(source: str, size: str, start: str = "0us", transport: str = "blocks") -> str:
    return f"""
[[workload]]
kind = "long_lived"
transport = "{transport}"
pairs = [["{source}", "host0"]]
size = "{size}"
start = "{start}"
"""


def path_of(scenario: str, flow: str) -> CriticalPath:
    return xoff.Scenario.from_text(scenario).run().critical_path(flow)


def in_ns(path: CriticalPath) -> list[tuple[Cause, str | None, float]]:
    return [(part.cause, part.place, part.time_ps / 1000) for part in path.parts]


def test_a_flow_alone_waits_for_nobody() -> None:
    path = path_of(NETWORK + BLOCKS + flow_from("host1", "9420B"), "host1.flow0")
    assert in_ns(path) == [
        (Cause.TRANSMISSION, "host1.port0", 10 * 800.0),
        (Cause.PROPAGATION, None, 2000.0),
        (Cause.TRANSMISSION, None, 800.0),
    ]


def test_a_slow_link_is_named() -> None:
    """Ten packets, for each of which it takes as long as the adapter for four; nine times that goes by meanwhile."""
    slow = NETWORK + 'links = [{ between = ["switch0", "host0"], rate = "2500Mbps" }]\n'
    path = path_of(slow + BLOCKS + flow_from("host1", "9420B"), "host1.flow0")
    assert in_ns(path)[0] == (Cause.TRANSMISSION, "switch0.port0", 10 * 3200.0 - 9 * 800)


def test_what_goes_first_at_a_port_is_its_queue() -> None:
    """The other packet comes 100 ns earlier, so that this one waits for 700 ns of it."""
    two = flow_from("host1", "942B", "100ns") + flow_from("host2", "942B")
    path = path_of(NETWORK + BLOCKS + two, "host1.flow0")
    assert in_ns(path) == [
        (Cause.PROPAGATION, None, 2000.0),
        (Cause.TRANSMISSION, None, 1600.0),
        (Cause.QUEUEING, "switch0.port0", 700.0),
    ]
    waited = next(stretch for stretch in path.stretches if stretch.cause is Cause.QUEUEING)
    assert (waited.since_ps, waited.until_ps) == (1_900_000, 2_600_000)


def test_a_rate_is_what_a_paced_flow_waits_for() -> None:
    """At 2 Gb/s a packet may go every 4 us, of which it is on the wire for 800 ns."""
    paced = BLOCKS + 'rate = "2Gbps"\n' + flow_from("host1", "2826B")
    path = path_of(NETWORK + paced, "host1.flow0")
    assert in_ns(path) == [
        (Cause.RATE, "host1.port0", 2 * 3200.0),
        (Cause.TRANSMISSION, None, 4 * 800.0),
        (Cause.PROPAGATION, None, 2000.0),
    ]


def test_a_window_makes_round_trips() -> None:
    tcp = '[transport.tcp]\nkind = "tcp"\ncongestion_control = { algorithm = "reno" }\ninitial_window = 1\n'
    path = path_of(NETWORK + tcp + flow_from("host1", "4380B", transport="tcp"), "host1.flow0")
    assert path.round_trips == 2  # one segment, then two
    assert {part.cause for part in path.parts} == {Cause.TRANSMISSION, Cause.PROPAGATION}
    propagation = next(part for part in path.parts if part.cause is Cause.PROPAGATION)
    assert propagation.time_ps == 2 * 4 * 1_000_000


@pytest.mark.parametrize(
    ("scenario", "changes", "causes"),
    [
        ("incast", ("switch.total=300kB",), {Cause.TIMEOUT, Cause.QUEUEING}),
        ("web_search", ("stop.arrivals_end=300us",), {Cause.QUEUEING}),
        ("pauses", (), {Cause.PAUSED}),
        ("hpcc", ("workload.size=500kB",), {Cause.RATE}),
        ("receiver_credit", ("workload[1].size=200kB",), {Cause.CREDIT}),
        ("rails", ("stop.at=20us",), {Cause.QUEUEING}),
        ("partition_aggregate", ("workload.queries=20",), {Cause.DELAYED_ACKNOWLEDGEMENT}),
        ("fabric", ("workload.size=300kB",), {Cause.QUEUEING}),
    ],
)
def test_causes_add_up_to_the_completion_time(scenario: str, changes: tuple[str, ...], causes: set[Cause]) -> None:
    result = xoff.Scenario.load(SCENARIOS / f"{scenario}.toml", changes).run()
    names = why.slowest(result, 20)
    rows = result.flows.to_pylist()
    finished = {f"{row['source']}.flow{row['number']}": row for row in rows}
    paths = why.critical_paths(result, names)
    assert [path.flow for path in paths] == names
    for path in paths:
        row = finished[path.flow]
        assert path.finish_ps // 1000 == row["finish_ns"]
        assert path.start_ps // 1000 == row["start_ns"]
        assert sum(stretch.time_ps for stretch in path.stretches) == path.time_ps
        assert all(one.until_ps == then.since_ps for one, then in pairwise(path.stretches))
    assert causes <= {part.cause for part in parts(paths)}
    assert sum(part.share for part in parts(paths)) == pytest.approx(1)


def test_the_slowest_come_first() -> None:
    result = xoff.Scenario.load(SCENARIOS / "incast.toml").run()
    slowdowns = {f"{row['source']}.flow{row['number']}": row["slowdown"] for row in result.flows.to_pylist()}
    named = [slowdowns[name] for name in why.slowest(result, 5)]
    assert named == sorted(slowdowns.values(), reverse=True)[:5]


def test_a_timeout_says_where_the_packet_was_dropped() -> None:
    result = xoff.Scenario.load(SCENARIOS / "incast.toml", ("switch.total=300kB",)).run()
    [path] = why.critical_paths(result, why.slowest(result))
    first = path.parts[0]
    assert (first.cause, first.place, first.reason) == (Cause.TIMEOUT, "switch0.port0", "threshold")
    assert first.time_ps >= 10**9  # the least retransmission timeout is 1 ms


def test_a_trimmed_packet_is_recovered_once_that_is_told_and_then_waits_for_its_rate() -> None:
    """The switch tells of the loss after the queues before it, in at most 50 us; windows stay small for longer."""
    result = xoff.Scenario.load(SCENARIOS / "trimming.toml").run()
    slowest = [name for name in why.slowest(result, 40) if name.endswith("flow1")][:3]
    for path in why.critical_paths(result, slowest):
        trimmed = [stretch for stretch in path.stretches if stretch.reason == "trimmed"]
        assert trimmed
        assert all(stretch.until_ps - stretch.since_ps < 50 * 10**6 for stretch in trimmed)
        assert (path.parts[0].cause, path.parts[0].share > 0.5) == (Cause.RATE, True)


def test_credit_that_comes_late_is_waited_for() -> None:
    """A packet takes 800 ns, and credit for one is given every 8 us: for the third at 11.6 us, 8 after the first came.

    The second comes after the first, whose credit leaves behind its ACK: 54.4 ns later than the 9302.4 ns that packets
    and credit take by themselves.
    """
    credit = "initial_credit = 0, credit_rate = 0.1, packets_per_credit = 1"
    roce = f"""
[transport.credit]
kind = "roce"
payload = "938B"
wire_overhead = "0B"
congestion_control = {{ algorithm = "rccc", {credit} }}
"""
    path = path_of(NETWORK + roce + flow_from("host1", "2814B", transport="credit"), "host1.flow0")
    assert [part for part in in_ns(path) if part[0] is Cause.CREDIT] == [(Cause.CREDIT, None, 2243.2)]
    assert path.round_trips == 3


def test_recorded_packets_need_no_other_run() -> None:
    text = NETWORK + BLOCKS + flow_from("host1", "9420B") + '[observe]\npackets = ["host1"]\n'
    result = xoff.Scenario.from_text(text).run()

    def run(scenario: xoff.Scenario) -> xoff.Result:
        raise AssertionError(scenario)

    assert why.critical_paths(result, ["host1.flow0"], run)[0].time_ps == (11 * 800 + 2000) * 1000


def test_a_flow_that_is_not_there_is_refused() -> None:
    result = xoff.Scenario.from_text(NETWORK + BLOCKS + flow_from("host1", "9420B")).run()
    with pytest.raises(ValueError, match=r"no flow host3\.flow0; expected a name such as host1\.flow0"):
        result.critical_path("host3.flow0")


def test_a_flow_that_the_end_cuts_off_waits_for_what_it_waited_for_then() -> None:
    """The first packet waits behind the other flow's, 8000 ns, and has had 700 of its own 800 ns at the end."""
    two = flow_from("host1", "942B", "100ns") + flow_from("host2", "9420B")
    path = path_of(NETWORK + BLOCKS + two + '[stop]\nat = "3400ns"\n', "host1.flow0")
    assert [(one.cause, one.place, one.since_ps / 1000, one.until_ps / 1000) for one in path.stretches] == [
        (Cause.TRANSMISSION, "host1.port0", 100, 900),
        (Cause.PROPAGATION, "host1.port0", 900, 1900),
        (Cause.QUEUEING, "switch0.port0", 1900, 2600),
        (Cause.TRANSMISSION, "switch0.port0", 2600, 3400),
    ]


@pytest.mark.parametrize("at", ["7us", "40us", "310us", "1300us"])
@pytest.mark.parametrize(
    ("scenario", "changes"),
    [
        ("incast", ("switch.total=300kB",)),
        ("web_search", ()),
        ("pauses", ()),
        ("hpcc", ()),
        ("dcqcn", ()),
        ("receiver_credit", ()),
        ("rails", ()),
        ("all_reduce", ()),
        ("partition_aggregate", ()),
        ("fabric", ()),
        ("constant_rate", ()),
    ],
)
def test_causes_of_unfinished_flows_add_up_to_their_time(scenario: str, changes: tuple[str, ...], at: str) -> None:
    result = xoff.Scenario.load(SCENARIOS / f"{scenario}.toml", (*changes, f"stop.at={at}")).run()
    rows = [] if result.unfinished is None else result.unfinished.to_pylist()[:30]
    starts = {f"{row['source']}.flow{row['number']}": row["start_ns"] for row in rows}
    for path in why.critical_paths(result, list(starts)):
        assert path.start_ps // 1000 == starts[path.flow]
        assert path.finish_ps == result.summary["end_ns"] * 1000
        assert sum(stretch.time_ps for stretch in path.stretches) == path.time_ps
        assert all(one.until_ps == then.since_ps for one, then in pairwise(path.stretches))


def test_a_loss_that_is_not_recovered_yet_comes_last() -> None:
    result = xoff.Scenario.load(SCENARIOS / "incast.toml", ("switch.total=300kB", "stop.at=900us")).run()
    assert result.unfinished is not None
    names = [f"{row['source']}.flow{row['number']}" for row in result.unfinished.to_pylist()]
    for path in why.critical_paths(result, names):
        last = path.stretches[-1]
        assert (last.cause, last.place, last.reason) == (Cause.RECOVERY, "switch0.port0", "threshold")


def test_a_deadlock_is_a_pause_that_does_not_end() -> None:
    result = xoff.Scenario.from_text(ring()).run()
    cycle = {queue["port"] for queue in result.summary["deadlock_cycle"]}
    path = result.critical_path("h0.flow0")
    assert path.finish_ps == result.summary["end_ns"] * 1000
    assert (path.parts[0].cause, path.parts[0].place in cycle) == (Cause.PAUSED, True)


def test_another_result_than_the_scenario_gives_is_refused() -> None:
    result = xoff.Scenario.from_text(NETWORK + BLOCKS + flow_from("host1", "9420B")).run()
    another = xoff.Scenario.from_text(NETWORK + BLOCKS + flow_from("host1", "942B")).run()
    with pytest.raises(ResultError, match="another version of xoff"):
        why.critical_paths(result, ["host1.flow0"], lambda _: another)


def test_a_result_with_files_of_its_own_runs_again(tmp_path: Path) -> None:
    result = xoff.Scenario.load(SCENARIOS / "trace.toml").run()
    opened = xoff.Result.open(result.save(tmp_path / "out"))
    assert opened.critical_path("web1.flow0").time_ps // 1000 == 63_042


def test_flows_of_a_collective_wait_for_one_another() -> None:
    """From the first step of the rank that began last to the end, each flow begins as the one before arrives."""
    result = xoff.Scenario.load(SCENARIOS / "all_reduce.toml", ("workload.size=1MiB", "workload.iterations=2")).run()
    assert result.collectives is not None
    row = max(result.collectives.to_pylist(), key=lambda row: row["completion_ns"])
    legs = why.legs(result, row)
    assert legs[-1].end_ns == row["finish_ns"]
    assert all(one.end_ns == then.start_ns for one, then in pairwise(legs))
    assert len(legs) == 2 * 15  # as many steps as a ring of sixteen takes
    paths = why.collective_path(result, row)
    for leg, path in zip(legs, paths, strict=True):
        assert (path.start_ps // 1000, path.finish_ps // 1000) == (leg.start_ns, leg.end_ns)


@pytest.mark.parametrize("algorithm", ["ring", "halving_doubling", "direct"])
def test_the_path_of_a_collective_keeps_to_it(algorithm: str) -> None:
    """Though without computing in between a rank begins the next while others are in the one before."""
    changes = (f"workload.algorithm={algorithm}", "workload.size=1MiB", "workload.iterations=3", "workload.compute=0s")
    result = xoff.Scenario.load(SCENARIOS / "all_reduce.toml", changes).run()
    assert result.collectives is not None
    for row in result.collectives.to_pylist():
        legs = why.legs(result, row)
        assert row["start_ns"] <= legs[0].start_ns
        assert legs[-1].end_ns == row["finish_ns"]
        assert all(one.end_ns == then.start_ns for one, then in pairwise(legs))
        assert len(legs) == {"ring": 2 * 15, "halving_doubling": 2 * 4, "direct": 2}[algorithm]


@pytest.mark.parametrize("algorithm", ["direct", "pairwise"])
def test_the_path_of_an_uneven_all_to_all_keeps_to_it(algorithm: str) -> None:
    """Some ranks send nothing to others, and those that send more begin later than others end."""
    changes = (
        "workload.operation=all_to_all",
        f"workload.algorithm={algorithm}",
        "workload.size=1MiB",
        f"workload.shares=[{', '.join(str(rank % 4) for rank in range(16))}]",
        "workload.stragglers=[{ ranks = ['host3'], late = '40us', compute = '10us' }]",
        "workload.iterations=3",
    )
    result = xoff.Scenario.load(SCENARIOS / "all_reduce.toml", changes).run()
    assert result.collectives is not None
    for row in result.collectives.to_pylist():
        legs = why.legs(result, row)
        assert row["start_ns"] <= legs[0].start_ns
        assert legs[-1].end_ns == row["finish_ns"]
        assert all(one.end_ns == then.start_ns for one, then in pairwise(legs))
        assert row["flows"] == sum(rank % 4 > 0 for rank in range(16)) * 15


def test_the_path_of_a_collective_goes_into_servers_and_out_of_them() -> None:
    changes = ("workload.size=1MiB", "workload.compute=0s")
    result = xoff.Scenario.load(SCENARIOS / "servers.toml", changes).run()
    assert result.collectives is not None
    for row in result.collectives.to_pylist():
        legs = why.legs(result, row)
        assert (legs[0].start_ns, legs[-1].end_ns) == (row["start_ns"], row["finish_ns"])
        assert all(one.end_ns == then.start_ns for one, then in pairwise(legs))
        inside = ["/scale_up" in leg.flow for leg in legs]
        assert inside == [True, *[False] * 2 * 15, True]  # scattered, round the sixteen servers and back, gathered


def test_a_job_goes_by_the_adapter_that_leads_there(tmp_path: Path) -> None:
    """Hosts 0 and 1 share a server, 2 and 3 another."""
    rows = ("in,host0,host1,2000,0,,1000", "out,host1,host2,2000,0,in,500", "back,host2,host0,1000,0,out,0")
    (tmp_path / "job.csv").write_text("\n".join(("flow,source,destination,size_bytes,priority,after,delay_ns", *rows)))
    (tmp_path / "job.toml").write_text("""
topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
scale_up = { hosts_per_server = 2, link = { rate = "100Gbps", delay = "100ns" } }
transport.roce = { kind = "roce" }
workload = [{ kind = "job", transport = "roce", file = "job.csv" }]
class = [{ priority = 0, lossless = true }, { priority = 7 }]
switch = [{ total = "8MB", pfc = { xoff = { policy = "static_threshold", threshold = "100kB" } } }]
""")
    result = xoff.Scenario.load(tmp_path / "job.toml").run()
    assert result.job_flows is not None
    ends = [(row["source"], row["destination"]) for row in result.job_flows.to_pylist()]
    assert ends == [("host0/scale_up", "host1/scale_up"), ("host1", "host2"), ("host2", "host0")]
    legs = why.job_legs(result, 0)
    assert [leg.flow for leg in legs] == ["host0/scale_up.flow0", "host1.flow0", "host2.flow0"]
    assert [then.start_ns - one.end_ns for one, then in pairwise(legs)] == [500, 0]
    [job] = result.summary["jobs"]
    assert sum(path.time_ps for path in why.job_path(result, 0)) // 1000 + 1500 == pytest.approx(
        job["completion_us"] * 1000, abs=3
    )


def test_the_path_of_a_job_is_what_it_does_not_compute() -> None:
    result = xoff.Scenario.load(SCENARIOS / "pipeline.toml", ("transport.dcqcn.payload=8KiB",)).run()
    legs = why.job_legs(result, 0)
    [job] = result.summary["jobs"]
    [start, *starts], [*ends, end] = [leg.start_ns for leg in legs], [leg.end_ns for leg in legs]
    assert result.job_flows is not None
    flows = {f"{row['source']}.flow{row['number']}": row for row in result.job_flows.to_pylist()}
    computing = [flows[leg.flow]["delay_ns"] for leg in legs]
    assert [then - before for before, then in zip(ends, starts, strict=True)] == computing[1:]
    assert end - (start - computing[0]) == job["completion_us"] * 1000
    paths = why.job_path(result, 0)
    assert sum(path.time_ps for path in paths) // 1000 + sum(computing) == pytest.approx(job["completion_us"] * 1000)
    assert why.named(result, [flows[legs[0].flow]["flow"], "host1.flow0"]) == [legs[0].flow, "host1.flow0"]


def test_a_job_that_is_cut_off_has_no_path() -> None:
    result = xoff.Scenario.load(SCENARIOS / "pipeline.toml", ("stop.at=1ms",)).run()
    with pytest.raises(ValueError, match=r"the job is not complete: .+ and \d+ more of its flows"):
        why.job_legs(result, 0)
    with pytest.raises(ValueError, match="workload 1 is no job"):
        why.job_legs(result, 1)


def test_a_message_waits_for_those_before_it_on_its_queue_pair() -> None:
    """Of two messages the second waits for ten packets of the first, 1000 bytes each, and 800 ns."""
    roce = """
[transport.roce]
kind = "roce"
payload = "938B"
wire_overhead = "0B"
connections = "persistent"
"""
    two = flow_from("host1", "9380B", transport="roce") + "flows_per_pair = 2\n"
    path = path_of(NETWORK + roce + two, "host1.flow1")
    found: Counter[Cause] = Counter()
    for part in path.parts:
        found[part.cause] += part.time_ps // 1000
    ack = 2 * (66 * 8 // 10) + 1  # back over two links
    assert found == {Cause.TRANSMISSION: 21 * 800 + ack, Cause.PROPAGATION: 4000}


def test_marks_are_where_packets_were_marked_first() -> None:
    result = xoff.Scenario.load(SCENARIOS / "incast.toml").run()
    [path] = why.critical_paths(result, why.slowest(result))
    assert list(path.marked_at) == ["switch0.port0"]
    assert 0 < path.marked_at["switch0.port0"] <= 44  # packets of 64 kB


WINDOWED = """
[transport.roce]
kind = "roce"
payload = "938B"
wire_overhead = "0B"
connections = "persistent"
maximum_window = "2814B"
"""


def test_a_window_that_flows_share_makes_round_trips_and_no_queue() -> None:
    """Of two messages of ten packets, three at a time: the second waits for acknowledgements of the first."""
    two = flow_from("host1", "9380B", transport="roce") + "flows_per_pair = 2\n"
    result = xoff.Scenario.from_text(NETWORK + WINDOWED + two).run()
    path = result.critical_path("host1.flow1")
    [row] = [row for row in result.flows.to_pylist() if row["number"] == 1]
    assert (path.start_ps, path.time_ps // 1000) == (0, row["fct_ns"])
    assert {part.cause for part in path.parts} == {Cause.TRANSMISSION, Cause.PROPAGATION}
    assert path.round_trips == 7  # twenty packets, three by three


def test_a_lost_syn_is_waited_for_until_the_timeout() -> None:
    tcp = '[transport.tcp]\nkind = "tcp"\ncongestion_control = { algorithm = "reno" }\nhandshake = true\n'
    tcp += 'minimum_rto = "200us"\n'
    down = '[[link_event]]\nat = "500ns"\nbetween = ["host0", "switch0"]\nstate = "down"\n'
    up = '[[link_event]]\nat = "100us"\nbetween = ["host0", "switch0"]\nstate = "up"\n'
    path = path_of(NETWORK + tcp + flow_from("host1", "10kB", transport="tcp") + down + up, "host1.flow0")
    first = path.parts[0]
    assert (first.cause, first.place, first.reason) == (Cause.TIMEOUT, "switch0.port0", "link_down")
    assert not any(part.cause is Cause.QUEUEING for part in path.parts)


def test_a_link_that_is_down_is_waited_for_and_no_queue() -> None:
    change = '[[link_event]]\nat = "{}"\nbetween = ["switch0", "host1"]\nstate = "{}"\n'
    changes = "".join(change.format(*event) for event in (("20us", "up"), ("2us", "down")))
    path = path_of(NETWORK + changes + BLOCKS + flow_from("host1", "1000B", start="3us"), "host1.flow0")
    [waited] = [part for part in path.parts if part.cause is Cause.LINK_DOWN]
    assert (waited.place, waited.time_ps) == ("host1.port0", 17_000_000)
    assert {part.cause for part in path.parts} == {Cause.LINK_DOWN, Cause.TRANSMISSION, Cause.PROPAGATION}


def test_a_host_has_its_delay_each_way() -> None:
    path = path_of(NETWORK + '[host]\ndelay = "3us"\n' + BLOCKS + flow_from("host1", "9420B"), "host1.flow0")
    assert {part.cause: part.time_ps // 1000 for part in path.parts}[Cause.HOST] == 2 * 3000


def test_a_collective_whose_last_flow_was_not_acknowledged_is_refused() -> None:
    scenario = xoff.Scenario.load(SCENARIOS / "all_reduce.toml", ("workload.size=256KiB", "workload.iterations=1"))
    whole = scenario.run().collectives
    assert whole is not None
    ends = max(whole["finish_ns"].to_pylist())
    result = scenario.with_value("stop.at", f"{ends + 100}ns").run()
    assert result.collectives is not None
    row = max(result.collectives.to_pylist(), key=lambda row: row["finish_ns"])
    with pytest.raises(ValueError, match="had not finished when the run ended"):
        why.collective_path(result, row)
