"""When links failed, came back or changed their rate, across what is drawn over time."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from xoff import _xoff
from xoff.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.result import Result

MOST_NAMED = 4
"""Of more the legend tells what happens, and not to which link."""
_COLOUR = "#8c8c8c"
_LOOKS = {"down": ":", "up": "--", "rate": "-."}


def draw(result: Result, ax: Axes) -> None:
    """A vertical line for each event, named in the legend."""
    events = tomllib.loads(result.scenario).get("link_event", [])
    named = [f"{'-'.join(event['between'])} {_what(event)}" for event in events]
    labels = named if len(set(named)) <= MOST_NAMED else [f"link {_what(event).split()[0]}" for event in events]
    drawn: set[str] = set()
    for event, label in zip(events, labels, strict=True):
        at_us = _xoff.quantity("time", json.dumps(event["at"])) / 1e6
        look = _LOOKS[_what(event).split()[0]]
        ax.axvline(
            at_us, color=_COLOUR, linewidth=1, linestyle=look, label=None if label in drawn else style.plain(label)
        )
        drawn.add(label)


def _what(event: dict[str, Any]) -> str:
    return event.get("state") or f"rate {event['rate']}"
