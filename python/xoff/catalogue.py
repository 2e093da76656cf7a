"""What there is, and what each key and name means: the simulator's own descriptions, as plain data."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from xoff import _xoff, measures, starters, vocabulary
from xoff.errors import ScenarioError

if TYPE_CHECKING:
    from xoff.summary_keys import Key

_SIZES = "workload.sizes"
"""The key that takes flow sizes."""
_STATISTICS = {
    "": "",
    "mean": "This is the mean.",
    "min": "This is the least.",
    "max": "This is the greatest.",
    "p50": "This is the median.",
    "p95": "This is the 95th percentile.",
    "p99": "This is the 99th percentile.",
    "p999": "This is the 99.9th percentile.",
}


class Entry(TypedDict):
    """One line of a list."""

    name: str
    about: str
    """One sentence."""
    family: NotRequired[str]
    """The family of an algorithm or kind, such as `congestion_control`."""
    source: NotRequired[str | None]
    """Paper or standard."""
    mean_bytes: NotRequired[float]
    """Mean of a flow-size distribution."""
    ports: NotRequired[int]
    """Ports of a chip."""
    rate_bps: NotRequired[int]
    """Rate of each."""
    uplink_ports: NotRequired[int]
    """Ports of a chip that have another rate."""
    uplink_rate_bps: NotRequired[int | None]
    """Rate of each of these."""
    ecn: NotRequired[bool]
    """Whether a chip can mark packets."""
    memory_bytes: NotRequired[int]
    """All packet memory of a chip."""
    mmus: NotRequired[int]
    """Parts of it with ports of their own."""
    cell_bytes: NotRequired[int | None]
    """What memory is given out in; None where it is not known."""
    kibibytes_per_port: NotRequired[float]
    """Memory over ports."""
    kibibytes_per_port_per_gbps: NotRequired[float]
    """Memory over ports and their rate."""


def algorithms() -> list[Entry]:
    """Every algorithm, policy, marker, topology, transport and workload, family by family."""
    entries: list[Entry] = json.loads(_xoff.algorithms())
    return entries


def sizes() -> list[Entry]:
    """The flow-size distributions that come with xoff."""
    entries: list[Entry] = json.loads(_xoff.sizes())
    return entries


def chips() -> list[Entry]:
    """The chips that a switch can be built on: `chip = "tomahawk"`."""
    entries: list[Entry] = json.loads(_xoff.chips())
    return entries


def scenarios() -> list[Entry]:
    """The topologies, transports and workloads that `xoff init` puts together, and its plan."""
    families = {
        "topology": starters.TOPOLOGIES,
        "transport": starters.TRANSPORTS,
        "workload": starters.WORKLOADS,
        "plan of a switch": (starters.PLAN,),
    }
    return [
        {"family": family, "name": name, "about": starters.sentence(name)}
        for family, names in families.items()
        for name in names
    ]


def explain(name: str) -> list[dict[str, Any]]:
    """What a key (`switch.buffer.alpha`), an algorithm, a kind, flow sizes, a symbol (`K_min`) or a measure means.

    Several answers where the name is not unique. Raises ScenarioError, which names the nearest, if nothing has it.
    """
    try:
        found: list[dict[str, Any]] = json.loads(_xoff.explain(name))
    except ScenarioError:
        found = _of_symbol(name) or _of_sizes(name) or _of_measures(name)
        if not found:
            raise
    return [entry | _forms_of_sizes() if entry["path"] == _SIZES and not entry["family"] else entry for entry in found]


def mentions(word: str) -> list[Entry]:
    """Keys, algorithms and measures that have a word, as PFC, in their names or are described with it; names first."""
    described: dict[str, str] = {}
    of_algorithms = ((entry["name"], entry["about"]) for entry in algorithms())
    of_measures = ((entry.keys[0], _as_sentence(entry.about)) for entry in measures.every().values())
    for name, text in (*((key.path, key.text) for key in _keys()), *of_algorithms, *of_measures):
        described.setdefault(name, text)  # a key of several kinds as it is described first
    found: dict[int, list[Entry]] = {}
    for name, text in described.items():
        own_name, sentence = name.rpartition(".")[2].replace("_", " "), _sentence(text)
        places = [vocabulary.mentions(word, words) for words in (own_name, sentence, text)]
        if any(places):
            found.setdefault(places.index(True), []).append({"name": name, "about": sentence})
    return [entry for _, entries in sorted(found.items()) for entry in entries]


def _keys() -> list[vocabulary.Described]:
    of_models = (key for key in vocabulary.keys(fluid_schema()) if "." in key.path)
    return [*vocabulary.keys(schema()), *of_models]


def _sentence(text: str) -> str:
    return re.split(r"(?<=\.) (?=[A-Z`])", text, maxsplit=1)[0]


def _of_symbol(symbol: str) -> list[dict[str, Any]]:
    """The keys that a paper calls so; where none has these very letters, those that have them in capitals or not."""
    named = [(key.path, vocabulary.symbols(key.text)) for key in _keys()]
    exactly = {path: None for path, symbols in named if symbol in symbols}
    loosely = {path: None for path, symbols in named if symbol.lower() in map(str.lower, symbols)}
    found = [entry for path in exactly or loosely for entry in json.loads(_xoff.explain(path))]
    return [entry for entry in found if symbol.lower() in (entry["symbol"] or "").lower().split(", ")]


def _of_sizes(name: str) -> list[dict[str, Any]]:
    """Flow sizes that come with xoff, as a value of the key that takes them."""
    return [
        json.loads(_xoff.explain(_SIZES))[0]
        | dict.fromkeys(("default", "symbol"))
        | {key: entry[key] for key in ("name", "about", "source")}
        | {"family": "value", "required": False, "of": []}
        for entry in sizes()
        if entry["name"] == name
    ]


def _of_measures(name: str) -> list[dict[str, Any]]:
    """Numbers of `summary.json` that a name means."""
    return [_of_measure(name, entry, keys) for entry, keys in measures.named(name).items()]


def _of_measure(name: str, entry: Key, keys: list[str]) -> dict[str, Any]:
    statistics = {measures.statistic(key) for key in keys}
    which = _STATISTICS[statistics.pop()] if len(statistics) == 1 else ""
    is_whole = set(keys) == {key for path in entry.keys for key in measures.spelled_out(path)}
    nothing: dict[str, Any] = {"symbol": None, "takes": None, "default": None, "required": False}
    return {
        "name": name,
        "path": keys[0],
        "family": "measure",
        "about": f"{_as_sentence(entry.about)} {which}".rstrip(),
        "unit": entry.unit,
        "source": entry.source,
        "measures": list(entry.keys) if is_whole else keys,
        **nothing,
        **{empty: [] for empty in ("of", "choices", "keys")},
    }


def _as_sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _forms_of_sizes() -> dict[str, Any]:
    """What flow sizes may be, of which the simulator's own words are only that it is text."""
    named, fixed = (branch.get("description", "") for branch in schema()["$defs"]["Sizes"]["anyOf"])
    takes = f"{_phrase(named)}, or {{ fixed = SIZE }}: {_phrase(fixed)}"
    return {"takes": takes, "choices": [{"name": entry["name"], "about": entry["about"]} for entry in sizes()]}


def _phrase(text: str) -> str:
    return text[:1].lower() + text[1:].removesuffix(".")


def schema() -> dict[str, Any]:
    """The JSON Schema of a scenario."""
    found: dict[str, Any] = json.loads(_xoff.schema())
    return found


def fluid_schema() -> dict[str, Any]:
    """The JSON Schema of a table `fluid` with a fluid model's parameters."""
    found: dict[str, Any] = json.loads(_xoff.fluid_schema())
    return found
