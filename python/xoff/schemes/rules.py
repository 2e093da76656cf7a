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
_MUTABLE = {"Counter", "OrderedDict", "array", "bytearray", "defaultdict", "deque", "dict", "list", "set"}
"""Functions that make what can be changed; shared by flows, and by the runs of a process, it would be state."""
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
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for statement in (statement for body in bodies for statement in body):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value and _is_mutable(statement.value):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            problem = f"shares `{ast.unparse(target)}`, which can be changed, between flows and runs"
            raise InputError(file, f"line {statement.lineno}", problem, "expected state in `self`, or a tuple")
    return tree


def _is_mutable(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_mutable(left) or _is_mutable(right)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _MUTABLE
        case _:
            return False


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
