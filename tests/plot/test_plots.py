"""Figures say what they show."""

import re
from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation

import xoff
from conftest import ANY_TRAFFIC, PERMUTATION, SCENARIOS, SMALL, storm
from xoff.explain.pause_tree import PauseTree
from xoff.explain.pauses import Queue
from xoff.plot import completion, inputs, over_time, pause_tree, style
from xoff.plot.along import Along
from xoff.plot.workloads import Workloads
from xoff.results.slowdowns import groups_of


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def test_completion_times_have_axes_units_and_a_legend(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.fct_cdf(ax)
    assert ax.get_xlabel() == "flow completion time"
    assert ax.get_ylabel() == "share of flows"
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["all are small, below 100 KiB: 20"]


def test_a_distribution_ends_at_one() -> None:
    x, y = completion.distribution(np.arange(10_000))
    assert (x[0], y[0]) == (0, 0)
    assert (x[-1], y[-1]) == (9999, 1)
    assert len(x) < 500
    assert all(np.diff(y) > 0)


QUERIES = """
title = "two sorts of queries"
topology = { kind = "star", hosts = 5, host_link = { rate = "10Gbps", delay = "1us" } }
transport.tcp = { kind = "tcp", congestion_control = { algorithm = "reno" } }
workload = [
    { kind = "query", transport = "tcp", aggregators = ["host0"], response = "10kB", queries = 7 },
    { kind = "query", transport = "tcp", aggregators = ["host1"], response = "1kB", fan_in = 1, queries = 9 },
]
"""


def test_query_completion_times_have_a_line_for_each_workload(ax: Axes) -> None:
    result = xoff.Scenario.from_text(QUERIES).run()
    result.plot.query_completion_cdf(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("query completion time", "share of queries")
    assert [line.get_label() for line in ax.get_lines()] == ["workload[0]: 7 queries", "workload[1]: 9 queries"]
    assert result.queries is not None
    of_first = result.flows.filter(pc.equal(result.flows["query_id"], 0))
    assert sorted(of_first["size_bytes"].to_pylist()) == [1600] * 4 + [10_000] * 4


def test_completion_times_have_a_line_for_each_workload(ax: Axes) -> None:
    result = xoff.Scenario.from_text(QUERIES).run()
    result.plot.fct_cdf_by_workload(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("flow completion time", "share of flows")
    assert [line.get_label() for line in ax.get_lines()] == ["workload[0], query: 56", "workload[1], query: 18"]


COLLECTIVES = """
title = "two sorts of collectives"
topology = { kind = "star", hosts = 20, host_link = { rate = "10Gbps", delay = "1us" } }
transport.tcp = { kind = "tcp", congestion_control = { algorithm = "reno" } }
[[workload]]
kind = "collective"
transport = "tcp"
operation = "all_reduce"
size = "100kB"
group_size = 2
iterations = 3
[[workload]]
kind = "collective"
transport = "tcp"
operation = "all_to_all"
size = "10kB"
"""


def test_bus_bandwidth_has_a_line_for_each_of_the_slowest_groups(ax: Axes) -> None:
    result = xoff.Scenario.from_text(COLLECTIVES).run()
    assert result.collectives is not None
    assert result.collectives.num_rows == 31
    result.plot.bus_bandwidth(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("begin of the collective", "bus bandwidth (Gbps)")
    labels = [line.get_label() for line in ax.get_lines()]
    assert len(labels) == 8
    assert "workload[1]: all_to_all" in labels
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "the slowest 8 of 11 groups"


def test_bus_bandwidths_that_are_alike_are_not_at_the_edge(ax: Axes) -> None:
    result = xoff.Scenario.from_text(COLLECTIVES).run()
    assert result.collectives is not None
    place = result.collectives.column_names.index("bus_bandwidth_gbps")
    alike = pa.array(np.linspace(369.71, 369.72, result.collectives.num_rows))
    replace(result, collectives=result.collectives.set_column(place, "bus_bandwidth_gbps", alike)).plot.bus_bandwidth(
        ax
    )
    highest = max(np.asarray(line.get_ydata()).max() for line in ax.get_lines())
    assert ax.get_ylim() == pytest.approx((0, 1.05 * highest))


def test_without_collectives_none_can_be_drawn(small_result: xoff.Result) -> None:
    with pytest.raises(ValueError, match="no collective is complete"):
        small_result.plot.bus_bandwidth()


def test_without_queries_none_can_be_drawn(small_result: xoff.Result) -> None:
    assert small_result.flows["query_id"].null_count == 20
    with pytest.raises(ValueError, match="no query is complete"):
        small_result.plot.query_completion_cdf()


def with_sizes(result: xoff.Result, *sizes: int) -> xoff.Result:
    """As if flows of these sizes had finished, each slower than the one before."""
    slowdowns = np.arange(1.0, len(sizes) + 1)
    columns = {"size_bytes": sizes, "slowdown": slowdowns, "measured": [True] * len(sizes)}
    return replace(result, flow_rows=pa.table(columns))


def test_slowdown_is_drawn_for_groups_of_equally_many(small_result: xoff.Result, ax: Axes) -> None:
    result = with_sizes(small_result, *range(1000, 1020))
    result.plot.slowdown_by_size(ax, groups=4)
    assert [row.flows for row in groups_of(result.flow_rows, 4)] == [5, 5, 5, 5]
    assert [line.get_label() for line in ax.get_lines()] == ["p50", "p95", "p99"]
    assert ax.get_xlabel() == (
        "flow size (largest of each of 4 groups of flows)\np99 of 100 flows or fewer is their slowest"
    )


def test_fewer_flows_than_groups_make_fewer_groups(small_result: xoff.Result) -> None:
    assert len(groups_of(with_sizes(small_result, 3, 1, 2).flow_rows, 50)) == 3
    assert groups_of(with_sizes(small_result).flow_rows) == []


def test_the_99th_percentile_of_groups_by_default_is_not_their_slowest(small_result: xoff.Result, ax: Axes) -> None:
    result = with_sizes(small_result, *range(1, 708))
    rows = groups_of(result.flow_rows)
    assert all(
        row.quantiles[-1] < slowest for row, slowest in zip(rows, (101, 202, 303, 404, 505, 606, 707), strict=True)
    )
    result.plot.slowdown_by_size(ax)
    assert ax.get_xlabel() == "flow size (largest of each of 7 groups of flows)"


@pytest.mark.parametrize(("flows", "groups"), [(5000, 20), (707, 7), (706, 6), (60, 5), (3, 3)])
def test_groups_have_more_than_a_hundred_flows_where_there_are_enough(
    small_result: xoff.Result, flows: int, groups: int
) -> None:
    result = with_sizes(small_result, *range(1, 1 + flows))
    of_each = [row.flows for row in groups_of(result.flow_rows)]
    assert (len(of_each), sum(of_each)) == (groups, flows)


def test_flows_of_one_size_are_one_group(small_result: xoff.Result, ax: Axes) -> None:
    (group,) = groups_of(small_result.flow_rows)
    assert (group.largest_bytes, group.flows) == (50_000, 20)
    small_result.plot.slowdown_by_size(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["50 kB"]
    assert ax.get_xlabel().partition("\n")[0] == "flow size"
    mostly_fifty = with_sizes(small_result, *range(3), *[50] * 14, *range(60, 63))
    groups = [(row.largest_bytes, row.flows, row.quantiles[0]) for row in groups_of(mostly_fifty.flow_rows, 5)]
    assert groups == [(2, 3, 2), (50, 14, 11), (62, 3, 19)]


@pytest.mark.parametrize("slowdowns", [[1.0] * 200, [1.0] * 180 + [4.0] * 20])
def test_all_percentiles_of_one_size_are_seen_and_none_is_cut(
    small_result: xoff.Result, slowdowns: list[float]
) -> None:
    figure = Figure(figsize=style.SIZE_INCHES, layout="constrained")
    ax = figure.subplots()
    flows = pa.table({"size_bytes": [1000] * 200, "slowdown": slowdowns, "measured": [True] * 200})
    replace(small_result, flow_rows=flows).plot.slowdown_by_size(ax)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    drawn = np.asarray(canvas.buffer_rgba())[::-1]  # type: ignore[no-untyped-call]
    left, bottom, right, top = map(round, ax.bbox.extents)
    seen = {to_hex(pixel / 255) for pixel in np.unique(drawn[bottom:top, left:right].reshape(-1, 4), axis=0)}
    assert {to_hex(line.get_color()) for line in ax.get_lines()} <= seen
    for line in ax.get_lines():
        [(_, at)] = ax.transData.transform(line.get_xydata())
        assert at - line.get_markersize() / 2 / 72 * figure.dpi > bottom


def test_sizes_that_differ_have_ticks_that_do(small_result: xoff.Result, ax: Axes) -> None:
    with_sizes(small_result, *[1000] * 9, *[63_980] * 9, *[64_000] * 9).plot.slowdown_by_size(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1 kB", "63,980 B", "64,000 B"]


@pytest.mark.parametrize(("workloads", "sizes"), [(None, ["50 kB", "1 MB"]), (0, ["50 kB"]), ("permutation", ["1 MB"])])
def test_slowdowns_are_drawn_of_some_workloads(workloads: Workloads, sizes: list[str], ax: Axes) -> None:
    xoff.Scenario.from_text(SMALL + PERMUTATION).run().plot.slowdown_by_size(ax, workloads=workloads)
    assert [label.get_text() for label in ax.get_xticklabels()] == sizes


def test_queues_over_time(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.queues(ax, names=["switch0.port0"])
    assert [line.get_label() for line in ax.get_lines()] == ["switch0.port0"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "queue")


def test_a_flow_that_was_sampled_once_is_a_dot(ax: Axes) -> None:
    changes = ('observe={ rates = { every = "10us", of = ["host1.flow0"] } }', "stop.at=15us")
    result = xoff.Scenario.load(SCENARIOS / "dcqcn.toml", changes).run()
    [line] = result.plot.rates(ax=ax).lines
    assert np.size(line.get_xdata()) == 1
    assert line.get_marker() == "."


def test_names_are_patterns_as_in_scenarios(two_flows: xoff.Result) -> None:
    def drawn(quantity: str, *names: str) -> set[str]:
        return {line.label for line in over_time.lines_of(two_flows, quantity, list(names))}

    flows = {"host0.flow0", "host0.flow1"}
    assert drawn("flow_throughput", "host0") == drawn("flow_throughput", "host?.flow*") == flows
    assert drawn("flow_throughput", "host0.flow1") == drawn("flow_throughput", "*1") == {"host0.flow1"}
    assert {line.label for line in over_time.lines_of(two_flows, "flow_throughput", "*1")} == {"host0.flow1"}


@pytest.mark.parametrize("names", [["switch0.prt0"], ["switch0.port0", "leaf*"], ["switch0.port[0]"], []])
def test_names_that_are_not_there_are_answered_with_those_that_are(
    small_result: xoff.Result, names: list[str], ax: Axes
) -> None:
    unknown = names[-1] if names else ""
    text = f'names: nothing that was observed matches "{unknown}"; expected switch0.port0'
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        small_result.plot.queues(ax, names=names)


def test_a_device_is_answered_with_all_of_its_ports(small_result: xoff.Result, ax: Axes) -> None:
    with pytest.raises(ValueError, match=r'matches "switch0"; expected "switch0\.\*"$'):
        small_result.plot.queues(ax, names=["switch0"])


def test_of_many_names_the_nearest_are_told(ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).with_value("observe.queues.of", ["*"]).run()
    with pytest.raises(
        ValueError, match=r"expected one of 8 such as switch0\.port1, switch0\.port[023], switch0\.port"
    ):
        result.plot.queues(ax, names=["swich0.port1"])


def test_what_was_observed_and_never_came_is_not_called_unobserved(ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).with_value("observe.drops.every", "change").run()
    with pytest.raises(ValueError, match=r"^observe\.drops recorded nothing$"):
        result.plot.over_time("drops", ax)


@pytest.mark.parametrize(
    ("other", "labels"),
    [
        ("", ["left-right down", "left-right up"]),
        (
            '[[link_event]]\nat = "15us"\nbetween = ["left", "right"]\nrate = "5Gbps"\n'
            '[[link_event]]\nat = "16us"\nbetween = ["left", "host0"]\nstate = "down"\n'
            '[[link_event]]\nat = "17us"\nbetween = ["left", "host0"]\nstate = "up"\n',
            ["link down", "link up", "link rate"],
        ),
    ],
)
def test_links_that_fail_are_seen_over_time(other: str, labels: list[str], ax: Axes) -> None:
    text = """
        topology.kind = "dumbbell"
        topology.left = 1
        topology.right = 1
        topology.host_link = { rate = "10Gbps", delay = "1us" }
        topology.middle_link = { rate = "10Gbps", delay = "1us" }
        transport.steady = { kind = "constant_rate", payload = "1000B" }
        workload = [{ kind = "long_lived", transport = "steady", pairs = [["host0", "host1"]], size = "50kB" }]
        observe.throughput = { every = "1us", of = ["left.*"] }
        [[link_event]]
        at = "10us"
        between = ["left", "right"]
        state = "down"
        [[link_event]]
        at = "0.02ms"
        between = ["left", "right"]
        state = "up"
    """
    xoff.Scenario.from_text(text + other).run().plot.throughput(ax)
    upright = {line.get_label(): line for line in ax.get_lines() if len(set(np.asarray(line.get_xdata()))) == 1}
    assert [label for label in upright if not str(label).startswith("_")] == labels
    assert [line.get_xdata()[0] for line in upright.values()][:2] == [10, 20]  # type: ignore[index]


def test_what_a_watchdog_let_go_is_seen_among_pauses(ax: Axes) -> None:
    result = storm()
    result.plot.pauses(ax)
    [line] = [line for line in ax.get_lines() if line.get_label() == "let go by the watchdog"]
    [let_go] = result.summary["watchdog"]
    assert list(np.asarray(line.get_xdata())) == [let_go["detected_ns"] / 1000, let_go["restored_ns"] / 1000]
    ports = [label.get_text() for label in ax.get_yticklabels()]
    assert ports[round(float(np.asarray(line.get_ydata())[0]))] == "right.port0"


def test_slow_receivers_are_seen_over_time(ax: Axes) -> None:
    storm().plot.pauses(ax)
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    stretch = handles["host1 takes in nothing"].get_window_extent().transformed(ax.transData.inverted())
    assert (stretch.x0, stretch.x1) == pytest.approx((20, 300))


def test_pauses_are_drawn_as_far_as_there_are_any(ax: Axes) -> None:
    result = storm()
    result.plot.pauses(ax)
    assert result.pauses is not None
    [restored_ns] = [let_go["restored_ns"] for let_go in result.summary["watchdog"]]
    last_us = max(restored_ns, *result.pauses["end_ns"].to_pylist()) / 1000
    assert last_us <= ax.get_xlim()[1] <= 1.05 * last_us


def test_pauses_of_a_stretch_are_those_in_it(ax: Axes) -> None:
    result = storm()
    assert result.pauses is not None
    first = result.pauses.slice(0, 1).to_pylist()[0]
    between_ns = (first["start_ns"] - 1000, first["start_ns"] + 1000)
    result.plot.pauses(ax, between_ns=between_ns)
    assert ax.get_xlim() == tuple(edge / 1000 for edge in between_ns)
    [bar] = [
        line
        for line in ax.get_lines()
        if not np.isnan(np.asarray(line.get_xdata())).all() and line.get_label() != "let go by the watchdog"
    ]
    within = np.asarray(bar.get_xdata())
    assert list(within[~np.isnan(within)]) == [first["start_ns"] / 1000, between_ns[1] / 1000]


def test_a_stretch_without_pauses_says_so(ax: Axes) -> None:
    storm().plot.pauses(ax, between_ns=(0, 1000))
    assert [text.get_text() for text in ax.texts] == ["nothing was paused from 0.00 us to 1.00 us"]


def pause_tree_of(count: int) -> PauseTree:
    """So many queues that one victim waited for, each a microsecond longer than the one before."""
    graph = nx.DiGraph()
    paused_us = sum(range(1, count + 1))
    graph.add_node(0, name="victim", queue=None, paused_us=paused_us, is_root=False)
    for time in range(1, count + 1):
        queue = Queue(f"leaf0.port{time}", 3)
        graph.add_node(
            time, name=str(queue), queue=queue, paused_us=time, is_root=True, flow_bytes=Counter({"host0.flow0": 1})
        )
        graph.add_edge(0, time)
    return PauseTree("victim", paused_us, graph)


@pytest.mark.parametrize(
    ("count", "drawn", "title"), [(16, 16, ""), (40, 16, "ways of at most 2.9 % each are left out")]
)
def test_a_tree_is_drawn_as_far_as_it_can_be_read(count: int, drawn: int, title: str, ax: Axes) -> None:
    tree = pause_tree_of(count)
    pause_tree.draw(tree, ax)
    boxes = [text.get_text() for text in ax.texts if not isinstance(text, Annotation)]
    assert len(boxes) == drawn + 1
    assert any(box.startswith(f"leaf0.port{count} ") for box in boxes)
    assert ax.get_title() == title
    assert pause_tree.size_inches(tree) == pause_tree.size_inches(pause_tree_of(drawn))


def test_thinning_keeps_both_ends() -> None:
    time = np.arange(100_001) * 1.0
    thin_time, thin = over_time.thinned(over_time.Line("x", time, np.minimum(time, 70_000)))
    assert (thin_time[0], thin_time[-1], thin[-1]) == (0, 100_000, 70_000)


def test_thinning_keeps_peaks() -> None:
    value = np.zeros(100_000)
    value[54_321] = 7
    _, thin = over_time.thinned(over_time.Line("x", np.arange(100_000) * 1.0, value))
    assert len(thin) <= over_time.POINTS
    assert max(thin) == 7


def test_what_tcp_keeps_is_drawn_with_its_units(ax: Axes) -> None:
    keys = {"alphas": "alpha", "thresholds": "slow-start threshold", "rtts": "smoothed round-trip time"}
    observe = {key: {"every": "20us"} for key in (*keys, "recovery_states")}
    result = xoff.Scenario.from_text(SMALL).with_value("observe", observe).run()
    ticks = {}
    for key, label in keys.items():
        ax.clear()
        getattr(result.plot, key)(ax)
        assert ax.get_ylabel() == label
        ticks[key] = [text.get_text() for text in ax.get_yticklabels()]
    assert "0.4" in ticks["alphas"]
    assert any(text.endswith(" kB") for text in ticks["thresholds"])
    assert any(text.endswith(" us") for text in ticks["rtts"])
    ax.clear()
    result.plot.recovery_states(ax)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["open", "reducing", "recovery", "loss"]
    assert [text.get_text() for text in ax.texts] == ["no flow repaired a loss at any of the samples, every 20 us"]


def test_what_was_not_observed_cannot_be_drawn(small_result: xoff.Result) -> None:
    with pytest.raises(
        ValueError,
        match=r'^observe\.windows is left out; expected windows = { every = "10us" } in the scenario\'s \[observe\]$',
    ):
        small_result.plot.windows()


def test_what_a_notebook_switches_on_with_the_first_figure_stays_on() -> None:
    look = plt.rcParams["font.size"]
    with plt.rc_context({"interactive": False}):
        with style.context():
            assert plt.rcParams["font.size"] != look
            plt.rcParams["interactive"] = True
        assert plt.rcParams["interactive"]
        assert plt.rcParams["font.size"] == look


def test_without_axes_a_figure_is_made(small_result: xoff.Result) -> None:
    axes = small_result.plot.fct_cdf()
    assert axes is plt.gca()
    plt.close()


def test_pauses_are_drawn_port_by_port_and_as_a_tree(ax: Axes) -> None:
    result = xoff.Scenario.load(SCENARIOS / "pauses.toml").run()
    result.plot.pauses(ax)
    assert "host4.port0" in [label.get_text() for label in ax.get_yticklabels()]
    tree = result.plot.pause_tree("host4.flow0", Figure().subplots())
    names = [text.get_text().partition("\n")[0] for text in tree.texts]
    assert {"host4.flow0", "tor0.port6", "tor3.port0"} <= set(names)


BURSTS = """
title = "Bursts that a small memory does not hold"
topology = { kind = "star", hosts = 5, host_link = { rate = "10Gbps", delay = "1us" } }
switch = [{ total = "60kB", marking.queue = { kind = "threshold", threshold = "10kB" } }]
transport.dctcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
observe = { drops = { every = "change" }, marks = { every = "change" } }

[[workload]]
kind = "incast"
transport = "dctcp"
fan_in = 4
receivers = ["host0"]
size = "200kB"
every = "500us"
groups = 4
"""


@pytest.mark.parametrize(
    ("quantity", "counter", "label"),
    [("drops", "dropped", "packets dropped"), ("marks", "marked", "packets marked")],
)
def test_marks_and_drops_are_counted_from_the_start(quantity: str, counter: str, label: str, ax: Axes) -> None:
    one_by_one = xoff.Scenario.from_text(BURSTS)
    result = one_by_one.run()
    result.plot.over_time(quantity, ax)
    (line,) = ax.get_lines()
    time_us, count = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert (time_us[0], count[0]) == (0, 0)
    assert (time_us[-1], count[-1]) == (result.summary["end_ns"] / 1000, result.summary["packets"][counter])
    assert np.all(np.diff(count) >= 0)
    assert (line.get_drawstyle(), ax.get_ylabel()) == ("steps-post", f"{label} (cumulative)")
    ax.clear()
    sampled = one_by_one.with_value(f"observe.{quantity}.every", "100us").run()
    sampled.plot.over_time(quantity, ax, names=["switch0.port0"])
    (line,) = ax.get_lines()
    assert sum(np.asarray(line.get_ydata())) == result.summary["packets"][counter]
    of_interval = f"{label} per 100 us"
    assert (line.get_drawstyle(), ax.get_ylabel()) == ("steps-pre", of_interval), "of the time since the one before"


TWO_CLASSES = """
title = "Two classes that share a port by weight"
topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }
switch = [{ total = "1MB", scheduler = { kind = "deficit_round_robin", weights = [1, 3, 1, 1, 1, 1, 1, 1] } }]
transport.steady = { kind = "constant_rate" }
stop.at = "2ms"
observe = { class_throughput = { every = "100us", of = ["switch0.port2"] }, drops = { every = "100us" } }

[[workload]]
kind = "long_lived"
transport = "steady"
pairs = [["host0", "host2"]]
priority = 0

[[workload]]
kind = "long_lived"
transport = "steady"
pairs = [["host1", "host2"]]
priority = 1
"""


def test_classes_of_a_port_have_throughputs_and_drops_of_their_own(ax: Axes) -> None:
    result = xoff.Scenario.from_text(TWO_CLASSES).run()
    result.plot.class_throughput(ax)
    last_gbps = sorted(np.asarray(line.get_ydata())[-1] / 1e9 for line in ax.get_lines())
    assert last_gbps == pytest.approx([2.5, 7.5], rel=0.02)
    one_by_one = xoff.Scenario.from_text(TWO_CLASSES).with_value("observe.drops.every", "change").run()
    assert one_by_one.drops is not None
    sampled = {line.label: line.value.sum() for line in over_time.lines_of(result, "drops")}
    for priority in (0, 1):
        of_class = pc.sum(pc.equal(one_by_one.drops["priority"], priority)).as_py()
        assert sampled[f"switch0.port2, priority {priority}"] == of_class > 0


OBSERVED_FLOWS = """
title = "Two steady flows of a host"
seed = 1
topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }
switch = [{ nodes = "switch0", total = "1MB" }]
transport.steady = { kind = "constant_rate", rate = "4Gbps" }
observe = { flow_throughput = { every = "10us" }, cnms = { every = "10us" } }

[[workload]]
kind = "long_lived"
transport = "steady"
pairs = [["host0", "host1"], ["host0", "host2"]]
size = "100kB"
"""


@pytest.fixture(scope="module")
def two_flows() -> xoff.Result:
    return xoff.Scenario.from_text(OBSERVED_FLOWS).run()


def with_input(result: xoff.Result, scenario: str | None = None) -> xoff.Result:
    """As if an input had held 10 kB of one flow and 30 kB, in two classes, of another at 20 us, nothing at 40 us."""
    rows = [
        (20_000, "input", "switch0.port0", 0, 34e3),
        (20_000, "input", "switch0.port0", 3, 6e3),
        (20_000, "input_of_flow", "switch0.port0/host0.flow0", 0, 10e3),
        (20_000, "input_of_flow", "switch0.port0/host0.flow1", 0, 24e3),
        (20_000, "input_of_flow", "switch0.port0/host0.flow1", 3, 6e3),
        (40_000, "input", "switch0.port0", 0, 0.0),
        (40_000, "input", "switch0.port0", 3, 0.0),
    ]
    assert result.series is not None
    of_input = pa.table(
        {
            "time_ns": [row[0] for row in rows],
            "quantity": pa.array([row[1] for row in rows]).dictionary_encode(),
            "name": pa.array([row[2] for row in rows]).dictionary_encode(),
            "priority": [row[3] for row in rows],
            "value": [row[4] for row in rows],
        }
    )
    series = pa.concat_tables([result.series, of_input.cast(result.series.schema)]).unify_dictionaries()
    return replace(result, series=series, scenario=scenario or result.scenario)


def test_a_flows_throughput_is_that_of_its_packets_on_the_wire(two_flows: xoff.Result, ax: Axes) -> None:
    two_flows.plot.flow_throughput(ax)
    lines = {line.label: line for line in over_time.lines_of(two_flows, "flow_throughput")}
    assert set(lines) == {"host0.flow0", "host0.flow1"}
    assert np.mean(lines["host0.flow0"].value[1:10]) == pytest.approx(4e9, rel=0.05)
    assert ax.get_ylabel() == "throughput of flows"


@pytest.mark.parametrize("between_ns", [None, (0, 20_000)])
def test_what_is_of_the_time_before_is_drawn_from_the_first_interval_on(
    two_flows: xoff.Result, between_ns: tuple[float, float] | None, ax: Axes
) -> None:
    two_flows.plot.flow_throughput(ax, names="host0.flow0", between_ns=between_ns)
    [line] = ax.get_lines()
    time_us, value = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert line.get_drawstyle() == "steps-pre"
    assert list(time_us[:3]) == [0, 10, 20]
    assert value[1] == pytest.approx(4e9, rel=0.2)


def test_what_begins_later_is_drawn_from_the_interval_in_which_it_does(ax: Axes) -> None:
    late = xoff.Scenario.from_text(OBSERVED_FLOWS).with_value("workload[0].start", "35us").run()
    late.plot.flow_throughput(ax, names="host0.flow0")
    assert list(np.asarray(ax.get_lines()[0].get_xdata())[:2]) == [30, 40]


@pytest.mark.parametrize(
    ("quantity", "of", "says"),
    [
        ("drops", ["*"], "nothing was dropped"),
        ("marks", ["host0.*"], "nothing was marked"),
        ("queues", ["host0.*"], "no queue held anything at any of the samples, every 1 us"),
        ("throughput", ["host0.*"], "nothing was sent"),
    ],
)
def test_what_was_zero_throughout_is_said(quantity: str, of: list[str], says: str, ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).with_value(f"observe.{quantity}", {"every": "1us", "of": of}).run()
    draw = getattr(result.plot, quantity)
    draw(ax, between_ns=(0, 2000) if quantity == "throughput" else None)
    assert [text.get_text().partition(" from")[0] for text in ax.texts] == [says]
    assert list(ax.get_yticks()) == [0]
    assert ax.get_legend() is None


def test_what_is_drawn_over_nothing_replaces_it(ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).with_value("observe.queues.of", ["host0.*", "switch0.port0"]).run()
    result.plot.queues(ax, names="host0.*")
    result.plot.queues(ax, names="switch0.port0")
    assert not ax.texts
    assert len(ax.get_yticks()) > 2


def test_cnms_are_counted_at_an_interval_and_dots_one_by_one(two_flows: xoff.Result, ax: Axes) -> None:
    two_flows.plot.cnms(ax)
    assert ax.get_ylabel() == "CNMs per 10 us"
    assert {line.get_marker() for line in ax.get_lines()} == {"None"}
    ax.clear()
    every = two_flows.scenario.replace('[observe.cnms]\nevery = "10us"', '[observe.cnms]\nevery = "change"')
    replace(two_flows, scenario=every).plot.cnms(ax)
    assert ax.get_ylabel() == "quantised feedback of CNMs"
    assert {line.get_marker() for line in ax.get_lines()} == {"."}


def test_an_input_buffer_is_stacked_by_flow_up_to_its_thresholds(two_flows: xoff.Result, ax: Axes) -> None:
    table = 'input = { xoff = "110kB", xon = "44kB", congestion_point = { set_point = "60kB" } }'
    others = '{ nodes = "switch?", input = { xoff = "99kB" } }, { nodes = "leaf*", input = { xon = "1kB" } }'
    result = with_input(two_flows, f"switch = [{{ {table} }}, {others}]")
    time_us, by_flow = inputs.occupancy(result, "switch0.port0")
    assert list(time_us) == [20, 40]
    assert {flow: list(value) for flow, value in by_flow.items()} == {
        "host0.flow1": [30e3, 0],
        "host0.flow0": [10e3, 0],
    }
    inputs.draw(result, ax)
    assert ax.get_legend_handles_labels()[1] == ["host0.flow1", "host0.flow0"]
    heights = {text.get_text(): text.xy[1] for text in ax.texts if isinstance(text, Annotation)}
    assert heights == {"set point": 60e3, "XOFF": 99e3, "XON": 44e3}


def test_an_input_buffer_that_was_empty_at_every_sample_is_drawn_as_empty(ax: Axes) -> None:
    early = xoff.Scenario.load(SCENARIOS / "input_hotspot.toml").with_value("stop.at", "1ms").run()
    early.plot.inputs(ax)
    assert ax.get_legend_handles_labels()[1] == ["other flows"]


HOTSPOT = """
title = "A victim beside a culprit (QCN-OS, figure 6)"
topology = { kind = "star", hosts = 7, host_link = { rate = "10Gbps", delay = "50ns" } }
class = [{ priority = 0, lossless = true }]
transport.raw = { kind = "constant_rate", payload = "1464B", rate = "5Gbps", catch_up = false }
stop = { at = "4ms" }

[[switch]]
kind = "cioq"
output = { buffer = "150kB" }

[switch.input]
buffer = "150kB"
xoff = "110kB"
xon = "44kB"
congestion_point = { sampling = "occupancy", set_point = "60kB", interval = "150kB" }

[[workload]]
kind = "long_lived"
transport = "raw"
pairs = [["host0", "host5"], ["host0", "host6"], ["host1", "host6"], ["host2", "host6"], ["host3", "host6"]]

[observe]
flow_throughput = { every = "50us" }
rates = { every = "change" }
cnms = { every = "change" }
inputs = { every = "20us" }
"""


@pytest.fixture(scope="module")
def hotspot() -> xoff.Result:
    return xoff.Scenario.from_text(HOTSPOT).run()


def test_a_hotspot_is_seen_from_the_adapters_to_the_input_buffers(hotspot: xoff.Result, ax: Axes) -> None:
    result = hotspot
    qcn = result.summary["qcn"]
    assert qcn["cnms_sent_by_inputs"] >= qcn["cnms_received"] > 0
    assert (qcn["cnms_sent_by_outputs"], qcn["cnms_through_crossbars"]) == (0, 0)
    assert sum(len(line.value) for line in over_time.lines_of(result, "cnms")) == qcn["cnms_received"]
    rates = {line.label: line.value for line in over_time.lines_of(result, "rate")}
    assert all(rates[flow][0] == 10e9 for flow in rates)
    assert rates["host0.flow1"].min() < 10e9
    result.plot.rates(ax)
    assert {np.asarray(line.get_xdata())[-1] for line in ax.get_lines()} == {4000}, "what does not change stays"
    ax.clear()
    occupancy = inputs.occupancy(result, "switch0.port0")
    assert 44e3 < sum(value.max() for value in occupancy.by_flow.values()) <= 2 * 150e3
    assert next(iter(occupancy.by_flow)) == "host0.flow1", "the culprit"
    result.plot.inputs(ax, port="switch0.port0")
    assert {text.get_text() for text in ax.texts} == {"set point", "XOFF", "XON"}


def test_an_input_buffer_that_was_not_observed_cannot_be_drawn(two_flows: xoff.Result, ax: Axes) -> None:
    with pytest.raises(ValueError, match=r"the input buffer of switch0.port1 was not observed"):
        inputs.draw(with_input(two_flows), ax, "switch0.port1")
    with pytest.raises(ValueError, match=r'nothing that was observed matches "switch1.\*"; expected switch0.port0'):
        with_input(two_flows).plot.inputs(ax, port="switch1.*")


@pytest.mark.parametrize(
    ("port", "title"),
    [
        (None, "switch0.port1, the fullest of 7"),
        ("switch0.port2", "switch0.port2"),
        (["switch0.port2"], "switch0.port2"),
        (["switch0.port0", "*port3"], "switch0.port3, the fullest of 2"),
    ],
)
def test_the_port_of_an_input_buffer_is_named(
    hotspot: xoff.Result, port: list[str] | str | None, title: str, ax: Axes
) -> None:
    hotspot.plot.inputs(ax, port=port)
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == title


def test_a_flow_has_one_colour_in_all_panels(two_flows: xoff.Result) -> None:
    result = with_input(two_flows)
    flows = {"host0.flow1": "culprit", "host0.flow0": "victim"}
    row = result.plot.flows_over_time(flows=flows, between_ns=(0, 50_000))
    assert [ax.get_title("left") for ax in row] == ["throughput of flows", "CNMs per 10 us", "input buffer"]
    assert [ax.get_xlim() for ax in row] == [(0, 50)] * 3
    colours = [{line.get_label(): line.get_color() for line in ax.get_lines()} for ax in row[:2]]
    assert colours[0] == colours[1] == {"culprit": style.COLOURS[0], "victim": style.COLOURS[1]}
    stacked = dict(zip(*reversed(row[2].get_legend_handles_labels()), strict=True))
    assert to_hex(stacked["victim"].get_facecolor()[0]) == style.COLOURS[1]
    [legend] = row[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["culprit", "victim"]
    plt.close()


def test_panels_of_what_was_not_observed_cannot_be_drawn(small_result: xoff.Result) -> None:
    with pytest.raises(ValueError, match="none of flow_throughput, rate, cnms, input was observed"):
        small_result.plot.flows_over_time()


def test_positions_of_one_dimension_share_a_unit_and_others_are_names() -> None:
    sizes = Along.of("threshold", ["20kB", "500kB", "1MB"])
    assert (list(sizes.places.values()), sizes.unit) == ([20, 500, 1000], "kB")
    assert Along.of("mixed", ["20kB", "1us"]).unit is None
    assert Along.of("load", [0.4, 0.8]).unit == ""
    assert Along.of("threshold", [25, 50], "kB").unit == "kB"


def test_a_network_has_a_line_for_each_link_and_a_name_for_each_node(ax: Axes) -> None:
    network = xoff.Scenario.load(SCENARIOS / "fabric.toml").topology
    network.plot(ax)
    assert {text.get_text() for text in ax.texts} == {*network.hosts, *network.switches}
    drawn = [len(lines.get_segments()) for lines in ax.collections if isinstance(lines, LineCollection)]
    assert dict(zip(ax.get_legend_handles_labels()[1], drawn, strict=True)) == {
        "10 Gbps, 50 ns": 4,
        "20 Gbps, 10 ns": 4,
        "2.5 Gbps, 10 ns": 1,
    }


PARALLEL = """
[topology]
kind = "custom"
hosts = ["a", "b"]
switches = ["s", "t"]
links = [
    { between = ["a", "s"], rate = "10Gbps", delay = "1us" },
    { between = ["b", "t"], rate = "10Gbps", delay = "1us" },
    { between = ["s", "t"], rate = "10Gbps", delay = "1us" },
    { between = ["s", "t"], rate = "10Gbps", delay = "1us" },
]
"""


def test_no_link_hides_another(ax: Axes) -> None:
    xoff.Scenario.from_text(ANY_TRAFFIC + PARALLEL).topology.plot(ax)
    [lines] = [lines for lines in ax.collections if isinstance(lines, LineCollection)]
    assert len({course.tobytes() for course in lines.get_segments()}) == 4
