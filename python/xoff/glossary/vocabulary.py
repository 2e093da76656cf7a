"""The words of the keys' own descriptions: symbols of papers, and whatever else they speak of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYMBOL = re.compile(r" \[([^\]]+)\][.;]")


_QUEUE_PAIR = ("roce", "transport.connections", "transport.queue_pairs")
_TAIL = ("flows.all.fct_p99_us", "flows.all.slowdown_p99")
MEANT_BY = {
    "background": ("poisson", "long_lived"),
    "distribution": ("workload.sizes",),
    "latency": ("flows.all.fct_mean_us", "flows.all.slowdown_mean", "topology.host_link.delay", "host.delay"),
    "lqd": ("longest_queue_drop",),
    "percentile": _TAIL,
    "preemptive": ("occamy", "longest_queue_drop"),
    "pushout": ("longest_queue_drop", "occamy"),
    "qp": _QUEUE_PAIR,
    "queue pair": _QUEUE_PAIR,
    "rail": ("leaf_spine", "collective"),
    "rdma": ("roce",),
    "straggler": ("slow_receiver", "link_event"),
    "tail": _TAIL,
}
"""Words that stand for something here, and by which names it is explained."""
_SHORT = 3
"""Letters of a word that does not lose its s, as bus."""
_ONLY_AT = "x-only-at"
"""Of a kind that only one key takes: the end of its path."""


class Described(NamedTuple):
    """A key with what is said of it."""

    path: str
    text: str


def keys(schema: dict[str, Any]) -> Iterator[Described]:
    """Every key of a schema; those of a type that stands at several places, at the first."""
    visited: set[int] = set()

    def inside(node: dict[str, Any], path: str) -> Iterator[Described]:
        node = _referred(schema, node)
        for branch in (*node.get("oneOf", ()), *node.get("anyOf", ())):
            if path.endswith(branch.get(_ONLY_AT, "")):
                yield from inside(branch, path)
        properties = {} if id(node) in visited else node.get("properties", {})
        visited.add(id(node))
        for key, inner in properties.items():
            if "const" in inner:  # what a table is, and no key of it
                continue
            of_key = f"{path}.{key}".removeprefix(".")
            text = inner.get("description") or _referred(schema, inner).get("description", "")
            yield Described(of_key, " ".join(text.split()))
            yield from inside(inner, of_key)
        for values in (node.get("items"), node.get("additionalProperties")):
            if isinstance(values, dict):
                yield from inside(values, path)

    yield from inside(schema, "")


def symbols(text: str) -> list[str]:
    """Those that stand in brackets at the end of a description: `[GO, Q_PFC-lo]` are two."""
    found = _SYMBOL.search(f"{text} ")
    return [] if found is None else [symbol.strip("` ") for symbol in found[1].split(",")]


def without_symbols(text: str) -> str:
    """A description without them."""
    return _SYMBOL.sub(lambda found: found[0][-1], f"{text} ").rstrip()


def mentions(word: str, text: str) -> bool:
    """Whether a text has a word, in capitals or not, one or many of it."""
    return re.search(rf"(?<!\w){re.escape(_one(word))}s?(?!\w)", text, re.IGNORECASE) is not None


def meant_by(word: str) -> tuple[str, ...]:
    """Names of what a word of every day stands for, if it has none of its own."""
    return MEANT_BY.get(_one(word.lower().replace("_", " ")), ())


def _one(word: str) -> str:
    return word.removesuffix("s") if len(word) > _SHORT else word


def _referred(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref")
    return node if reference is None else schema["$defs"][reference.rpartition("/")[2]]
