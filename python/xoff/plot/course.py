"""Marks of link events and slow receivers across figures over time."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from xoff import _xoff
from xoff.plot import style
from xoff.plot.stretch import Stretch
from xoff.text import toml_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.results.result import Result

MOST_NAMED = 4
"""Most events that the legend names by link or host; of more, it names the kinds."""
_COLOUR = "#8c8c8c"
_LOOKS = {"down": ":", "up": "--", "rate": "-."}


def draw(result: Result, ax: Axes, stretch: Stretch | None = None) -> None:
    """Draws a vertical line for each link event and a grey area for each slow receiver, named in the legend.

    Args:
        result: The result.
        ax: The axes.
        stretch: The time of the events; left out, all.
    """
    scenario = toml_text.parse(result.scenario)
    end_us = result.summary["end_ns"] / 1000
    shown = stretch or Stretch(0, math.inf)
    events = scenario.get("link_event", [])
    receivers = scenario.get("slow_receiver", [])
    _draw_link_events([event for event in events if shown.holds(*[microseconds(event["at"])] * 2)], ax)
    _draw_slow_receivers([slow for slow in receivers if shown.holds(*_span(slow, end_us))], end_us, ax)


def _span(slow: dict[str, Any], end_us: float) -> tuple[float, float]:
    return microseconds(slow["start"]), microseconds(slow["end"]) if "end" in slow else end_us


def _draw_link_events(events: list[dict[str, Any]], ax: Axes) -> None:
    named = [f"{'-'.join(event['between'])} {_what(event)}" for event in events]
    labels = named if len(set(named)) <= MOST_NAMED else [f"link {_what(event).split()[0]}" for event in events]
    drawn: set[str] = set()
    for event, label in zip(events, labels, strict=True):
        look = _LOOKS[_what(event).split()[0]]
        ax.axvline(microseconds(event["at"]), color=_COLOUR, linewidth=1, linestyle=look, label=_once(label, drawn))


def _draw_slow_receivers(receivers: list[dict[str, Any]], end_us: float, ax: Axes) -> None:
    named = [f"{', '.join(slow['hosts'])} {_intake(slow)}" for slow in receivers]
    labels = named if len(set(named)) <= MOST_NAMED else ["receivers are slow"] * len(named)
    drawn: set[str] = set()
    for slow, label in zip(receivers, labels, strict=True):
        ax.axvspan(*_span(slow, end_us), color=_COLOUR, alpha=0.15, linewidth=0, label=_once(label, drawn))


def _once(label: str, drawn: set[str]) -> str | None:
    """Returns a label for the legend, unless it is there already."""
    if label in drawn:
        return None
    drawn.add(label)
    return style.plain(label)


def microseconds(time: str) -> float:
    """Converts a time of a scenario to microseconds."""
    return _xoff.quantity("time", json.dumps(time)) / 1e6


def _what(event: dict[str, Any]) -> str:
    return event.get("state") or f"rate {event['rate']}"


def _intake(slow: dict[str, Any]) -> str:
    return f"takes in {slow['rate']}" if "rate" in slow else "takes in nothing"
