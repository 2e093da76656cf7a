"""Of many lines those that hold something are drawn, and the legend says what is left out."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import xoff
from conftest import SMALL
from xoff.plot import over_time
from xoff.report.figures import all_of

OBSERVED = {"every": "10us", "of": ["switch0.*"]}
KINDS = ("queues", "queue_cdf", "marks", "drops")


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


@pytest.fixture(scope="module")
def one_busy_port() -> xoff.Result:
    """All packets of the four ports wait in one, where some are marked and none is dropped."""
    scenario = xoff.Scenario.from_text(SMALL)
    for key in ("queues", "marks", "drops"):
        scenario = scenario.with_value(f"observe.{key}", OBSERVED)
    return without_queues_of_acks(scenario.run())


def without_queues_of_acks(result: xoff.Result) -> xoff.Result:
    """As if no sample had met an ACK."""
    assert result.series is not None
    rows = result.series.to_pylist()
    value = [row["value"] if row["name"] == "switch0.port0" else 0.0 for row in rows]
    place = result.series.column_names.index("value")
    return replace(result, series=result.series.set_column(place, "value", pa.array(value)))


def told(legend: Legend | None) -> tuple[str, list[str]]:
    """The title of a legend and its labels."""
    assert legend is not None
    return legend.get_title().get_text(), [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("kind", ["queues", "queue_cdf", "marks"])
def test_what_is_zero_throughout_is_counted_and_not_drawn(one_busy_port: xoff.Result, kind: str, ax: Axes) -> None:
    getattr(one_busy_port.plot, kind)(ax)
    assert told(ax.get_legend()) == ("3 others are zero throughout", ["switch0.port0"])
    assert len(ax.get_lines()) == 1


def test_of_what_was_sampled_nothing_is_said_of_the_time_between(one_busy_port: xoff.Result, ax: Axes) -> None:
    with_every_change = one_busy_port.scenario.replace('every = "10us"', 'every = "change"')
    for result, said in (
        (one_busy_port, "no queue held anything at any of the samples, every 10 us"),
        (replace(one_busy_port, scenario=with_every_change), "no queue held anything"),
    ):
        ax.clear()
        result.plot.queues(ax, names=["*1", "*2"])
        assert [text.get_text() for text in ax.texts] == [said]


@pytest.mark.parametrize(
    ("names", "title", "labels"),
    [
        (["switch0.port0", "switch0.port2"], "", ["switch0.port0", "switch0.port2"]),
        (["switch0.port2"], "", ["switch0.port2"]),
        ("switch0.port2", "", ["switch0.port2"]),
        (["*0", "*2"], "1 other is zero throughout", ["switch0.port0"]),
        (["switch0.*", "switch0.port3"], "2 others are zero throughout", ["switch0.port0", "switch0.port3"]),
    ],
)
@pytest.mark.parametrize("kind", ["queues", "queue_cdf"])
def test_what_is_named_in_full_is_drawn_though_it_is_zero(
    one_busy_port: xoff.Result, kind: str, names: list[str] | str, title: str, labels: list[str], ax: Axes
) -> None:
    getattr(one_busy_port.plot, kind)(ax, names=names)
    assert told(ax.get_legend()) == (title, labels)


def test_where_all_are_zero_the_time_is_that_of_the_run(one_busy_port: xoff.Result, ax: Axes) -> None:
    one_busy_port.plot.drops(ax)
    assert ax.get_legend() is None
    assert ax.get_xlim()[1] > 0.9 * one_busy_port.summary["end_ns"] / 1000


@pytest.mark.parametrize("kind", KINDS)
def test_of_several_results_none_is_missing_because_it_is_zero(one_busy_port: xoff.Result, kind: str, ax: Axes) -> None:
    draw = getattr(one_busy_port.plot, kind)
    draw(ax, label="busy")
    draw(ax, names=["*1", "*2", "*3"], label="idle")
    labels = ["busy", "idle"] if kind == "drops" else ["busy, switch0.port0", "idle"]
    assert told(ax.get_legend())[1] == labels


def test_what_is_zero_in_a_stretch_of_time_is_left_out_there(one_busy_port: xoff.Result, ax: Axes) -> None:
    of_all = over_time.choose(one_busy_port, "queue")
    assert (len(of_all.shown), of_all.of, of_all.zero) == (1, 1, 3)
    one_busy_port.plot.queues(ax, between_ns=(0, 1000))
    assert [text.get_text() for text in ax.texts] == [
        "no queue held anything at any of the samples, every 10 us\nfrom 0.00 us to 1.00 us"
    ]


def test_the_report_counts_as_the_figure_does(one_busy_port: xoff.Result) -> None:
    captions = {figure.title: figure.caption for figure in all_of(one_busy_port).over_time}
    assert captions["Queues over time"] == "The one of 4 that is not zero throughout; all are in series.parquet."
    assert captions["Drops over time"] == "As recorded in series.parquet (4 in all)."


EIGHT_FLOWS = """
title = "Eight flows, each faster than the one before"
topology = { kind = "star", hosts = 9, host_link = { rate = "10Gbps", delay = "1us" } }
stop.at = "100us"
observe = { flow_throughput = { every = "50us" } }
"""


@pytest.fixture(scope="module")
def eight_flows() -> xoff.Result:
    """Rates from 0.5 to 4 Gbps."""
    text = EIGHT_FLOWS
    for host in range(8):
        text += f'[transport.t{host}]\nkind = "constant_rate"\nrate = "{(host + 1) / 2}Gbps"\n'
        text += f'[[workload]]\nkind = "long_lived"\ntransport = "t{host}"\npairs = [["host{host}", "host8"]]\n'
    return xoff.Scenario.from_text(text).run()


def with_cnms(result: xoff.Result, cnms: dict[str, float]) -> xoff.Result:
    """As if flows had been sent so many at 50 us."""
    assert result.series is not None
    rows = {
        "time_ns": [50_000] * len(cnms),
        "quantity": pa.array(["cnms"] * len(cnms)).dictionary_encode(),
        "name": pa.array(list(cnms)).dictionary_encode(),
        "priority": [0] * len(cnms),
        "value": list(cnms.values()),
    }
    series = pa.concat_tables([result.series, pa.table(rows).cast(result.series.schema)]).unify_dictionaries()
    observed = result.scenario + '\n[observe.cnms]\nevery = "10us"\n'
    return replace(result, series=series, scenario=observed)


def legend_of_row(row: list[Axes]) -> tuple[str, list[str]]:
    """Returns the legend above a row of panels, without the places of flows in their hosts."""
    [legend] = row[0].figure.legends
    plt.close()
    title, labels = told(legend)
    return title, [label.removesuffix(".flow0") for label in labels]


def test_of_many_flows_the_highest_are_drawn_and_the_legend_says_so(eight_flows: xoff.Result) -> None:
    row = list(eight_flows.plot.flows_over_time())
    assert legend_of_row(row) == ("highest 6 of 8", [f"host{host}" for host in range(2, 8)])


def test_a_flow_is_as_high_as_in_the_panel_where_it_is_highest(eight_flows: xoff.Result) -> None:
    result = with_cnms(eight_flows, {"host0.flow0": 2.0, "host1.flow0": 0.0, "host7.flow0": 1.0})
    row = list(result.plot.flows_over_time())
    assert legend_of_row(row) == ("highest 6 of 8", ["host0", *(f"host{host}" for host in range(3, 8))])


def test_flows_alike_in_one_panel_are_told_apart_by_the_others(eight_flows: xoff.Result) -> None:
    alike = dict.fromkeys([f"host{host}.flow0" for host in range(8)], 1.0)
    row = list(with_cnms(eight_flows, alike).plot.flows_over_time(quantities=["cnms", "flow_throughput"]))
    assert legend_of_row(row) == ("highest 6 of 8", [f"host{host}" for host in range(2, 8)])


def test_flows_without_anything_are_counted_and_not_drawn(eight_flows: xoff.Result) -> None:
    cnms = {"host0.flow0": 2.0, "host1.flow0": 0.0, "host7.flow0": 1.0}
    row = list(with_cnms(eight_flows, cnms).plot.flows_over_time(quantities=["cnms"]))
    assert legend_of_row(row) == ("1 other is zero throughout", ["host0", "host7"])


def test_flows_that_are_chosen_leave_nothing_to_say(eight_flows: xoff.Result) -> None:
    row = list(eight_flows.plot.flows_over_time(flows={"host3.flow0": "third"}))
    assert legend_of_row(row) == ("", ["third"])


def test_the_highest_flows_are_those_of_the_time_that_is_shown(eight_flows: xoff.Result) -> None:
    late = {f"host{host}.flow0": float(8 - host) for host in range(8)}
    result = with_cnms(eight_flows, late)
    row = list(result.plot.flows_over_time(quantities=["cnms"], between_ns=(45_000, 55_000)))
    assert legend_of_row(row)[1] == [f"host{host}" for host in range(6)]
    assert np.isfinite(row[0].get_ylim()).all()
