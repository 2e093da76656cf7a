"""Commented scenarios to start from: one part for each kind of topology and of workload, put together."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from typing import NamedTuple

from xoff.errors import ScenarioError

TOPOLOGIES = ("leaf_spine", "clos3", "fat_tree", "fabric", "star", "dumbbell", "custom")
WORKLOADS = ("poisson", "incast", "permutation", "long_lived", "constant_rate", "trace", "query", "collective")

_WITHOUT_CORE = ("star", "custom")


class Starter(NamedTuple):
    """A scenario to start from."""

    text: str
    """The scenario in TOML."""
    companions: dict[str, str]
    """Files it names, by name."""


def starter(kinds: list[str]) -> Starter:
    """The scenario with the given topology and workload.

    Args:
        kinds: At most one of `TOPOLOGIES` and one of `WORKLOADS`; by default the first of each that fits the other.

    Raises:
        ScenarioError: A kind is unknown, or there are two of a sort.
    """
    for kind in kinds:
        if kind not in TOPOLOGIES + WORKLOADS:
            near = get_close_matches(kind, TOPOLOGIES + WORKLOADS)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            expected = f"{meant}expected one or two of {', '.join(TOPOLOGIES + WORKLOADS)}"
            raise ScenarioError(None, kind, "no such topology or workload", expected)
    topology = _only(kinds, TOPOLOGIES)
    workload = _only(kinds, WORKLOADS)
    crossbars = topology == "fabric"  # only they have links with credits, and they mark nothing
    transport = "transport/reno" if crossbars else "transport/dctcp"
    switch = "cioq" if crossbars else "switch"
    marking = "" if crossbars or workload == "constant_rate" else _part("marking")
    parts = [f"topology/{topology}", switch, transport, f"workload/{workload}", "rest"]
    if workload == "constant_rate":  # which has a transport of its own, whose packets cannot be marked
        parts.remove(transport)
    text = "\n".join(_part(part) + (marking if part == switch else "") for part in parts)
    if topology in _WITHOUT_CORE:
        text = text.replace('of = "core"', 'of = "host"')
    return Starter(text, {"flows.csv": _read("flows.csv")} if workload == "trace" else {})


def sentence(kind: str) -> str:
    """What a kind is, in the words of its part's first line."""
    part = f"topology/{kind}" if kind in TOPOLOGIES else f"workload/{kind}"
    return _part(part).splitlines()[0].removeprefix("# ")


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
