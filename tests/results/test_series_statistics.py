"""Statistics of quantities recorded over time."""

import pyarrow as pa
import pytest

import xoff
from xoff.results import columns, series_statistics

MEASURED = {"start_ns": 1000, "end_ns": 2000}
SAMPLED = '[observe.queues]\nevery = "250ns"\n'
ON_CHANGE = '[observe.queues]\nevery = "change"\n'


def series(quantity: str, rows: list[tuple[int, str, float]]) -> pa.Table:
    values = {
        "time_ns": [row[0] for row in rows],
        "quantity": [quantity] * len(rows),
        "name": [row[1] for row in rows],
        "priority": [0] * len(rows),
        "value": [row[2] for row in rows],
    }
    arrays = [pa.array(values[field.name]).cast(field.type) for field in columns.SERIES]
    return pa.table(arrays, schema=columns.SERIES)


def statistics(quantity: str, unit: str, found: dict[str, float | None]) -> list[float | None]:
    return [found[f"{quantity}_{name}_{unit}"] for name in series_statistics.STATISTICS]


def test_samples_of_the_measured_time_count_alike() -> None:
    rows = [
        (750, "a", 900.0),
        (1000, "a", 0.0),
        (1250, "a", 10.0),
        (1500, "b", 20.0),
        (1750, "b", 50.0),
        (2000, "a", 9e9),
    ]
    found = series_statistics.summarise(series("queue", rows), SAMPLED, MEASURED)
    assert statistics("queue", "bytes", found) == [20.0, 20.0, 50.0, 50.0]
    assert statistics("pool", "bytes", found) == [None] * 4
    assert statistics("queue", "bytes", series_statistics.summarise(None, "", MEASURED)) == [None] * 4


def test_a_throughput_is_of_the_time_before_its_sample() -> None:
    rows = [(1000, "a", 9e9), (1500, "a", 1e9), (2000, "a", 3e9)]
    found = series_statistics.summarise(series("throughput", rows), '[observe.throughput]\nevery = "500ns"\n', MEASURED)
    assert statistics("throughput", "gbps", found) == [2.0, 3.0, 3.0, 3.0]


def test_lengths_on_change_count_as_long_as_they_last() -> None:
    # a: 0 until 1100, 100 until 1600, 0 until the end; b: 40 since before, 60 from 1900 on.
    rows = [(500, "b", 40.0), (1100, "a", 100.0), (1600, "a", 0.0), (1900, "b", 60.0), (2500, "a", 1e6)]
    found = series_statistics.summarise(series("queue", rows), ON_CHANGE, MEASURED)
    mean = (100 * 500 + 40 * 900 + 60 * 100) / 2000
    assert statistics("queue", "bytes", found) == [mean, 40.0, 100.0, 100.0]


def test_samples_and_changes_tell_the_same_of_a_run() -> None:
    scenario = xoff.Scenario.load("scenarios/web_search.toml").with_value("stop.arrivals_end", "500us")
    of = {
        every: scenario.with_value("observe.queues", {"every": every}).run().summary["observed"]
        for every in ("100ns", "change")
    }
    for key in ("queue_mean_bytes", "queue_max_bytes"):
        assert of["100ns"][key] <= of["change"][key]  # where nothing ever was does not count on change
    assert of["change"]["queue_max_bytes"] == pytest.approx(of["100ns"]["queue_max_bytes"], rel=0.05)


def test_what_was_observed_can_be_swept() -> None:
    base = xoff.Scenario.load("scenarios/web_search.toml").with_value("stop.arrivals_end", "1ms")
    watched = base.with_value("observe.queues", {"every": "1us", "of": ["leaf0.*"]})
    thresholds = {"switch.marking.queue.threshold": ["20kB", "200kB"]}
    swept = xoff.sweep(watched, thresholds, measures=["observed.queue_max_bytes"])
    low, high = (row.measured["observed.queue_max_bytes"].value for row in swept.rows)
    assert low < high
