"""Data of the figures in which a reader of a report zooms and hovers, as the page's script takes them."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from xoff.plot import over_time, style
from xoff.plot.pauses import bars_of_ports

if TYPE_CHECKING:
    import numpy as np

    from xoff.results.result import Result

_POINTS = 4000
"""Most points of a line: enough to zoom in about four times as far as a static figure shows."""
_MOST_BARS = 20_000
"""Most pauses; a page with more would be slow."""
_SIGNIFICANT = 6


def lines(result: Result, quantity: str) -> str:
    """Returns the lines of an observed quantity as JSON."""
    shown = over_time.shown(result, quantity, _POINTS)
    return _json(
        {
            "end": _end_us(result),
            "units": shown.units,
            "names": shown.names,
            "drawstyle": shown.drawstyle,
            "dots": shown.is_dots,
            "lines": [
                {"label": line.label, "times": _numbers(line.time_us, 10), "values": _numbers(line.value, _SIGNIFICANT)}
                for line in shown.lines
            ],
        }
    )


def pauses(result: Result) -> str | None:
    """Returns the pauses of the ports that were paused longest as JSON; None if there are too many."""
    rows = bars_of_ports(result)
    if sum(map(len, rows.values())) > _MOST_BARS:
        return None
    return _json({"end": _end_us(result), "rows": [{"label": name, "bars": bars} for name, bars in rows.items()]})


def script() -> dict[str, str]:
    """Returns the library with its licence and styles, our script, and the colours of lines."""
    here = resources.files("xoff.report")
    files = {
        "licence": "uplot/LICENSE",
        "library": "uplot/uPlot.iife.min.js",
        "styles": "uplot/uPlot.min.css",
        "own": "explore.js",
    }
    found = {name: here.joinpath(file).read_text(encoding="utf-8") for name, file in files.items()}
    return found | {"palette": _json(style.COLOURS)}


def _end_us(result: Result) -> float:
    end_ns: float = result.summary["end_ns"]
    return end_ns / 1000


def _numbers(values: np.ndarray, digits: int) -> list[float]:
    """Returns numbers with some significant digits, whole ones without a point."""
    rounded = (float(f"{value:.{digits}g}") for value in values.tolist())
    return [int(value) if value.is_integer() else value for value in rounded]


def _json(value: Any) -> str:  # noqa: ANN401 as json
    """Returns JSON that cannot end the element of a page in which it stands."""
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")
