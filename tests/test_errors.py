"""Errors carry their kind, key and candidates; no code decides by their sentences."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import xoff
from xoff.errors import ErrorKind, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(xoff.__file__).parent
SENTENCES = {"problem", "expected"}
"""Attributes of errors that are sentences."""
READERS = {
    "startswith",
    "endswith",
    "partition",
    "rpartition",
    "split",
    "find",
    "index",
    "removeprefix",
    "removesuffix",
}
"""Methods of text that take it apart."""
LEFT_OUT = {"trial.problem"}
"""Reason for which a trial of a search could not be run, which is no error of the user's."""

LEAST = """
topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
transport.r.kind = "roce"
workload = [{ kind = "permutation", transport = "r", size = "50kB" }]
"""


def is_sentence(node: ast.AST) -> bool:
    """Whether an expression is a sentence of an error: `error.problem`, `error.expected`, `str(error)`."""
    match node:
        case ast.Attribute(attr=attribute):
            return attribute in SENTENCES and "expected." not in ast.unparse(node) and ast.unparse(node) not in LEFT_OUT
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id="error" | "refused" | "failure")]):
            return True
        case _:
            return False


def decisions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields the places that compare a sentence, look into it, or take it apart."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                of_it: list[ast.AST] = [left, *others]
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in READERS:
                of_it = [value]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=arguments):
                of_it = [*arguments]
            case ast.Match(subject=subject):
                of_it = [subject]
            case _:
                continue
        if any(map(is_sentence, of_it)):
            yield node


def test_no_code_decides_by_the_sentences_of_an_error() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined] # expressions have one
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in decisions(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "decide by kind, key and candidates"


def test_the_law_sees_what_it_forbids() -> None:
    for code in (
        'error.problem == "missing"',
        'error.problem.startswith("unknown key")',
        '"see" in error.expected',
        're.findall("`(.+)`", error.expected)',
        'str(error).partition("; ")',
    ):
        assert list(decisions(ast.parse(code))), code


@pytest.mark.parametrize(
    ("change", "kind", "key", "candidates"),
    [
        ("switch.bufer=1", ErrorKind.UNKNOWN_KEY, "switch[0].bufer", ("buffer",)),
        ("workload.transport=q", ErrorKind.UNKNOWN_NAME, "workload[0].transport", ()),
        ("topology.kind=sta", ErrorKind.UNKNOWN_NAME, "topology.kind", ("star",)),
        ("topology.hosts=", ErrorKind.MISSING_KEY, "topology.hosts", ()),
        ("topology.hosts=four", ErrorKind.WRONG_TYPE, "topology.hosts", ()),
        ("topology.hosts=0", ErrorKind.OUT_OF_RANGE, "topology.hosts", ()),
        ("seed", ErrorKind.SYNTAX, "--set seed", ()),
        ("workload.size=0B", ErrorKind.OUT_OF_RANGE, "workload[0].size", ()),
    ],
)
def test_an_error_of_the_simulator_tells_kind_key_and_candidates(
    change: str, kind: ErrorKind, key: str, candidates: tuple[str, ...]
) -> None:
    with pytest.raises(xoff.ScenarioError) as refused:
        xoff.Scenario(LEAST, overrides=(change,))
    assert (refused.value.kind, refused.value.key, refused.value.candidates) == (kind, key, candidates)


def test_an_error_goes_to_another_process_whole() -> None:
    error = InputError("a.toml", "switch.alfa", "unknown key", "known keys: `alpha`", ErrorKind.UNKNOWN_KEY, ["alpha"])
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.kind, copy.candidates) == (str(error), ErrorKind.UNKNOWN_KEY, ("alpha",))


def test_other_words_leave_what_an_error_is() -> None:
    error = xoff.ScenarioError(None, "switch.alfa", "unknown key", "", ErrorKind.UNKNOWN_KEY, ["alpha"])
    reworded = error.reworded(problem="unknown key (with seed = 2)")
    assert str(reworded) == "switch.alfa: unknown key (with seed = 2)"
    assert (reworded.kind, reworded.candidates) == (error.kind, error.candidates)
