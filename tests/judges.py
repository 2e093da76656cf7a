"""Programs and packages of others that judge what xoff writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def package(name: str) -> Any:  # noqa: ANN401
    """Imports a module of the dependency group dev, or skips the test."""
    try:
        return import_module(name)
    except ImportError:
        missing(f"{name} is not installed: make .venv/tools")


def program(name: str, debian: str) -> str:
    """Returns the path of a program, of the environment of Python or of Debian, or skips the test."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"])
    return shutil.which(name, path=path) or missing(f"{name} is not installed (Debian: {debian})")


def missing(what: str) -> NoReturn:
    """Skips the test; fails it under CI=true, where every judge is to be heard."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def refused_by_models(data: Path, models: Path, names: Iterable[str]) -> str:
    """Returns the messages of `yanglint` on data against YANG models in a folder; empty if the data is valid."""
    schemas = [str(models / f"{name}.yang") for name in names]
    yanglint = program("yanglint", "libyang-tools")
    command = [yanglint, "--quiet", "--type=config", f"--path={models}", *schemas, str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode or done.stderr else ""
