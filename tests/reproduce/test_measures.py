"""Measures that figures share, of runs of which only the summary is there."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from xoff.reproduce import measures
from xoff.reproduce.points import Point, Points
from xoff.results import folder
from xoff.results.summary import SCHEMA_VERSION


@pytest.fixture
def points(tmp_path: Path) -> Points:
    """Two schemes at two loads; the packets that each drops."""
    dropped = {("old", 0.2): 100, ("new", 0.2): 50, ("old", 0.8): 200, ("new", 0.8): 250}
    return Points(
        Point({"scheme": scheme, "load": load}, _run(tmp_path / f"{scheme}{load}", packets))
        for (scheme, load), packets in dropped.items()
    )


def _run(path: Path, dropped: int) -> Path:
    path.mkdir()
    summary = {"schema_version": SCHEMA_VERSION, "digest": "", "packets": {"dropped": dropped}}
    (path / folder.SUMMARY).write_text(json.dumps(summary), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("measure", "value"), [(measures.greatest_ratio, 1.25), (measures.most_saved, 50), (measures.least_saved, -25)]
)
def test_a_comparison_is_that_of_the_best_or_worst_load(
    points: Points, measure: Callable[..., float], value: float
) -> None:
    assert measure("packets.dropped", points, scheme=("new", "old")) == pytest.approx(value)


def test_means_are_those_of_the_positions_that_are_left(points: Points) -> None:
    new = points.where(scheme="new")
    assert measures.least_mean("packets.dropped", "load", new) == 50
    assert measures.greatest_mean("packets.dropped", "load", new) == 250
    assert measures.ratio_of_means("packets.dropped", points.where(load=0.8), scheme=("new", "old")) == 1.25


def test_no_run_drops_more_than_the_one_that_drops_most(points: Points) -> None:
    assert measures.most_dropped(points) == 250
    assert measures.most_dropped(points.excluding(scheme="new")) == 200
    assert measures.most_dropped(points.excluding(scheme="new", load=0.8)) == 200
