"""Meaning of every key and name of scenarios, plans, summaries and result files, as `xoff explain` tells it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from xoff import starters
from xoff.errors import ErrorKind, ScenarioError
from xoff.glossary import vocabulary
from xoff.results import measures
from xoff.scenario.catalogue import Entry, algorithms, described, fluid_schema, schema, sizes

if TYPE_CHECKING:
    from xoff.results.summary_keys import Key

_SIZES = "workload.sizes"
"""Key that takes flow sizes."""
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
_PAGES = "docs/plans.md and docs/summary.md"
"""Pages that list keys of plans, measures and columns."""
_FIGURE = re.compile(r"\w+/\w+")
_LIKE = 0.75
"""Least similarity of a name that is offered in place of an unknown one."""


def scenarios() -> list[Entry]:
    """Returns the topologies, transports and workloads that `xoff init` puts together, its plan and its scheme."""
    families = {
        "topology": starters.TOPOLOGIES,
        "transport": starters.TRANSPORTS,
        "workload": starters.WORKLOADS,
        "plan of a switch": (starters.PLAN,),
        "scheme in Python": (starters.SCHEME,),
    }
    return [
        {"family": family, "name": name, "about": starters.sentence(name)}
        for family, names in families.items()
        for name in names
    ]


def explain(name: str) -> list[dict[str, Any]]:
    """Returns the meanings of a key (`switch.buffer.alpha`), algorithm, kind, symbol (`K_min`) or measure.

    Algorithms are found as papers write them, too (`PowerTCP`, `go-back-N`), and keys of plans and columns of result
    files if nothing else has the name. There are several answers if the name is not unique. Raises ScenarioError, which
    offers a near name, if nothing has it.

    >>> [entry["path"] for entry in explain("K_min")]
    ['switch.marking.queue.minimum', 'fluid.minimum']
    >>> [entry["name"] for entry in explain("PowerTCP")]
    ['power_tcp']
    """
    try:
        found = described(name)
    except ScenarioError as error:
        found = (
            _of_symbol(name)
            or _of_sizes(name)
            or _of_papers(name)
            or _of_measures(name)
            or _of_plans(name)
            or _of_columns(name)
            or _of_starters(name)
        )
        if not found:
            raise _nothing(name, error) from None
    return [entry | _forms_of_sizes() if entry["path"] == _SIZES and not entry["family"] else entry for entry in found]


def mentions(word: str) -> list[Entry]:
    """Returns keys, algorithms and measures with a word, such as PFC, in their name or description; names first.

    Names that the word stands for here come before them, such as flow completion times for latency.
    """
    if not any(map(str.isalnum, word)):
        return []
    meant = {name: explain(name)[0]["about"] for name in vocabulary.meant_by(word)}
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
    first: list[Entry] = [{"name": name, "about": _sentence(text)} for name, text in meant.items()]
    return first + [entry for _, entries in sorted(found.items()) for entry in entries if entry["name"] not in meant]


def _nothing(name: str, error: ScenarioError) -> ScenarioError:
    """Returns the error for an unknown name, with a near name or the pages to look in."""
    if error.kind is not ErrorKind.UNEXPLAINED:  # an unknown key of a table, which names the table's keys
        return error
    if _FIGURE.fullmatch(name):
        return error.reworded(expected=f"a published figure is run by `xoff reproduce {name}`")
    candidates = [*error.candidates, *(key.path for key in _plan_keys()), *measures.every()]
    near = get_close_matches(name, candidates, n=1, cutoff=_LIKE)
    meant = f"did you mean `{near[0]}`? " if near else ""
    expected = f"{meant}see `xoff list`, {_PAGES}"
    return ScenarioError(None, name, error.problem, expected, error.kind, near)


def _keys() -> list[vocabulary.Described]:
    of_models = (key for key in vocabulary.keys(fluid_schema()) if "." in key.path)
    return [*vocabulary.keys(schema()), *of_models]


def _sentence(text: str) -> str:
    return re.split(r"(?<=\.) (?=[A-Z`])", text, maxsplit=1)[0]


def _of_symbol(symbol: str) -> list[dict[str, Any]]:
    """Returns the keys with a paper's symbol; letter case counts only if a key has the very symbol."""
    named = [(key.path, vocabulary.symbols(key.text)) for key in _keys()]
    exactly = {path: None for path, symbols in named if symbol in symbols}
    loosely = {path: None for path, symbols in named if symbol.lower() in map(str.lower, symbols)}
    found = [entry for path in exactly or loosely for entry in described(path)]
    return [entry for entry in found if symbol.lower() in (entry["symbol"] or "").lower().split(", ")]


def _of_sizes(name: str) -> list[dict[str, Any]]:
    """Returns flow sizes that come with xoff, as a value of the key that takes them."""
    return [
        described(_SIZES)[0]
        | dict.fromkeys(("default", "symbol"))
        | {key: entry[key] for key in ("name", "about", "source")}
        | {"family": "value", "required": False, "of": []}
        for entry in sizes()
        if entry["name"] == name
    ]


def _of_starters(name: str) -> list[dict[str, Any]]:
    """Returns what only `xoff init` knows by a name, such as the transport of Ultra Ethernet."""
    found = [entry for entry in scenarios() if entry["name"] == name and name != starters.PLAN]
    return [_entry(name, "starter", entry["about"]) for entry in found]


def _of_papers(name: str) -> list[dict[str, Any]]:
    """Returns the algorithms whose names differ from `name` only in case, hyphens, spaces and underscores."""
    names = dict.fromkeys(entry["name"] for entry in algorithms() if _letters(entry["name"]) == _letters(name))
    return [entry for known in names for entry in described(known) if entry["family"]]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _of_measures(name: str) -> list[dict[str, Any]]:
    """Returns the numbers of `summary.json` that a name means."""
    return [_of_measure(name, entry, keys) for entry, keys in measures.named(name).items()]


def _of_plans(name: str) -> list[dict[str, Any]]:
    """Returns the keys of the plan file that a path, with or without a rate in it, or the end of one means."""
    path = re.sub(r"\[\d*\]|(?<=\bat_rate)\.(\"[^\"]+\"|\d[^.]*)", "", name)
    named = dict.fromkeys(key for key in _plan_keys() if f".{key.path}".endswith(f".{path}"))
    return [
        _entry(key.path, "key of plans", vocabulary.without_symbols(key.text))
        | {"symbol": ", ".join(vocabulary.symbols(key.text)) or None, "page": "docs/plans.md"}
        for key in named
    ]


def _plan_keys() -> list[vocabulary.Described]:
    from xoff.switches.plan.file import Plan  # brings Pydantic

    return list(vocabulary.keys(Plan.model_json_schema()))


def _of_columns(name: str) -> list[dict[str, Any]]:
    """Returns a column of result files, whose names follow from those of their schemas."""
    import pyarrow as pa

    from xoff.results import columns

    files = [
        key.lower() for key, schema in vars(columns).items() if isinstance(schema, pa.Schema) if name in schema.names
    ]
    about = f"Column of {', '.join(f'{file}.parquet' for file in files)}."
    return [_entry(name, "column", about) | {"page": "docs/summary.md"}] if files else []


def _entry(name: str, family: str, about: str) -> dict[str, Any]:
    """Returns an entry with empty values for all other fields."""
    nothing: dict[str, Any] = {"symbol": None, "takes": None, "default": None, "required": False, "source": None}
    empty: dict[str, Any] = {key: [] for key in ("of", "choices", "keys")}
    return {"name": name, "path": name, "family": family, "about": about} | nothing | empty


def _of_measure(name: str, entry: Key, keys: list[str]) -> dict[str, Any]:
    statistics = {measures.statistic(key) for key in keys}
    which = _STATISTICS[statistics.pop()] if len(statistics) == 1 else ""
    is_whole = set(keys) == {key for path in entry.keys for key in measures.spelled_out(path)}
    return _entry(name, "measure", f"{_as_sentence(entry.about)} {which}".rstrip()) | {
        "path": keys[0],
        "unit": entry.unit,
        "source": entry.source,
        "measures": list(entry.keys) if is_whole else keys,
    }


def _as_sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _forms_of_sizes() -> dict[str, Any]:
    """Returns the forms of flow sizes, of which the simulator itself only says that they are text."""
    named, fixed = (branch.get("description", "") for branch in schema()["$defs"]["Sizes"]["anyOf"])
    takes = f"{_phrase(named)}, or {{ fixed = SIZE }}: {_phrase(fixed)}"
    return {"takes": takes, "choices": [{"name": entry["name"], "about": entry["about"]} for entry in sizes()]}


def _phrase(text: str) -> str:
    return text[:1].lower() + text[1:].removesuffix(".")
