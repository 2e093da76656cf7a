"""From the text of a Python file to a scheme that the simulator can use."""

from __future__ import annotations

import hashlib
import json
import linecache
import sys
import traceback
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import cleandoc
from types import ModuleType
from typing import TYPE_CHECKING, Any

from xoff import _xoff
from xoff.errors import InputError
from xoff.schemes import parameters, rules
from xoff.schemes.classes import KINDS, SUBCLASS, Scheme, meant, methods_of
from xoff.schemes.watching import TookTooLong, limited

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT = 64
"""Classes that are kept, lest each point of a sweep compile them again."""
_LIKE = "FILE.py:CLASS, such as my_control.py:MyControl"
_NAMES = {kind.family: kind.__name__ for kind in KINDS}


@dataclass(frozen=True)
class Described:
    """A class as the simulator asks for it."""

    cls: type[Scheme]
    file: str
    methods: dict[str, tuple[Any, tuple[str, ...]]]

    @cached_property
    def schema(self) -> str:
        """JSON Schema of its parameters, with its docstring."""
        namespace = vars(sys.modules[self.cls.__module__])
        found = parameters.schema(self.cls.Parameters, namespace, self.file)
        return json.dumps({"description": cleandoc(self.cls.__doc__ or f"{self.cls.__name__}."), **found})

    def explained(self, name: str) -> list[dict[str, Any]]:
        """Returns what `xoff explain` says of the scheme, under its name in scenarios, and of its keys."""
        found: list[dict[str, Any]] = json.loads(_xoff.explain_scheme(self.cls.family, name, self.schema))
        return found

    def read(self, settings: str) -> tuple[str, object]:
        """Returns the complete settings, as JSON, and the parameters of the class."""
        return parameters.read(self.cls.Parameters, settings, vars(sys.modules[self.cls.__module__]))


def split(name: str) -> tuple[str, str] | None:
    """Returns file and class of a name such as `my_control.py:MyControl`; None for a name of another kind."""
    file, colon, cls = name.rpartition(":")
    return (file, cls) if colon and file.endswith(".py") else None


def finder(read: Callable[[str], str]) -> Callable[[str, str], Described | None]:
    """Returns the function by which the simulator finds a scheme of a family by its name.

    Args:
        read: Returns the text of a file by its path in the scenario; may raise InputError.
    """

    def find(family: str, name: str) -> Described | None:
        if (found := split(name)) is None:
            if ":" in name or name.endswith(".py"):
                raise InputError(None, "", f'"{name}" names no class of a file', f"expected {_LIKE}")
            return None
        file, cls = found
        text = read(file)
        try:
            described = load(text, file, cls)
        except InputError as error:
            where = ", ".join(part for part in (error.file, error.key) if part)
            raise InputError(None, "", f"{where}: {error.problem}", error.expected) from None
        if described.cls.family != family:
            problem = f"`{cls}` is a {_NAMES[described.cls.family]}"
            raise InputError(
                None, "", f"{file}: {problem}", f"expected a subclass of xoff.schemes.{_NAMES[family]} here"
            )
        return described

    return find


@lru_cache(maxsize=_KEPT)
def load(text: str, file: str, cls: str) -> Described:
    """Returns a class of a file. Raises InputError, which names the line, if it cannot be used."""
    module = module_of(text, file)
    found = getattr(module, cls, None)
    known = classes_of(module)
    if not isinstance(found, type) or found not in known:
        names = [one.__name__ for one in known]
        problem = f"there is no scheme `{cls}`" if found is None else f"`{cls}` is no scheme"
        raise InputError(file, "", problem, f"{meant(cls, names)}expected {', '.join(names) or SUBCLASS}")
    described = Described(found, file, methods_of(found, file))
    described.schema  # noqa: B018 - raises for parameters that can be no keys
    return described


@lru_cache(maxsize=_KEPT)
def module_of(text: str, file: str) -> ModuleType:
    """Returns the module of a file's text, which no other module imports. Raises InputError."""
    tree = rules.check(text, file)
    digest = hashlib.sha256(f"{file}\n{text}".encode()).hexdigest()
    module = ModuleType(f"xoff_scheme_{digest[:16]}")
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[module.__name__] = module  # dataclasses look for their module here
    try:
        with limited():
            exec(compile(tree, file, "exec"), vars(module))
    except TookTooLong as error:
        problem = f"has not returned for {TookTooLong.seconds:g} s"
        raise InputError(file, line_of(error, file), problem, "expected a module that loads") from None
    except (Exception, SystemExit) as error:
        raise InputError(file, line_of(error, file), f"raises {named(error)}", "expected a module that loads") from None
    return module


def classes_of(module: ModuleType) -> list[type[Scheme]]:
    """Returns the schemes that a module defines."""
    found = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, KINDS)]
    return [one for one in found if one.__module__ == module.__name__]


def line_of(error: BaseException, file: str) -> str:
    """Returns the last line of a file that an exception has passed, as `line 3`; empty if there is none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"line {lines[-1]}" if lines else ""


def named(error: BaseException) -> str:
    """Returns an exception as one line: its type, and what it says."""
    return f"{type(error).__name__}: {error}".replace("\n", " ") if str(error) else type(error).__name__
