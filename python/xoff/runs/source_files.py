"""Source files of xoff that some of its modules load, and so may decide their results."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PACKAGE = Path(__file__).parents[1]


def files(modules: Iterable[str]) -> list[Path]:
    """Returns the files of some modules, and of all modules they load in turn, in order of their paths.

    Modules are given by their path in the package, such as `runs/execution`.
    """
    found: set[Path] = set()
    waiting = [_PACKAGE / f"{module}.py" for module in modules]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imports(file)
    return sorted(found)


def _imports(file: Path) -> Iterator[Path]:
    """Yields the files of xoff that a module imports at its top level, not for types alone and not in functions."""
    for line in ast.parse(file.read_bytes()).body:
        if isinstance(line, ast.ImportFrom) and line.module and line.module.partition(".")[0] == _PACKAGE.name:
            module = _PACKAGE.parent.joinpath(*line.module.split("."))
            named = [module / name.name for name in line.names]
            for path in named if module == _PACKAGE else [module, *named]:
                yield from filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py"))
