"""The pause tree of a victim, in columns from left to right with room for the lines between them."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from xoff.explain.pause_tree import LEAST_SHARE
from xoff.plot import style
from xoff.text.units import duration, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.explain.pause_tree import PauseTree

MOST_WAYS = 16
"""Most leaves of the tree; those that account for least are left out."""
_LEAST_INCHES = 8.0
"""Least width of a tree; a page would enlarge a narrower one."""

_WORDS_POINTS, _FLOWS_POINTS = 7.5, 6.5
_FRAME_POINTS = 0.35 * _WORDS_POINTS
_GAP_POINTS = 40.0
"""Gap between columns."""
_BELOW_POINTS = 17.0
"""Distance from the middle of a root to its flows."""

_ROOT, _PAUSED, _VICTIM = style.COLOURS[3], style.COLOURS[0], style.COLOURS[6]


class _Place(NamedTuple):
    column: int
    row: float


class _Column(NamedTuple):
    """Begin and end of a column, in points."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def size_inches(tree: PauseTree) -> tuple[float, float]:
    """Returns the size of a figure in which a tree can be read."""
    places = _places(tree)
    roots = (node for node in places if tree.graph.nodes[node]["is_root"])
    named = max((len(tree.flows(node)) for node in roots), default=0)
    rows = max(place.row for place in places.values())
    width = (_columns(tree, places)[-1].right + _GAP_POINTS) / 72
    return max(width, _LEAST_INCHES), (0.5 + 0.12 * named) * (rows + 1) + 0.4


def draw(tree: PauseTree, ax: Axes) -> Axes:
    """Draws the victim left, the queues waited for to the right, lines as thick as their share, and roots framed."""
    places = _places(tree)
    columns = _columns(tree, places)
    ax.set_axis_off()
    for node, place in places.items():
        for child in filter(places.__contains__, tree.children(node)):
            path = _path(columns, place, places[child])
            look: dict[str, Any] = {"edgecolor": style.COLOURS[5], "linewidth": 0.8 + 7 * tree.share(child)}
            ax.add_patch(PathPatch(path, fill=False, capstyle="butt", **look))
        at = columns[place.column].middle, place.row
        data = tree.graph.nodes[node]
        colour = _VICTIM if data["queue"] is None else _ROOT if data["is_root"] else _PAUSED
        frame = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": colour, "linewidth": 1.2}
        ax.text(*at, _words(tree, node), ha="center", va="center", fontsize=_WORDS_POINTS, bbox=frame)
        if data["is_root"]:
            below: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top", "color": _ROOT}
            ax.annotate(_flows(tree, node), at, (0, -_BELOW_POINTS), fontsize=_FLOWS_POINTS, **below)
    ax.set_xlim(0, columns[-1].right)
    ax.set_ylim(max(place.row for place in places.values()) + 0.8, -0.4)
    if left_out := _left_out(tree, places):
        ax.set_title(f"ways of at most {percent(left_out)} each are left out", fontsize=8)
    return ax


def _left_out(tree: PauseTree, places: dict[int, _Place]) -> float:
    """Returns the greatest share of a branch that is not drawn or was not followed; 0 if all are drawn."""
    not_followed = LEAST_SHARE if tree.left_out_us > tree.paused_us * LEAST_SHARE else 0.0
    return max((tree.share(node) for node in tree.graph if node not in places), default=not_followed)


def _words(tree: PauseTree, node: int) -> str:
    data = tree.graph.nodes[node]
    return f"{style.plain(data['name'])}\n{duration(data['paused_us'])}, {tree.share(node):.0%}"


def _flows(tree: PauseTree, node: int) -> str:
    return style.plain("\n".join(tree.flows(node)))


def _path(columns: list[_Column], begin: _Place, end: _Place) -> Path:
    """Returns a line between the middles of two boxes, which changes its row between columns, where no box is."""
    first, last = columns[begin.column], columns[end.column]
    between = (first.right + last.left) / 2
    points = [
        (first.middle, begin.row),
        (first.right, begin.row),
        (between, begin.row),
        (between, end.row),
        (last.left, end.row),
        (last.middle, end.row),
    ]
    return Path(points, [Path.MOVETO, Path.LINETO, *[Path.CURVE4] * 3, Path.LINETO])


def _columns(tree: PauseTree, places: dict[int, _Place]) -> list[_Column]:
    """Returns the begin and end of each column."""
    widths = [0.0] * (1 + max(place.column for place in places.values()))
    for node, place in places.items():
        words = _points_across(_words(tree, node), _WORDS_POINTS) + 2 * _FRAME_POINTS
        flows = _points_across(_flows(tree, node), _FLOWS_POINTS) if tree.graph.nodes[node]["is_root"] else 0.0
        widths[place.column] = max(widths[place.column], words, flows)
    ends = accumulate(width + _GAP_POINTS for width in widths)
    return [_Column(end - _GAP_POINTS - width, end - _GAP_POINTS) for end, width in zip(ends, widths, strict=True)]


def _points_across(words: str, size: float) -> float:
    """Returns the width of the longest line of a text."""
    font = FontProperties(size=size)
    return max(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0] for line in words.split("\n"))


def _places(tree: PauseTree) -> dict[int, _Place]:
    """Returns the place of each node: its depth, and a height at which parents are in the middle of their children.

    Nodes that account for least are left out until there are at most `MOST_WAYS` leaves.
    """
    places: dict[int, _Place] = {}
    leaves, least = 0, _least_share(tree)

    def place(node: int, depth: int) -> float:
        nonlocal leaves
        below = [place(child, depth + 1) for child in tree.children(node) if tree.share(child) >= least]
        leaves += not below
        places[node] = _Place(depth, sum(below) / len(below) if below else leaves - 1)
        return places[node].row

    place(0, 0)
    return places


def _least_share(tree: PauseTree) -> float:
    """Returns the least share that a node must account for to be drawn."""

    def is_leaf(node: int, least: float) -> bool:
        return tree.share(node) >= least and all(tree.share(child) < least for child in tree.children(node))

    shares = sorted({tree.share(node) for node in tree.graph})
    return next(least for least in shares if sum(is_leaf(node, least) for node in tree.graph) <= MOST_WAYS)
