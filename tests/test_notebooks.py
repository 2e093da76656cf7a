"""The notebooks of examples/ run, and show what they showed."""

from __future__ import annotations

import ast
import json
import linecache
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import xoff
from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def run(source: str, names: dict[str, Any]) -> object:
    """Runs a cell. Returns the value of its last line, where that is an expression.

    Python finds the source of a class in a cell as it does in Jupyter: by the file that each cell is.
    """
    cell, file = ast.parse(source), f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    last = cell.body.pop() if isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, file, "exec"), names)
    return eval(compile(ast.Expression(last.value), file, "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    plt.close("all")
    notebook = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", notebook)
    names: dict[str, Any] = vars(notebook)
    with mpl.rc_context({"backend": "agg"}):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] != "code":
                continue
            value = run("".join(cell["source"]), names)
            shown = [data for output in cell["outputs"] for data in output["data"].items()]
            html = ["".join(text) for kind, text in shown if kind == "text/html"]
            if isinstance(value, xoff.Comparison | xoff.Swept):
                assert value._repr_html_() == html[0]
            pictures = len(plt.get_fignums()) + isinstance(value, Figure)
            assert pictures == sum(kind == "image/png" for kind, _ in shown)
            plt.close("all")


def test_there_are_some() -> None:
    assert NOTEBOOKS
