"""Notes on a result: those of its scenario, and flows to be observed that did not exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xoff import _xoff
from xoff.results.columns import flow_place
from xoff.scenario import notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.results.result import Result

_FLOW = re.compile(r"[^*?[]+\.flow\d+")


def of_result(result: Result) -> tuple[str, ...]:
    """Returns the notes of the scenario that has run, and a line for each flow to be observed that did not exist."""
    return (*notes.of(_xoff.Scenario(result.scenario), result.inputs), *_of_observed_flows(result))


def _of_observed_flows(result: Result) -> Iterator[str]:
    observe = result._settings["observe"]
    for key, asked in observe.items():
        names = asked if isinstance(asked, list) else asked.get("of", []) if isinstance(asked, dict) else []
        for name in names:
            if _FLOW.fullmatch(name) and not _was_there(result, name):
                yield f"observe.{key}: there was no flow {name}"


def _was_there(result: Result, flow: str) -> bool:
    started = [
        result.flow_rows.select(["source", "number"]),
        *([] if result.unfinished is None else [result.unfinished]),
    ]
    return any(flow_place(flows, flow) is not None for flows in started)
