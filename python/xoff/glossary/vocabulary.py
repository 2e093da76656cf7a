"""Words in the descriptions of keys: symbols of papers, and words to search for."""

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
"""Words of the field, each with the names that explain it here."""
_SHORT = 3
"""Length up to which a word keeps its final s, such as bus."""
_ONLY_AT = "x-only-at"
"""Schema field of a kind that only one key takes: the end of that key's path."""


class Described(NamedTuple):
    """A key with its description."""

    path: str
    text: str


def keys(schema: dict[str, Any]) -> Iterator[Described]:
    """Yields every key of a schema; keys of a type that stands at several places, at the first one."""
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
    """Returns the symbols in brackets at the end of a description: two for `[GO, Q_PFC-lo]`."""
    found = _SYMBOL.search(f"{text} ")
    return [] if found is None else [symbol.strip("` ") for symbol in found[1].split(",")]


def without_symbols(text: str) -> str:
    """Returns a description without its symbols."""
    return _SYMBOL.sub(lambda found: found[0][-1], f"{text} ").rstrip()


def mentions(word: str, text: str) -> bool:
    """Whether a text has a word, in any letter case, singular or plural."""
    return re.search(rf"(?<!\w){re.escape(_one(word))}s?(?!\w)", text, re.IGNORECASE) is not None


def meant_by(word: str) -> tuple[str, ...]:
    """Returns the names that explain a word of the field which is no name itself."""
    return MEANT_BY.get(_one(word.lower().replace("_", " ")), ())


def _one(word: str) -> str:
    return word.removesuffix("s") if len(word) > _SHORT else word


def _referred(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref")
    return node if reference is None else schema["$defs"][reference.rpartition("/")[2]]
