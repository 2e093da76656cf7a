"""The page stands alone and says what happened."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import xoff
from conftest import SMALL, storm
from xoff.report import exploring, render
from xoff.report.figures import all_of, svg


class Tags(HTMLParser):
    """Collects start tags and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_loads_nothing(small_result: xoff.Result) -> None:
    for tag, attributes in Tags(render(small_result)).tags:
        assert tag not in {"link", "iframe", "img"}
        assert "src" not in attributes
        reference = attributes.get("href") or attributes.get("xlink:href")
        assert reference is None or reference.startswith("#")


def test_series_and_pauses_can_be_explored_and_stay_static_without_javascript(small_result: xoff.Result) -> None:
    page = render(small_result)
    figures = all_of(small_result).over_time
    [explored] = [json.loads(figure.explored) for figure in figures if figure.explored]
    [line] = explored["lines"]
    series = small_result.series
    assert series is not None
    assert line["times"] == (series["time_ns"].to_numpy() / 1000).tolist()
    assert line["values"] == series["value"].to_pylist()
    assert "var uPlot=" in page
    assert "Copyright (c) 2022 Leon Sorokin" in page
    assert "<svg" in page[page.index("Over time") : page.index("The numbers")]


def test_flows_can_be_explored_as_they_were_recorded(small_result: xoff.Result) -> None:
    explored = exploring.flows(small_result)
    assert explored is not None
    told = json.loads(explored.text)
    hosts = told["hosts"]
    names = ("source", "destination", "number", "size", "start", "fct", "slowdown")
    columns = dict(zip(names, (told[name] for name in names), strict=True))
    found = [
        (hosts[source], hosts[destination], *others)
        for source, destination, *others in zip(*columns.values(), strict=True)
    ]
    recorded = [
        (
            *(row[key] for key in ("source", "destination", "number", "size_bytes")),
            row["start_ns"] / 1000,
            pytest.approx(row["fct_ns"] / 1000, rel=1e-5),
            pytest.approx(row["slowdown"], rel=1e-5),
        )
        for row in small_result.flows.to_pylist()
    ]
    assert sorted(found) == sorted(recorded, key=lambda row: row[:5])
    assert told["along"] == "start"  # all have one size
    assert told["start"] == sorted(told["start"])
    assert [group["label"] for group in told["groups"]] == ["small, below 100 KiB"]


@given(arrays(np.float64, st.integers(1, 20_000), elements=st.floats(1, 1e6)))
def test_no_flow_left_out_is_slower_than_the_slowest_that_are_shown(slowdowns: np.ndarray) -> None:
    chosen = exploring.chosen_flows(slowdowns)
    count = len(slowdowns)
    assert len(chosen) == len(set(chosen.tolist())) == min(count, exploring._MOST_FLOWS)
    slowest = np.sort(slowdowns)[-exploring._SLOWEST_FLOWS :]
    assert np.array_equal(np.sort(slowdowns[chosen])[-exploring._SLOWEST_FLOWS :], slowest)
    assert slowdowns.min() == slowdowns[chosen].min()


def test_a_sample_of_many_flows_is_called_one(monkeypatch: pytest.MonkeyPatch, small_result: xoff.Result) -> None:
    monkeypatch.setattr(exploring, "_MOST_FLOWS", 10)
    monkeypatch.setattr(exploring, "_SLOWEST_FLOWS", 4)
    said = "A sample, 10 of 20 flows: the 4 with the greatest slowdown and others evenly from the fastest on"
    assert said in Tags(render(small_result)).text


def test_points_of_flows_are_hidden_without_javascript(small_result: xoff.Result) -> None:
    hidden = [
        attributes for tag, attributes in Tags(render(small_result)).tags if tag == "figure" and "hidden" in attributes
    ]
    assert ["live-only" in str(each["class"]) for each in hidden] == [True]


def test_a_page_with_nothing_to_explore_has_no_script(small_result: xoff.Result) -> None:
    one = replace(small_result, flow_rows=small_result.flows.slice(0, 1), series=None)
    assert "<script" not in render(one)


def test_pauses_are_explored_as_they_were_recorded() -> None:
    result = storm()
    assert result.pauses is not None
    explored = exploring.pauses(result)
    assert explored is not None
    rows = json.loads(explored)["rows"]
    recorded = zip(result.pauses["start_ns"].to_pylist(), result.pauses["end_ns"].to_pylist(), strict=True)
    bars = [(1000 * start, 1000 * end) for row in rows for start, end in row["bars"]]
    assert sorted(bars) == [pytest.approx(pause) for pause in sorted(recorded)]


def test_names_cannot_end_the_script_they_stand_in() -> None:
    assert "<" not in exploring._json({"label": "</script><b>"})


def test_ids_are_unique_and_references_found(small_result: xoff.Result) -> None:
    page = render(small_result)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert set(re.findall(r"url\(#([^)]*)\)", page)) | set(re.findall(r'href="#([^"]*)"', page)) <= set(ids)


def test_figures_take_their_colours_from_the_page(small_result: xoff.Result) -> None:
    page = render(small_result)
    assert "currentColor" in page
    assert "#010203" not in page
    assert "#040506" not in page
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert drawings
    assert not any("#ffffff" in drawing for drawing in drawings)


def test_no_figure_is_stretched_until_its_letters_are_large() -> None:
    drawn = svg(lambda ax: None, (4, 3))
    assert re.search(r'<svg[^>]* style="max-width: 317pt" viewBox="0 0 288 216"', drawn)
    assert not re.search(r"<svg[^>]* (?:width|height)=", drawn)


def test_what_is_written_in_a_figure_stays_as_it_is() -> None:
    drawn = svg(lambda ax: ax.set_xticks([0, 1.25, 2], ["0", "1.25 MB", "2 MB"]))
    assert "1.25 MB" in Tags(drawn).text
    assert not re.search(r'="[^"]*\d\.\d\d', drawn)


def test_it_shows_figures_scenario_and_provenance(small_result: xoff.Result) -> None:
    text = Tags(render(small_result)).text
    for part in ("Completion times by size class", "Queues over time"):
        assert part in text
    assert "minimum_rto" in text
    assert small_result.digest in text


def test_it_says_what_is_of_the_measured_time(small_result: xoff.Result) -> None:
    said = "goodput are of the measured time, from 1.00 us to 9.00 us; packets, loss and engine are of the whole run"
    assert said not in Tags(render(small_result)).text
    summary = small_result.summary | {"measured": {"start_ns": 1000, "end_ns": 9000, "unfinished": 0}}
    assert said in Tags(render(replace(small_result, summary=summary))).text


def test_it_says_what_happened_and_why_before_the_numbers(small_result: xoff.Result) -> None:
    text = Tags(render(small_result)).text
    places = [text.index(heading) for heading in ("What happened", "Why", "The numbers", "Scenario with its defaults")]
    assert places == sorted(places)
    assert "20 flows finished in" in text[places[0] : places[1]]
    assert "The busiest port, " in text[places[1] : places[2]]


def test_only_counters_that_are_not_zero_are_shown(small_result: xoff.Result) -> None:
    packets = small_result.summary["packets"]
    names = set(re.findall(r"<dt>([a-z_.]+)</dt>", render(small_result)))
    assert {name for name, count in packets.items() if count} <= names
    assert not names & {name for name, count in packets.items() if not count}


def test_panels_over_time_have_one_time_axis_at_one_place() -> None:
    observe = {"queues": {"every": "100us"}, "windows": {"every": "7us"}, "throughput": {"every": "450us"}}
    figures = all_of(xoff.Scenario.from_text(SMALL).with_value("observe", observe).run()).over_time
    assert len(figures) == 3
    assert len({tuple(re.findall(r">([\d.]+ [mu]s)<", figure.svg)) for figure in figures}) == 1
    assert len({re.findall(r'<rect (x="[\d.]+").* (width="[\d.]+")', figure.svg)[0] for figure in figures}) == 1


def test_slowdowns_by_size_are_drawn_where_sizes_differ(small_result: xoff.Result) -> None:
    title = "Slowdown by flow size"
    assert title not in Tags(render(small_result)).text
    rows = pa.table(small_result.flows)
    place = rows.column_names.index("size_bytes")
    larger = rows.set_column(place, "size_bytes", pa.array(range(1, 1 + len(rows))))
    assert title in Tags(render(replace(small_result, flow_rows=larger))).text


def test_a_title_is_text_not_markup(small_result: xoff.Result) -> None:
    changed = replace(small_result, summary=small_result.summary | {"title": "<script>x</script>"})
    assert "<script>x" not in render(changed)


def test_a_run_without_flows_has_a_page(small_result: xoff.Result) -> None:
    none = {name: dict.fromkeys(values, None) | {"count": 0} for name, values in _classes(small_result).items()}
    flows = small_result.summary["flows"] | none
    empty = replace(
        small_result,
        flow_rows=small_result.flows.slice(0, 0),
        ports=small_result.ports.slice(0, 0),
        series=None,
        summary=small_result.summary | {"flows": flows, "interrupted": True},
    )
    page = render(empty)
    assert "<svg" not in page
    assert "interrupted" in page
    assert isinstance(empty.flows, pa.Table)


def _classes(result: xoff.Result) -> dict[str, dict[str, float]]:
    return {name: result.summary["flows"][name] for name in ("all", "small", "medium", "large")}


def test_boxes_of_a_pause_tree_and_their_words_change_with_the_page() -> None:
    result = storm()
    [figure] = [figure for figure in all_of(result).why if " was paused" in figure.title]
    boxed = re.findall(r"<text [^>]*>[^<]*%</text>", figure.svg)
    assert boxed
    assert all("currentColor" in words for words in boxed)
    assert "fill: var(--card)" in figure.svg
