"""The source of a class that lives in a notebook or in an imported module, as the text of a file of its own."""

from __future__ import annotations

import ast
import linecache
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.schemes import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef)
_PLAIN = (int, float, str, bool, type(None), tuple)


def file_of(cls: type) -> tuple[str, str]:
    """Returns a file's name and text that define a class again. Raises InputError if its source cannot be found."""
    module = sys.modules.get(cls.__module__)
    path = getattr(module, "__file__", None)
    if cls.__module__ != "__main__" and path is not None and Path(path).suffix == ".py":
        text = Path(path).read_text(encoding="utf-8-sig")
        with suppress(InputError):
            rules.check(text, path)
            return Path(path).name, text
    parts: dict[str, str] = {}
    _add(cls.__name__, cls, vars(module) if module else {}, parts)
    return f"{cls.__name__}.py", "\n\n".join(["from __future__ import annotations", *parts.values()]) + "\n"


def _add(name: str, found: object, namespace: dict[str, object], parts: dict[str, str]) -> None:
    """Adds the text that defines a name, after the text of all that it names."""
    if name in parts:
        return
    parts[name] = ""  # lest it be followed in a circle
    text = _text(name, found, namespace, parts)
    del parts[name]
    parts[name] = text


def _text(name: str, found: object, namespace: dict[str, object], parts: dict[str, str]) -> str:
    if isinstance(found, ModuleType):
        return f"import {found.__name__}" if found.__name__ == name else f"import {found.__name__} as {name}"
    home = getattr(found, "__module__", None)
    if isinstance(found, type | FunctionType) and home == namespace.get("__name__"):
        text = _source(found)
        if text is None:
            problem = f"the source of `{name}` cannot be found"
            raise InputError(None, name, problem, "expected a class of a file, or of a notebook's cell")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and node.id in namespace and node.id != name:
                _add(node.id, namespace[node.id], namespace, parts)
        return text.rstrip()
    if isinstance(found, _PLAIN):
        return f"{name} = {found!r}"
    own_name = getattr(found, "__name__", None)
    if isinstance(home, str) and isinstance(own_name, str):
        renamed = "" if own_name == name else f" as {name}"
        return f"from {_public(home)} import {own_name}{renamed}"
    raise InputError(None, name, "is shared between flows", "expected numbers, text, functions and classes")


def _source(found: type | FunctionType) -> str | None:
    """Returns the source of a class or a function. Python itself finds no class of a notebook before 3.13."""
    functions = [found] if isinstance(found, FunctionType) else [*_functions(found)]
    lines = [function.__code__.co_firstlineno for function in functions[:1]]
    files = [function.__code__.co_filename for function in functions[:1]] or [*reversed(linecache.cache)]
    for file in files:
        text = "".join(linecache.getlines(file))
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        own = [node for node in tree.body if isinstance(node, _DEFINITIONS) and node.name == found.__name__]
        for node in reversed(own):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            # A name may be defined twice; the definition that is meant has the line of its first method.
            if any(not first <= line <= (node.end_lineno or line) for line in lines):
                continue
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return None


def _functions(cls: type) -> Iterator[FunctionType]:
    """Yields the methods that a class defines."""
    return (function for function in vars(cls).values() if isinstance(function, FunctionType))


def _public(home: str) -> str:
    """Returns the module that a scheme imports from in place of one inside of xoff."""
    return "xoff.schemes" if home.startswith("xoff.schemes.") else home
