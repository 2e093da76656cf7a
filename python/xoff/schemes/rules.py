"""Rules of a scheme in Python, held against its source: no clock, no file, no randomness but what it is given."""

from __future__ import annotations

import ast

from xoff.errors import InputError

_MODULES = {
    "__future__",
    "abc",
    "array",
    "bisect",
    "collections",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "math",
    "numpy",
    "operator",
    "statistics",
    "typing",
    "xoff.schemes",
}
"""Modules whose functions give the same answer to the same question."""
_NAMES = {
    "__import__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "globals",
    "hash",
    "id",
    "input",
    "locals",
    "open",
    "vars",
}
"""Functions that reach outside, or whose answers differ from run to run."""
_ONLY = "a scheme knows no clock, no file and no randomness but `flow.random` and `draw`"
_TOLD = ", ".join(sorted(_MODULES - {"__future__"}))


def check(text: str, file: str) -> ast.Module:
    """Returns the syntax tree of a scheme's source. Raises InputError, at the line, for what it may not do."""
    try:
        tree = ast.parse(text, file)
    except SyntaxError as error:
        raise InputError(file, f"line {error.lineno}", f"is no Python: {error.msg}", "expected a class") from None
    except ValueError as error:
        raise InputError(file, "", f"is no Python: {error}", "expected a class") from None
    for node in ast.walk(tree):
        for problem, expected in _problems(node):
            raise InputError(file, f"line {getattr(node, 'lineno', 1)}", problem, expected)
    return tree


def _problems(node: ast.AST) -> list[tuple[str, str]]:
    """Returns what is wrong with a node of the tree."""
    match node:
        case ast.Import():
            imported = [name.name for name in node.names]
        case ast.ImportFrom():
            imported = ["." * node.level + (node.module or "")]
            if node.module == "numpy" and any(name.name == "random" for name in node.names):
                imported = ["numpy.random"]
        case ast.Name(id=name) if name in _NAMES:
            return [(f"names `{name}`", f"expected arithmetic: {_ONLY}")]
        case ast.Attribute(attr="random", value=ast.Name(id="np" | "numpy")):
            return [("uses numpy's random numbers", f"expected `flow.random`: {_ONLY}")]
        case ast.Global():
            return [
                (f"shares `{node.names[0]}` between flows", "expected state in `self`, which each flow has its own of")
            ]
        case _:
            return []
    return [(f"imports {name}", f"{_ONLY}; modules: {_TOLD}") for name in imported if not _is_allowed(name)]


def _is_allowed(name: str) -> bool:
    return name in _MODULES or (name.partition(".")[0] in _MODULES and not name.startswith("numpy.random"))
