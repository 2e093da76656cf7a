"""Pause trees that can be read: nothing lies over words."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

import xoff
from conftest import SCENARIOS, ring, storm
from xoff.plot import pause_tree, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

    from xoff.explain.pause_tree import PauseTree


@cache
def result_of(name: str) -> xoff.Result:
    match name:
        case "a circle":
            return xoff.Scenario.from_text(ring()).run()
        case "a storm":
            return storm()
    return xoff.Scenario.load(SCENARIOS / "pauses.toml").run()


def drawn(tree: PauseTree) -> Axes:
    with style.context():
        figure = Figure(figsize=pause_tree.size_inches(tree))
        ax = pause_tree.draw(tree, figure.subplots())
        figure.draw_without_rendering()
    return ax


def boxes(ax: Axes) -> list[Bbox]:
    """Returns the places of words, with their frames."""
    return [(text.get_bbox_patch() or text).get_window_extent() for text in ax.texts if text.get_text()]


@pytest.mark.parametrize(
    ("name", "victim"),
    [
        ("a victim", "host4.flow0"),
        ("a victim", "tor0"),
        ("a victim", None),
        ("a circle", "h0"),
        ("a circle", None),
        ("a storm", None),
    ],
)
def test_lines_run_beside_words_and_words_beside_one_another(name: str, victim: str | None) -> None:
    ax = drawn(result_of(name).pause_tree(victim))
    words = boxes(ax)
    for one, other in combinations(words, 2):
        assert not one.overlaps(other)
    lines = [line for line in ax.patches if isinstance(line, PathPatch)]
    assert lines
    for line in lines:
        path = line.get_transform().transform_path(line.get_path())
        ends = np.asarray(path.vertices)[[0, -1]]
        for box in words:
            if not box.count_contains(ends):
                assert not path.intersects_bbox(box, filled=False)


def test_what_was_not_followed_is_told() -> None:
    tree = result_of("a victim").pause_tree("host4")
    tree.graph.remove_nodes_from([node for node in tree.graph if node])
    assert drawn(tree).get_title(loc="left") == "ways of at most 1 % each are left out"
