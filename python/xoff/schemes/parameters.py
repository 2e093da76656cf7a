"""Parameters of a scheme: fields of a dataclass, as keys of a scenario with bounds and explanations."""

from __future__ import annotations

import dataclasses
import json
import operator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from xoff import _xoff
from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

_DIMENSIONS = {"time": "Span", "size": "Bytes", "rate": "Rate"}
"""Units of parameters, each with the simulator's type."""
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_BOUNDS = {"above": "exclusiveMinimum", "at_least": "minimum", "below": "exclusiveMaximum", "at_most": "maximum"}
_LEAST = {"above": "x-above", "at_least": "x-at-least"}
_WITHIN: dict[str, Callable[[Any, Any], bool]] = {
    "above": operator.gt,
    "at_least": operator.ge,
    "below": operator.lt,
    "at_most": operator.le,
}
_TAGS = ("algorithm", "policy", "kind")
"""Keys that name a scheme in scenarios, and so no parameter."""
_ABOUT = "about"
_LARGEST = 2**63 - 1


def parameter(
    default: Any = dataclasses.MISSING,  # noqa: ANN401 - of the field's type
    about: str = "",
    *,
    above: float | str | None = None,
    at_least: float | str | None = None,
    below: float | None = None,
    at_most: float | None = None,
    unit: Literal["time", "size", "rate"] | None = None,
    choices: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401 - dataclasses.field says the same
    """Returns a field of `Parameters` with what `xoff explain` says of it and the bounds that are checked.

    Args:
        default: Value where the scenario leaves the key out; left out, a scenario must set the key.
        about: One sentence, perhaps with the paper's symbol in brackets at the end.
        above: Largest number that is too small.
        at_least: Smallest number that is large enough.
        below: Smallest number that is too large.
        at_most: Largest number that is small enough.
        unit: For a field of type int: the key takes a quantity such as "5us", and the class gets it in picoseconds,
            bytes or bits per second. The default, and the bounds `above` and `at_least`, are such text, too.
        choices: For a field of type str: the words that it may be.
    """
    bounds = {"above": above, "at_least": at_least, "below": below, "at_most": at_most}
    metadata = {_ABOUT: about, "unit": unit, "choices": choices, "bounds": bounds}
    return dataclasses.field(default=default, metadata=metadata)


def schema(cls: type, namespace: dict[str, Any], file: str) -> dict[str, Any]:
    """Returns the JSON Schema of a dataclass of parameters. Raises InputError for a field that can be no key."""
    try:
        hints = get_type_hints(cls, namespace, dict(vars(cls)))
    except NameError as error:
        raise InputError(
            file, cls.__qualname__, f"its types cannot be read: {error}", "expected int or float"
        ) from None
    properties, required = {}, []
    for field in dataclasses.fields(cls):
        properties[field.name] = _key(field, hints[field.name], f"{cls.__qualname__}.{field.name}", file)
        if field.default is dataclasses.MISSING:
            required.append(field.name)
    found = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return found | ({"$defs": _quantities()} if any("$ref" in key for key in properties.values()) else {})


@cache
def _quantities() -> dict[str, Any]:
    """Returns the simulator's types of quantities, as its own keys have them."""
    types: dict[str, Any] = json.loads(_xoff.schema())["$defs"]
    return {name: types[name] for name in _DIMENSIONS.values()}


def _key(field: dataclasses.Field[Any], hint: object, place: str, file: str) -> dict[str, Any]:
    """Returns the schema of one field."""
    if field.name in _TAGS:
        raise InputError(file, place, "is the key that names a scheme", "expected another name")
    told = field.metadata
    unit, bounds = (
        told.get("unit"),
        {name: value for name, value in told.get("bounds", {}).items() if value is not None},
    )
    choices = told.get("choices") or (get_args(hint) if get_origin(hint) is Literal else ())
    key: dict[str, Any] = {"description": told.get(_ABOUT) or f"Parameter `{field.name}`."}
    if choices:
        key["oneOf"] = [{"const": word, "type": "string", "description": f"{word}."} for word in choices]
    elif unit is not None and hint is int:
        key["$ref"] = f"#/$defs/{_DIMENSIONS[unit]}"
        key |= {_LEAST[name]: value for name, value in bounds.items() if name in _LEAST}
    elif hint in _TYPES and isinstance(hint, type):
        key["type"] = _TYPES[hint]
        key |= {_BOUNDS[name]: value for name, value in bounds.items()}
        if hint is int:
            key.setdefault("minimum", -_LARGEST)
    else:
        shown = hint.__name__ if isinstance(hint, type) else str(hint)
        raise InputError(file, place, f"is of type {shown}", "expected int, float, bool or str")
    if field.default_factory is not dataclasses.MISSING:
        raise InputError(file, place, "has a default that is made", "expected a number, true, false or text")
    if field.default is not dataclasses.MISSING:
        key["default"] = default = _default(field.default, hint, unit, place, file)
        _check_bounds(default, bounds, unit, place, file)
        if choices and default not in choices:
            raise InputError(file, place, f"its default {default!r} is no choice", f"expected {' or '.join(choices)}")
    return key


def _default(default: object, hint: object, unit: str | None, place: str, file: str) -> object:
    """Returns a default as the schema has it."""
    if unit is not None:
        try:
            _xoff.quantity(unit, json.dumps(default))
        except InputError as error:
            raise InputError(file, place, f"its default: {error.problem}", error.expected) from None
        return default
    fits = (
        isinstance(default, int | float)
        if hint is float
        else isinstance(default, hint if isinstance(hint, type) else str)
    )
    if not fits or (isinstance(default, bool) and hint is not bool):
        shown = hint.__name__ if isinstance(hint, type) else "text"
        raise InputError(file, place, f"its default {default!r} does not fit", f"expected one of type {shown}")
    return float(default) if hint is float and isinstance(default, int | float) else default


def _check_bounds(default: object, bounds: dict[str, object], unit: str | None, place: str, file: str) -> None:
    """Raises InputError for a default that a scenario could not set."""

    def number(value: object) -> object:
        return value if unit is None else _xoff.quantity(unit, json.dumps(value))

    for name, bound in bounds.items():
        if not _WITHIN[name](number(default), number(bound)):
            told = f"{name.replace('_', ' ')} {bound}"
            raise InputError(file, place, f"its default {default!r} is not {told}", f"expected one {told}")


def read(cls: Any, settings: str, namespace: dict[str, Any]) -> tuple[str, object]:  # noqa: ANN401 - a dataclass
    """Returns the complete settings as JSON, and the parameters that they come to. The schema has been checked."""
    given: dict[str, Any] = json.loads(settings)
    complete, values = {}, {}
    hints = get_type_hints(cls, namespace, dict(vars(cls)))
    for field in dataclasses.fields(cls):
        value = complete[field.name] = given.get(field.name, field.default)
        unit = field.metadata.get("unit")
        if unit is not None:
            value = _xoff.quantity(unit, json.dumps(value))
        elif hints[field.name] is float:
            value = complete[field.name] = float(value)
        values[field.name] = value
    return json.dumps(complete), cls(**values)
