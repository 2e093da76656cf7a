"""Keys set in tables that a scenario leaves out: `switch.buffer.alpha=2` where there is no `buffer`.

Such a table begins as it is by default, so that what decides which keys it has need not be set with them.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from xoff import _xoff
from xoff.errors import ScenarioError
from xoff.scenario import catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping


def read(text: str, overrides: tuple[str, ...], file: str | None) -> tuple[_xoff.Scenario, tuple[str, ...]]:
    """Returns the checked scenario, and its changes behind the defaults that they begin with. Raises ScenarioError."""
    begun: dict[str, str] = {}
    while True:
        changes = (*(f"{place}={default}" for place, default in begun.items()), *overrides)
        try:
            return _xoff.Scenario(text, changes, file), changes
        except ScenarioError as error:
            place, _, tag = error.key.rpartition(".")
            default = _default(place, tag) if error.problem == "missing" and place not in begun else None
            if default is None or _stands(tomllib.loads(text), place):
                raise _with_default(error, begun) from None
            begun[place] = default


def _default(place: str, tag: str) -> str | None:
    """Returns the default of a table, in TOML; None if the key is of no table, or its default lacks `tag`."""
    try:
        defaults = [entry["default"] for entry in catalogue.described(place)]
    except ScenarioError:  # there is no such table
        return None
    tables = (default for default in defaults if default and default.startswith("{"))
    return next((table for table in tables if tag in tomllib.loads(f"table = {table}")["table"]), None)


def _stands(table: Any, place: str) -> bool:  # noqa: ANN401 as TOML has it
    """Whether a document has the key `place`; in a list, whether any of its tables has it."""
    name, _, rest = place.partition(".")
    inner = table.get(re.sub(r"\[\d+\]$", "", name)) if isinstance(table, dict) else None
    if inner is None or not rest:
        return inner is not None
    return any(_stands(each, rest) for each in (inner if isinstance(inner, list) else [inner]))


def _with_default(error: ScenarioError, begun: Mapping[str, str]) -> ScenarioError:
    """Adds to the error for an unknown key which default the table began with."""
    place = error.key.rpartition(".")[0]
    if place not in begun or not error.problem.startswith("unknown key"):
        return error
    expected = f"left out, `{place}` is {begun[place]}; {error.expected}"
    return ScenarioError(error.file, error.key, error.problem, expected)
