"""The notebooks of examples/ run, and show what they showed."""

from __future__ import annotations

import ast
import json
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
    """Runs a cell. Returns the value of its last line, where that is an expression."""
    cell = ast.parse(source)
    last = cell.body.pop() if isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    plt.close("all")
    names: dict[str, Any] = {}
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
