"""`xoff list` and `xoff explain`."""

import json
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from conftest import ROOT, Outcome
from xoff import starters
from xoff.glossary import glossary, vocabulary
from xoff.results import columns, measures, table
from xoff.scenario import catalogue
from xoff.studies import comparison, sweep

Command = Callable[..., Outcome]
Compare = Callable[[str], None]


@pytest.mark.parametrize("kind", ["algorithms", "chips", "sizes", "scenarios"])
def test_list(command: Command, matches_snapshot: Compare, kind: str) -> None:
    matches_snapshot(command("list", kind).out)


def test_list_without_a_kind_is_everything(command: Command) -> None:
    out = command("list").out
    assert all(name in out for name in ("dctcp", "web_search", "fat_tree"))


def test_list_as_json(command: Command) -> None:
    assert "web_search" in [entry["name"] for entry in json.loads(command("list", "sizes", "--json").out)]
    assert set(json.loads(command("list", "--json").out)) == {"algorithms", "chips", "sizes", "scenarios"}


@pytest.mark.parametrize(
    "name",
    [
        "dctcp",
        "switch.buffer.alpha",
        "switch.buffer",
        "threshold",
        "tomahawk",
        "switch.quirks",
        "ring",
        "workload.sizes",
        "web_search",
        "K_min",
        "PFC",
        "slowdown",
        "flows.small.fct_p999_us",
        "congestion.round_trip",
        "congestion.at_rate.25Gbps.minimum",
        "fct_ns",
        "latency",
    ],
)
def test_explain(command: Command, matches_snapshot: Compare, name: str) -> None:
    matches_snapshot(command("explain", name).out)


NAMED = [
    pytest.param(entry["name"], entry["family"], id=f"{entry['family']}-{entry['name']}")
    for entry in catalogue.algorithms()
]


@pytest.mark.parametrize(("name", "family"), NAMED)
def test_every_algorithm_of_every_family_is_explained_by_its_bare_name(name: str, family: str) -> None:
    found = [entry for entry in glossary.explain(name) if entry["family"]]
    assert (name, family) in [(entry["name"], entry["family"]) for entry in found]
    for written in (name.upper(), name.replace("_", "-"), name.replace("_", "").title(), name.replace("_", " ")):
        exactly = {entry["name"] for entry in glossary.explain(written)}
        assert name in exactly, f"{written} means {exactly}"


def test_every_name_that_is_listed_is_explained(command: Command) -> None:
    listed = json.loads(command("list", "--json").out)
    names = {entry["name"] for entries in listed.values() for entry in entries} - {starters.PLAN}
    assert len(names) > 80
    assert all(glossary.explain(name) for name in names)
    assert command("explain", "plan").err.startswith("plan: is a command")


def test_every_value_of_a_key_is_explained() -> None:
    values = set(_values(catalogue.schema()))
    assert {"ecmp", "ring", "fixed_point", "halving_doubling"} <= values
    assert all(glossary.explain(value) for value in values)


def _values(node: object) -> Iterator[str]:
    """Yields every text that a key of a schema may have out of a list."""
    if isinstance(node, dict):
        for key, inner in node.items():
            yield from [inner] if key == "const" and isinstance(inner, str) else _values(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _values(inner)


def test_explain_as_json(command: Command) -> None:
    assert json.loads(command("explain", "dctcp", "--json").out)[0]["family"] == "congestion_control"


PROBLEM = "no key, no algorithm and no value has this name"
PAGES = "see `xoff list`, docs/plans.md and docs/summary.md"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dctpc", "dctcp"),
        ("switch.bufer.alpha", "switch.buffer.alpha"),
        ("congestion.round_tripp", "congestion.round_trip"),
        ("flows.all.slowdwn_p99", "flows.all.slowdown_p99"),
    ],
)
def test_explain_names_the_nearest(command: Command, name: str, meant: str) -> None:
    outcome = command("explain", name)
    assert outcome.status == 2
    assert outcome.err == f"{name}: {PROBLEM}; did you mean `{meant}`? {PAGES}\n"


def test_explain_names_nothing_that_is_only_a_little_like_it(command: Command) -> None:
    assert command("explain", "pandas").err == f"pandas: {PROBLEM}; {PAGES}\n"


def test_explain_names_the_keys_of_a_table(command: Command) -> None:
    err = command("explain", "transport.mine.recovery.nack").err
    assert err.startswith(f"transport.mine.recovery.nack: {PROBLEM}; did you mean `transport.recovery.nack_interval`? ")


def test_explain_leads_to_commands(command: Command) -> None:
    assert command("explain", "plan").err.startswith("plan: is a command: Compute thresholds and headroom ")
    assert command("explain", "sweep").err.endswith("; see `xoff sweep --help`\n")
    assert command("explain", "dsh/fig22").err.endswith("a published figure is run by `xoff reproduce dsh/fig22`\n")


@pytest.mark.parametrize("word", vocabulary.MEANT_BY)
def test_words_of_every_day_lead_to_names_that_can_be_explained(word: str) -> None:
    found = [entry["name"] for entry in glossary.mentions(word)]
    assert found[: len(vocabulary.MEANT_BY[word])] == [*vocabulary.MEANT_BY[word]]
    assert all(glossary.explain(name) for name in found)


def test_tables_of_transports_have_names(command: Command) -> None:
    assert '  written:  transport.NAME.congestion_control.algorithm = "dcqcn"\n' in command("explain", "dcqcn").out
    assert command("explain", "transport.NAME.connections").out.startswith("transport.NAME.connections\n")


def test_columns_that_are_explained_stand_in_the_reference_of_results() -> None:
    page = (ROOT / "docs" / "summary.md").read_text()
    for name in {name for schema in vars(columns).values() if isinstance(schema, pa.Schema) for name in schema.names}:
        assert f"`{name}`" in page, name


def test_symbols_of_papers_are_explained_by_all_keys_that_have_them() -> None:
    for symbol in ("R_AI", "GO", "q_ref", "tau*", "path MTU"):
        having = {key.path for key in all_keys() if symbol in vocabulary.symbols(key.text)}
        assert {entry["path"] for entry in glossary.explain(symbol)} == having != set()


def test_measures_are_explained_by_what_tables_print_and_what_sweeps_take() -> None:
    for name in (table.measure_name(key) for key in (*comparison.MEASURES, *sweep.MEASURES)):
        assert [entry["family"] for entry in glossary.explain(name)] == ["measure"], name
    for key in (*comparison.MEASURES, *sweep.MEASURES):
        (entry,) = glossary.explain(key)
        assert (entry["measures"], bool(entry["about"])) == ([measures.anywhere(key)], True)


def test_every_key_is_described_where_it_can_be_explained() -> None:
    paths = {key.path for key in all_keys()}
    assert {"switch.marking.pool.ramp", "switch.marking.queue.minimum", "fluid.minimum"} <= paths
    assert "switch.marking.queue.lambda" not in paths


def all_keys() -> list[vocabulary.Described]:
    return [*vocabulary.keys(catalogue.schema()), *vocabulary.keys(catalogue.fluid_schema())]


def test_a_symbol_in_other_letters_is_found_where_there_is_no_other() -> None:
    assert {entry["symbol"] for entry in glossary.explain("k_MIN")} == {"K_min"}
    assert {entry["symbol"] for entry in glossary.explain("T")} == {"T"}


def test_a_word_is_answered_with_the_keys_that_speak_of_it(command: Command) -> None:
    found = json.loads(command("explain", "CNPs", "--json").out)
    assert found[0] == {"name": "host.cnp_delay", "about": "Time that the adapter takes to answer a mark with a CNP."}
    assert {"transport.cnp", "transport.control_priority"} <= {entry["name"] for entry in found}
    assert len(found) == len({entry["name"] for entry in found})
