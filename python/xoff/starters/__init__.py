"""Commented scenarios and a plan to start from, as `xoff init` writes them.

A scenario is put together from one part for each kind of topology, transport and workload.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable

TOPOLOGIES = ("leaf_spine", "clos3", "fat_tree", "fabric", "star", "dumbbell", "custom")
WORKLOADS = ("poisson", "incast", "permutation", "long_lived", "constant_rate", "trace", "query", "collective", "job")

TRANSPORTS = ("tcp", "roce", "ultra_ethernet")
PLAN = "plan"
"""Name of the plan of a switch, which stands alone."""

SCHEME = "scheme"
"""Name of a congestion control in Python, which comes with a scenario and a test."""
SCHEME_FILE = "my_control"
"""Name of its files, without their endings."""

KINDS = (*TOPOLOGIES, *TRANSPORTS, *WORKLOADS, PLAN, SCHEME)
_ALSO_CALLED = {
    **{name: ["roce"] for name in ("lossless", "pfc", "dcqcn", "rdma")},
    **{name: ["ultra_ethernet"] for name in ("uet", "uec", "nscc", "reps", "trimming")},
}
_WITHOUT_CORE = ("star", "custom")
_CONTROL = 7
"""The class of ACKs and CNPs, where a transport names none."""
_TITLE = 'title = "My scenario"'
_STOP = "\n[stop]\n"
_PAUSES = "pauses = true                    # who paused whom, and why: `xoff pauses RESULT`\n"
_DROPS = 'drops = { every = "change" }     # where, and of whom: `xoff drops RESULT`\n'
_MOST_LINKS = 12
"""Links of the longest round trip: up and down three levels of switches, and back."""
_LEAST_WINDOW = 100_000
"""Bytes of the window by default (IRN, SIGCOMM 2018)."""
_FRAME_BYTES = 1100
"""Bytes of a frame of 1 KiB of data, rounded, which each switch stores before it forwards them."""
_OVER_PAUSES = "over a class that pauses (PFC) instead of dropping"
_OVER_DROPS = "over a class that may drop and marks (ECN), without PFC"
_COMPANIONS = {"trace": "flows.csv", "job": "job.csv"}
"""Files that workloads are read from; each row has the class of its flow."""


class Starter(NamedTuple):
    """A scenario, or a plan, to start from."""

    text: str
    """In TOML."""
    companions: dict[str, str]
    """Text of the files that the scenario names, by name."""


class Switches(NamedTuple):
    """The switch part of a scenario over RoCE, which replaces a starter's own."""

    text: str
    """`[[class]]`, `[[switch]]` and the rest, in TOML."""
    data: int
    """The class of flows."""
    control: int
    """The class of acknowledgements and CNPs."""
    link: tuple[str, str] | None = None
    """Rate and delay of all links."""
    uplink: tuple[str, str] | None = None
    """Rate and delay of the links between switches, if they differ."""
    pauses: bool = True
    """Whether the class of flows is lossless."""


def starter(kinds: list[str], switches: Switches | None = None) -> Starter:
    """Returns the scenario with the given topology, transport and workloads, or the plan.

    Args:
        kinds: At most one of `TOPOLOGIES` and of `TRANSPORTS`, and some of `WORKLOADS`, by default the first of each
            that fits the others; or `PLAN` or `SCHEME` alone.
        switches: Those of a scenario over RoCE; left out, a starter's own.

    Raises:
        ScenarioError: A kind is unknown or stands twice, there are two topologies or transports, or two do not fit.
    """
    for kind in kinds:
        if kind not in KINDS:
            near = _ALSO_CALLED.get(kind) or get_close_matches(kind, KINDS)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            expected = f"{meant}expected some of {', '.join(KINDS)}"
            raise ScenarioError(None, kind, "no such topology, transport or workload", expected)
        if kinds.count(kind) > 1:
            raise ScenarioError(None, kind, "stands twice", "expected each kind once")
    for alone in {PLAN, SCHEME}.intersection(kinds):
        if len(kinds) > 1 or switches:
            raise ScenarioError(None, alone, "is no part of a scenario", "expected it alone")
        return Starter(_part(PLAN), {}) if alone == PLAN else _scheme()
    topology, transport = _only(kinds, TOPOLOGIES), _only(kinds, TRANSPORTS, "roce" if switches else None)
    workloads = [kind for kind in kinds if kind in WORKLOADS]
    if switches and transport != "roce":
        raise ScenarioError(None, transport, "does not go with lossless switches", "expected roce, or none of both")
    if transport == "tcp":
        return _over_tcp(topology, workloads or [WORKLOADS[0]])
    if "constant_rate" in workloads:
        problem = f"is not for {transport}: it has a transport of its own"
        raise ScenarioError(None, "constant_rate", problem, "expected another, or tcp")
    if transport == "roce":
        return _over_roce(topology, workloads or ["incast"], switches)
    return _over_ultra_ethernet(topology, workloads or ["permutation", "incast"])


def _scheme() -> Starter:
    """Returns a scenario with the files of a congestion control in Python and of its test."""
    control, test = (_read(f"scheme/{name}.txt") for name in ("control", "test"))
    return Starter(_read("scheme/scenario.txt"), {f"{SCHEME_FILE}.py": control, f"test_{SCHEME_FILE}.py": test})


def _over_tcp(topology: str, workloads: list[str]) -> Starter:
    prefix = "cioq_" if topology == "fabric" else ""  # only crossbars have links with credits
    unmarked = workloads == ["constant_rate"]  # which has a transport of its own, whose packets cannot be marked
    switch = _part("cioq" if prefix else "switch") + ("" if unmarked else _part(f"{prefix}marking"))
    transports = [] if unmarked else [_part("transport/tcp")]
    flows = _one_after_another(_part(f"workload/{workload}") for workload in workloads)
    parts = [_part(f"topology/{topology}"), switch, *transports, flows, _part("rest")]
    return _put_together(topology, "" if unmarked else "tcp", workloads, parts)


def _over_roce(topology: str, workloads: list[str], given: Switches | None) -> Starter:
    """Returns a scenario whose flows are in one class, lossless unless given switches are not.

    It observes pauses, or drops where nothing pauses.
    """
    if topology == "fabric" and given:
        problem = "has crossbars for switches, and the tables are of a shared memory"
        raise ScenarioError(None, topology, problem, "expected another topology")
    own_switches = "cioq_lossless" if topology == "fabric" else "lossless"
    switches = given or Switches(_part(own_switches), 3, _CONTROL)
    network, transport, own = _part(f"topology/{topology}"), _part("transport/roce"), switches.data
    if switches.link:
        network = _with_links(network, "", switches.link)
    if switches.uplink:
        network = _with_links(network, "fabric_link = { ", switches.uplink)
    transport = _with_connections(transport, workloads)
    if not switches.pauses:
        transport = transport.replace(_OVER_PAUSES, _OVER_DROPS) + _repair(switches.link)
    if given:
        transport += f"control_priority = {switches.control}             # of ACKs and CNPs\n"
    enough = '"128kB"' if topology == "fabric" else '"1MB"'  # to be paused
    flows = _one_after_another(_flows_over_roce(workload, own, enough, switches.pauses) for workload in workloads)
    rest = _part("rest").replace("also rates", "also windows").replace("# windows = ", "# rates = ")
    rest = rest.replace("; of TCP alphas, rtts", "")
    rest = rest.replace("# queues = ", f"{_PAUSES if switches.pauses else _DROPS}queues = ")
    found = _put_together(topology, "roce", workloads, [network, switches.text, transport, flows, rest])
    return found._replace(companions={name: _of_class(own, text) for name, text in found.companions.items()})


def _over_ultra_ethernet(topology: str, workloads: list[str]) -> Starter:
    """Returns a scenario without lossless classes, which observes drops."""
    if topology == "fabric":
        problem = (
            "is not for ultra_ethernet: crossbars trim nothing, and their links with credits keep packets in order"
        )
        raise ScenarioError(None, topology, problem, "expected another, or roce or tcp")
    flows = _one_after_another(
        _part(f"workload/{workload}").replace('transport = "tcp"', 'transport = "ultra_ethernet"')
        for workload in workloads
    )
    rest = _part("rest").replace(
        "# queues = ", 'drops = { every = "change" }     # and what is trimmed: `xoff drops RESULT`\n# queues = '
    )
    network, transport = _part(f"topology/{topology}"), _with_connections(_part("transport/ultra_ethernet"), workloads)
    parts = [network, _part("trimming"), transport, flows, rest]
    return _put_together(topology, "ultra_ethernet", workloads, parts)


def _with_connections(transport: str, workloads: list[str]) -> str:
    """Turns on lasting queue pairs for collectives, whose steps would share links with the steps before."""
    return transport.replace("# connections = ", "connections = ") if "collective" in workloads else transport


def _with_links(network: str, before: str, link: tuple[str, str]) -> str:
    """Sets the rate and delay of all links that stand behind a text."""
    own = 'rate = "{}", delay = "{}"'.format(*link)
    return re.sub(rf'({re.escape(before)})rate = "[^"]*", delay = "[^"]*"', rf"\g<1>{own}", network)


def _of_class(priority: int, text: str) -> str:
    """Sets the class of every flow in a table of flows."""
    head, *rows = (line.split(",") for line in text.splitlines())
    for row in rows:
        row[head.index("priority")] = str(priority)
    return "".join(f"{','.join(row)}\n" for row in (head, *rows))


def _repair(link: tuple[str, str] | None) -> str:
    """Returns the recovery of RoCE whose packets may be dropped, with a window that fills the longest round trip."""
    on_link = 0
    if link is not None:
        rate_mbps, delay_ns = int(link[0].removesuffix("Mbps").replace("Gbps", "000")), int(link[1].removesuffix("ns"))
        on_link = rate_mbps * delay_ns // 8000
    window = max(_LEAST_WINDOW, _MOST_LINKS * (on_link + _FRAME_BYTES))
    text = f'recovery = {{ kind = "selective_repeat", window = "{-(-window // 1000)}kB" }}'
    return f"{text:67}# at least the bytes in flight on {_MOST_LINKS} links\n"


def _flows_over_roce(workload: str, priority: int, size: str, pauses: bool) -> str:
    which = "the class that pauses" if pauses else "a class that drops: nothing pauses"
    of_class = "" if workload in _COMPANIONS else f"priority = {priority}                     # {which}\n"
    flows = re.sub("# priority = .*\n", "", _part(f"workload/{workload}"))
    flows = flows.replace('transport = "tcp"\n', f'transport = "roce"\n{of_class}')
    return flows.replace('size = "64kB" ', f"size = {size:7}")


def _one_after_another(workloads: Iterable[str]) -> str:
    """Joins the parts of workloads, and puts their `[stop]` tables below them as one."""
    parts = [part.partition(_STOP) for part in workloads]
    ends = "".join(end for _, _, end in parts)
    return "\n".join(flows for flows, _, _ in parts) + (f"{_STOP}{ends}" if ends else "")


def _put_together(topology: str, transport: str, workloads: list[str], parts: list[str]) -> Starter:
    """Joins the parts of a scenario, under a title that names its kinds."""
    over = f" over {transport}" if transport else ""
    title = f"{' and '.join(workloads)}{over} on {topology}"
    text = "\n".join(parts).replace(_TITLE, f'title = "{title}"', 1)
    if topology in _WITHOUT_CORE:
        text = text.replace('of = "core"', 'of = "host"')
    files = [_COMPANIONS[workload] for workload in workloads if workload in _COMPANIONS]
    return Starter(text, {name: _read(name) for name in files})


def sentence(kind: str) -> str:
    """Returns the sentence that describes a kind: the first line of its part."""
    if kind == SCHEME:
        return "A congestion control as a class in a Python file, with a scenario and a test."
    folders = (("topology/", TOPOLOGIES), ("transport/", TRANSPORTS), ("workload/", WORKLOADS), ("", (PLAN,)))
    folder = next(folder for folder, kinds in folders if kind in kinds)
    return _part(folder + kind).splitlines()[0].removeprefix("# ")


def _only(kinds: list[str], choices: tuple[str, ...], usual: str | None = None) -> str:
    chosen = [kind for kind in kinds if kind in choices]
    if len(chosen) > 1:
        raise ScenarioError(
            None, chosen[1], f"{chosen[0]} is of the same sort", f"expected one of {', '.join(choices)}"
        )
    return chosen[0] if chosen else usual or choices[0]


def _part(name: str) -> str:
    return _read(f"{name}.toml")


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
