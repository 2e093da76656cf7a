"""Wings of xoff's Python, and which wing may know of which: dependencies point one way."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import xoff

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(xoff.__file__).parent

MAY_IMPORT = {
    "errors": "",
    "text": "errors",
    "starters": "errors",
    "schemes": "errors",
    "scenario": "errors text schemes",
    "results": "errors text scenario",
    "runs": "errors text schemes scenario results",
    "formats": "errors text scenario results",
    "explain": "errors text scenario results",
    "plot": "text scenario results explain",
    "report": "text results explain plot",
    "studies": "errors text schemes scenario results runs plot",
    "fluid": "errors text results runs plot",
    "switches": "errors text scenario results fluid",
    "glossary": "errors starters scenario results switches",
    "reproduce": "errors text scenario results runs plot report studies",
    "cli": (
        "errors text starters schemes scenario results formats runs explain plot report studies fluid switches "
        "glossary reproduce"
    ),
    "__init__": "errors schemes scenario results formats runs studies fluid switches",
    "__main__": "cli",
}
"""Wings from the lowest to the highest, each with the lower ones that it imports.

An import counts wherever it stands: at the top of a module, in a function, or for types alone. Every wing may import
the extension, `_xoff`.
"""

FACADE = "facade"
"""The one module that points up, and so stands in no wing.

`Scenario.run`, `Result.plot` and the like are methods of classes that every wing works with, and do the work of a
higher wing. The wings of these classes call the facade, which imports the higher wing when it is called.
"""
CALL_THE_FACADE = {"scenario", "results"}


def imports(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Yields the statements that import from xoff, functions and blocks for types included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "xoff":
            yield node
        assert not (isinstance(node, ast.Import) and any(each.name.startswith("xoff.") for each in node.names))


def imported_by(part: str) -> set[str]:
    """Returns the wings, and files beside them, that a part of the package imports."""
    inside = PACKAGE / part
    files = inside.rglob("*.py") if inside.is_dir() else [inside.with_suffix(".py")]
    found: set[str] = set()
    for line in (line for file in files for line in imports(ast.parse(file.read_bytes()))):
        _, *path = (line.module or "").split(".")
        found |= set(path[:1] or [name.name for name in line.names])
    return found - {part, "_xoff"}


def test_every_folder_and_file_has_a_place() -> None:
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts == {*MAY_IMPORT, FACADE}


@pytest.mark.parametrize("wing", MAY_IMPORT)
def test_a_wing_imports_what_its_line_says_and_nothing_else(wing: str) -> None:
    assert imported_by(wing) - {FACADE} == set(MAY_IMPORT[wing].split())


def test_a_wing_imports_only_lower_ones() -> None:
    lower: set[str] = set()
    for wing, names in MAY_IMPORT.items():
        assert set(names.split()) <= lower, wing
        lower.add(wing)


def test_only_the_wings_of_public_classes_call_the_facade() -> None:
    assert {wing for wing in MAY_IMPORT if FACADE in imported_by(wing)} == CALL_THE_FACADE


def test_the_facade_only_passes_calls_on() -> None:
    _, *body = ast.parse((PACKAGE / f"{FACADE}.py").read_bytes()).body
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    others = [ast.unparse(node).splitlines()[0] for node in body if node not in functions]
    assert others == ["from __future__ import annotations", "from typing import TYPE_CHECKING", "if TYPE_CHECKING:"]
    for function in functions:
        docstring, brought, passed_on = function.body
        assert isinstance(docstring, ast.Expr)
        assert isinstance(brought, ast.ImportFrom)
        assert isinstance(passed_on, ast.Return)


def test_the_simulator_reads_all_toml() -> None:
    """Python's own parser takes other files: it knows no TOML 1.1, and no bound on how deep tables are nested."""
    assert [path for path in PACKAGE.rglob("*.py") if "tomllib" in path.read_text(encoding="utf-8")] == []
