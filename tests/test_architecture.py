"""Which parts of xoff may know of which: dependencies point one way."""

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
    "changes": "",
    "columns": "",
    "crossing": "_xoff columns",
    "cores": "",
    "errors": "",
    "ethernet": "",
    "figure_format": "",
    "imported": "",
    "intervals": "",
    "json_text": "",
    "measured": "",
    "patterns": "_xoff",
    "pauses": "",
    "planning": "_xoff",
    "provenance": "",
    "critical_path": "",
    "result": "later: _xoff crossing folder plot report topology victims why",
    "summary": "",
    "summary_keys": "",
    "toml_text": "",
    "units": "",
    "vocabulary": "",
    "batch": "errors",
    "inputs": "errors",
    "measures": "errors summary_keys later: table",
    "bounds": "errors measures",
    "drops": "columns units",
    "notes": "_xoff units later: columns",
    "observed": "summary",
    "offered": "units",
    "pathologies": "units",
    "pause_tree": "units",
    "ranges": "errors",
    "slowdowns": "summary",
    "sonic": "errors",
    "staging": "errors",
    "starters": "errors",
    "table": "summary summary_keys units",
    "topology": "units later: plot",
    "traffic": "errors",
    "alike": "table",
    "catalogue": "_xoff errors measures starters vocabulary later: columns plan",
    "execution": "columns cores inputs measured observed provenance result summary",
    "model_file": "changes inputs",
    "models": "_xoff errors json_text staging toml_text later: plot",
    "result_files": "errors inputs units",
    "victims": "_xoff columns pause_tree pauses",
    "axes": "errors model_file ranges toml_text",
    "defaults": "_xoff catalogue errors",
    "lint": "_xoff catalogue errors ethernet planning sonic",
    "summary_check": "measures result_files",
    "folder": "columns inputs json_text result_files staging summary summary_check later: report result",
    "comparison_by_size": "folder intervals slowdowns summary",
    "importing": "errors lint planning sonic toml_text",
    "scenario": "_xoff defaults errors inputs notes offered toml_text topology later: execution export report",
    "said": "_xoff errors scenario",
    "trimmable": "",
    "why": "columns critical_path errors said scenario",
    "__init__": "_xoff errors scenario topology",
    "kept": "_xoff errors folder imported staging",
    "plan": "_xoff catalogue errors ethernet model_file models planning scenario",
    "onto": "errors importing lint said trimmable",
    "switch_tables": "catalogue errors importing inputs lint onto",
    "unfinished": "folder",
    "export": "catalogue errors ethernet plan planning said sonic trimmable",
    "grids": "alike axes measures table traffic unfinished units",
    "wanted": "batch kept",
    "comparison": (
        "comparison_by_size errors figure_format folder intervals json_text measures scenario staging summary traffic "
        "unfinished wanted later: grids plot report"
    ),
    "sweeping": (
        "axes comparison_by_size errors figure_format folder intervals json_text measures scenario staging summary "
        "unfinished wanted later: grids plot report"
    ),
    "switch_plan": "errors export inputs plan toml_text later: report",
    "tuning": (
        "axes batch bounds comparison errors figure_format folder intervals json_text kept measures ranges scenario "
        "staging summary toml_text traffic unfinished units later: grids plot report"
    ),
    "plot": (
        "_xoff axes comparison comparison_by_size critical_path patterns pause_tree slowdowns summary table tuning "
        "units victims"
    ),
    "sweep_file": "axes errors inputs measures model_file scenario sweeping toml_text",
    "report": "drops pathologies plot table units why",
    "reproduce": "axes errors folder inputs intervals json_text model_file plot scenario staging summary toml_text",
    "cli": (
        "_xoff batch catalogue comparison cores errors export figure_format folder grids json_text kept measured "
        "notes observed pathologies patterns reproduce scenario starters table tuning units later: axes bounds "
        "critical_path drops lint measures models pause_tree plan plot report result summary sweep_file sweeping "
        "switch_tables why"
    ),
    "__main__": "cli",
}
"""A module loads only what stands above it; what follows `later:`, a function of it brings once that is asked for.

Names for types alone are free.
"""


def imports(tree: ast.AST, *, later: bool = False) -> Iterator[tuple[str, bool]]:
    """What of xoff is imported, each with whether a function does it, when it is called."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            package, *inside = node.module.split(".")
            names = inside[:1] or [name.name for name in node.names]
            yield from ((name, later) for name in names if package == "xoff")
        yield from imports(node, later=later or isinstance(node, ast.FunctionDef))


def imports_of(module: str) -> set[tuple[str, bool]]:
    inside = PACKAGE / module
    files = inside.rglob("*.py") if inside.is_dir() else [inside.with_suffix(".py")]
    found = {one for file in files for one in imports(ast.parse(file.read_bytes())) if one[0] != module}
    return {(name, later) for name, later in found if not later or (name, False) not in found}


def allowed(module: str) -> set[tuple[str, bool]]:
    loaded, _, later = MAY_IMPORT[module].partition("later:")
    return {(name, False) for name in loaded.split()} | {(name, True) for name in later.split()}


def test_every_module_has_a_line() -> None:
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert modules == set(MAY_IMPORT)


@pytest.mark.parametrize("module", MAY_IMPORT)
def test_a_module_imports_what_its_line_says_and_nothing_else(module: str) -> None:
    assert imports_of(module) == allowed(module)


def test_a_module_loads_only_what_stands_above_it() -> None:
    above = {"_xoff"}
    for module in MAY_IMPORT:
        assert {name for name, later in allowed(module) if not later} <= above, module
        above.add(module)
