"""Flows of RoCE over the classes of a port: the class of their data, and how they repair losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.importing.marking import ramp_of_green
from xoff.switches.importing.pauses import without_headroom
from xoff.switches.importing.port import classes

if TYPE_CHECKING:
    from xoff.switches.importing.port import Port

_DSCP_OF_DATA = 26
"""DSCP of RoCE by NVIDIA's guides (`mlnx_qos`, ToS 106)."""


class Data(NamedTuple):
    """Class of RoCE's data."""

    priority: int
    why: str
    """Rows that decided, where no class pauses; else nothing."""


def data(port: Port) -> Data:
    """Chooses the class of RoCE's data: the first that pauses, else that marks, else that of its usual DSCP."""
    if port.lossless:
        return Data(next(iter(port.lossless)), "")
    lossy = f"no class of {port.name} pauses, as {_why_lossy(port)}"
    for one in port.classes:
        ramp = ramp_of_green(port, one)
        if ramp is not None and ramp[1].marks:
            return Data(one, f"{lossy}; of its classes {one} is the first whose queue marks, by WRED_PROFILE|{ramp[0]}")
    unmarked = "no queue has a WRED_PROFILE with ECN, so that nothing marks"
    for one in port.classes:
        if f"DSCP {_DSCP_OF_DATA}" in port.dscps(one):
            return Data(one, f"{lossy}; {unmarked}; class {one} has DSCP {_DSCP_OF_DATA}, RoCE's by default")
    one = next((one for one in port.classes if one != port.control), port.control)
    return Data(one, f"{lossy}; {unmarked}; of {classes(port.classes)} it is the first beside that of CNPs")


def _why_lossy(port: Port) -> str:
    """Names the table that decides."""
    if not port.paused:
        return f"PORT_QOS_MAP has no pfc_enable for {port.name}"
    lookup = (
        "and pg_profile_lookup.ini has no row for it" if port.tables.lookup else "and no pg_profile_lookup.ini is given"
    )
    return f"no row of BUFFER_PG gives headroom (xoff) to {without_headroom(port)}, {lookup}"
