"""`trace.txt` of HPCC's ns-3: a count, and the numbers of nodes whose packets it writes down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.formats.draft import Draft, Found
from xoff.formats.lines import numbered, whole
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "HPCC trace"
ABOUT = "trace.txt of the same simulators"


def recognises(lines: Sequence[str]) -> bool:
    """Whether one number stands in the first line, and whole numbers alone in the second, but not those of a flow."""
    first, second = ([line.split() for line in lines if line.strip()] + [[], []])[:2]
    is_count = len(first) == 1 and first[0].isdigit()
    return is_count and all(each.isdigit() for each in second) and len(second) not in (0, 5, 6)


def read(path: Path, draft: Draft) -> None:
    """Tells that nodes to trace are left out: a scenario names flows of which packets are recorded."""
    number, line = next(numbered(path))
    nodes = counted(whole(path, number, "the number of nodes", line.strip()), "node")
    draft.found.append(Found(str(path), NAME, nodes))
    draft.leave(
        f"{path.name}:{number}", f"packets of {nodes}", "observe.packets names the flows whose packets are recorded"
    )
