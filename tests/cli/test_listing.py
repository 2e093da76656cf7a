"""`xoff list` and `xoff explain`."""

import json
from collections.abc import Callable

import pytest

from conftest import Outcome
from xoff import catalogue, comparison, measures, sweeping, table, vocabulary

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
    ],
)
def test_explain(command: Command, matches_snapshot: Compare, name: str) -> None:
    matches_snapshot(command("explain", name).out)


def test_explain_as_json(command: Command) -> None:
    assert json.loads(command("explain", "dctcp", "--json").out)[0]["family"] == "congestion_control"


def test_explain_names_the_nearest(command: Command) -> None:
    outcome = command("explain", "dctpc")
    assert outcome.status == 2
    problem = "no key, no algorithm and no value has this name"
    assert outcome.err == f"dctpc: {problem}; did you mean `dctcp`? see `xoff list`\n"


def test_symbols_of_papers_are_explained_by_all_keys_that_have_them() -> None:
    for symbol in ("R_AI", "GO", "q_ref", "tau*", "path MTU"):
        having = {key.path for key in all_keys() if symbol in vocabulary.symbols(key.text)}
        assert {entry["path"] for entry in catalogue.explain(symbol)} == having != set()


def test_measures_are_explained_by_what_tables_print_and_what_sweeps_take() -> None:
    for name in (table.measure_name(key) for key in (*comparison.MEASURES, *sweeping.MEASURES)):
        assert [entry["family"] for entry in catalogue.explain(name)] == ["measure"], name
    for key in (*comparison.MEASURES, *sweeping.MEASURES):
        (entry,) = catalogue.explain(key)
        assert (entry["measures"], bool(entry["about"])) == ([measures.anywhere(key)], True)


def test_every_key_is_described_where_it_can_be_explained() -> None:
    paths = {key.path for key in all_keys()}
    assert {"switch.marking.pool.ramp", "switch.marking.queue.minimum", "fluid.minimum"} <= paths
    assert "switch.marking.queue.lambda" not in paths


def all_keys() -> list[vocabulary.Described]:
    return [*vocabulary.keys(catalogue.schema()), *vocabulary.keys(catalogue.fluid_schema())]


def test_a_symbol_in_other_letters_is_found_where_there_is_no_other() -> None:
    assert {entry["symbol"] for entry in catalogue.explain("k_MIN")} == {"K_min"}
    assert {entry["symbol"] for entry in catalogue.explain("T")} == {"T"}


def test_a_word_is_answered_with_the_keys_that_speak_of_it(command: Command) -> None:
    found = json.loads(command("explain", "CNPs", "--json").out)
    assert found[0] == {"name": "host.cnp_delay", "about": "What the adapter takes to answer a mark with a CNP."}
    assert {"transport.cnp", "transport.control_priority"} <= {entry["name"] for entry in found}
    assert len(found) == len({entry["name"] for entry in found})
