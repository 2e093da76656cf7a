"""A commented plan to start from, and scenarios: one part for each kind of topology, transport and workload."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib.resources import files
from typing import NamedTuple

from xoff.errors import ScenarioError

TOPOLOGIES = ("leaf_spine", "clos3", "fat_tree", "fabric", "star", "dumbbell", "custom")
WORKLOADS = ("poisson", "incast", "permutation", "long_lived", "constant_rate", "trace", "query", "collective")

TRANSPORTS = ("tcp", "roce")
PLAN = "plan"
"""A plan of a switch, which is no scenario."""

_KINDS = (*TOPOLOGIES, *TRANSPORTS, *WORKLOADS, PLAN)
_ALSO_CALLED = {name: ["roce"] for name in ("lossless", "pfc", "dcqcn", "rdma")}
_WITHOUT_CORE = ("star", "custom")
_LOSSLESS = "priority = 3                     # the class that pauses\n"
_PAUSES = "pauses = true                    # who paused whom, and why: `xoff pauses RESULT`\n"
_WITHOUT_ROCE = {
    "fabric": "its crossbars mark nothing, and DCQCN goes by marks",
    "constant_rate": "it has a transport of its own",
}


class Starter(NamedTuple):
    """A scenario, or a plan, to start from."""

    text: str
    """In TOML."""
    companions: dict[str, str]
    """Files it names, by name."""


def starter(kinds: list[str]) -> Starter:
    """The scenario with the given topology, transport and workload, or the plan.

    Args:
        kinds: At most one of `TOPOLOGIES`, of `TRANSPORTS` and of `WORKLOADS`, by default the first of each that fits
            the others; or `PLAN` alone.

    Raises:
        ScenarioError: A kind is unknown, there are two of a sort, or two do not fit.
    """
    for kind in kinds:
        if kind not in _KINDS:
            near = _ALSO_CALLED.get(kind) or get_close_matches(kind, _KINDS)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            expected = f"{meant}expected some of {', '.join(_KINDS)}"
            raise ScenarioError(None, kind, "no such topology, transport or workload", expected)
    if PLAN in kinds:
        if len(kinds) > 1:
            raise ScenarioError(None, PLAN, "is no part of a scenario", "expected it alone")
        return Starter(_part(PLAN), {})
    topology = _only(kinds, TOPOLOGIES)
    if _only(kinds, TRANSPORTS) == "roce":
        return _over_roce(topology, _only(kinds, ("incast", *WORKLOADS)))
    return _over_tcp(topology, _only(kinds, WORKLOADS))


def _over_tcp(topology: str, workload: str) -> Starter:
    crossbars = topology == "fabric"  # only they have links with credits, and they mark nothing
    transport = "transport/reno" if crossbars else "transport/tcp"
    switch = "cioq" if crossbars else "switch"
    marking = "" if crossbars or workload == "constant_rate" else _part("marking")
    parts = [f"topology/{topology}", switch, transport, f"workload/{workload}", "rest"]
    if workload == "constant_rate":  # which has a transport of its own, whose packets cannot be marked
        parts.remove(transport)
    return _put_together(topology, workload, [_part(part) + (marking if part == switch else "") for part in parts])


def _over_roce(topology: str, workload: str) -> Starter:
    """Flows are of the lossless class, and queues and pauses are observed."""
    for kind in (topology, workload):
        if kind in _WITHOUT_ROCE:
            raise ScenarioError(None, kind, f"is not for roce: {_WITHOUT_ROCE[kind]}", "expected another, or tcp")
    flows = re.sub("# priority = .*\n", "", _part(f"workload/{workload}"))
    flows = flows.replace('transport = "tcp"\n', 'transport = "roce"\n' + ("" if workload == "trace" else _LOSSLESS))
    flows = flows.replace('size = "64kB"', 'size = "1MB" ')  # enough to be paused
    rest = (
        _part("rest")
        .replace("# queues = ", f"{_PAUSES}queues = ")
        .replace("also rates", "also windows")
        .replace("# windows = ", "# rates = ")
    )
    texts = [_part(f"topology/{topology}"), _part("lossless"), _part("transport/roce"), flows, rest]
    found = _put_together(topology, workload, texts)
    return found._replace(companions={name: text.replace(",0\n", ",3\n") for name, text in found.companions.items()})


def _put_together(topology: str, workload: str, parts: list[str]) -> Starter:
    text = "\n".join(parts)
    if topology in _WITHOUT_CORE:
        text = text.replace('of = "core"', 'of = "host"')
    return Starter(text, {"flows.csv": _read("flows.csv")} if workload == "trace" else {})


def sentence(kind: str) -> str:
    """What a kind is, in the words of its part's first line."""
    folders = (("topology/", TOPOLOGIES), ("transport/", TRANSPORTS), ("workload/", WORKLOADS), ("", (PLAN,)))
    folder = next(folder for folder, kinds in folders if kind in kinds)
    return _part(folder + kind).splitlines()[0].removeprefix("# ")


def _only(kinds: list[str], choices: tuple[str, ...]) -> str:
    chosen = [kind for kind in kinds if kind in choices]
    if len(chosen) > 1:
        raise ScenarioError(
            None, chosen[1], f"{chosen[0]} is of the same sort", f"expected one of {', '.join(choices)}"
        )
    return chosen[0] if chosen else choices[0]


def _part(name: str) -> str:
    return _read(f"{name}.toml")


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
