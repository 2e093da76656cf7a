"""TOML files described by a Pydantic model; an error in one is a line with file, key and remedy."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Generic, TypeAlias, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from xoff import _xoff
from xoff.errors import ErrorKind, InputError, ScenarioError, unfit
from xoff.text import text_file, toml_text
from xoff.text.line import is_line, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails


class Table(BaseModel):
    """A table of a TOML file: only the keys of the model, each with its docstring as its description."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def _of_one_line(text: str) -> str:
    if not is_line(text):
        raise unfit(f"{quoted(text)} has control characters or several lines", "expected one line of text")
    return text


Line: TypeAlias = Annotated[str, AfterValidator(_of_one_line)]
"""Text of one line, such as a title or a name."""

Model = TypeVar("Model", bound=Table)
_OF_SCENARIOS = "topology"
"""Key that every scenario has, and no other kind of file."""


@dataclass(frozen=True)
class Kind(Generic[Model]):
    """A kind of TOML file, such as plans or sweep files."""

    model: type[Model]
    """Model of the whole file."""
    refusal: type[InputError]
    """Error for a file of this kind that cannot be used."""
    start: str
    """Hint in errors: a file of this kind to start from."""
    schemes: Mapping[str, Mapping[str, type[Table]]] = field(default_factory=dict)
    """Models by key of a table and its `scheme`, for tables whose keys depend on that scheme."""

    def load(self, path: Path, changes: Sequence[str] = ()) -> Model:
        """Reads a file, and changes each key that `changes` names (`KEY=VALUE`). Raises the refusal."""
        text = text_file.read(path, str(path), remedy=self.start, refusal=self.refusal)
        return self.parse(text, str(path), changes)

    def parse(self, text: str, file: str | None = None, changes: Sequence[str] = ()) -> Model:
        """Parses the text of a file, and applies `changes` (`KEY=VALUE`). Raises the refusal."""
        try:
            table = self._schema.changed(text, changes) if changes else toml_text.parse(text)
        except ScenarioError as error:
            raise self.refusal(file, error.key, error.problem, error.expected, error.kind, error.candidates) from None
        if _OF_SCENARIOS in table:
            raise self.refusal(file, _OF_SCENARIOS, "is a key of scenarios, which xoff run takes", self.start)
        try:
            return self.model.model_validate(table)
        except ValidationError as error:
            raise self._refused(file, error.errors()[0]) from None

    @cached_property
    def _schema(self) -> _xoff.FileSchema:
        """The model's schema, along which the simulator makes changes."""
        return _xoff.FileSchema(json.dumps(self.model.model_json_schema()))

    def _refused(self, file: str | None, error: ErrorDetails) -> InputError:
        key = self._key(error["loc"])
        match error["type"]:
            case "extra_forbidden":
                near, known = self._keys(error["loc"])
                expected = f"expected {near[0] if near else f'one of {known}'}"
                return self.refusal(file, key, "there is no such key", expected, ErrorKind.UNKNOWN_KEY, near)
            case "missing":
                expected = f"expected {self._asked(error['loc'])}"
                return self.refusal(file, key, "is missing", expected, ErrorKind.MISSING_KEY)
            case "too_short" | "too_long" as wrong:
                bound = error["ctx"]["min_length" if wrong == "too_short" else "max_length"]
                expected = f"expected at {'least' if wrong == 'too_short' else 'most'} {_entries(bound)}"
                problem = f"has {_entries(len(error['input']))}"
                return self.refusal(file, key, problem, expected, ErrorKind.OUT_OF_RANGE)
            case "union_tag_not_found" | "union_tag_invalid" as wrong:
                is_missing = wrong == "union_tag_not_found"
                problem = "is missing" if is_missing else "there is no such scheme"
                kind = ErrorKind.MISSING_KEY if is_missing else ErrorKind.UNKNOWN_NAME
                schemes = ", ".join(self.schemes[str(error["loc"][-1])])
                return self.refusal(file, f"{key}.scheme", problem, f"expected one of {schemes}", kind)
        problem, expected = said(error)
        if expected:
            return self.refusal(file, key, problem, expected)
        if error["type"] == "value_error" and "expected " not in problem:
            return self.refusal(file, key, problem)
        return self.refusal(
            file, key, f"{_spelled(error['input'])} is not allowed", f"expected {_expected(error, problem)}"
        )

    def _key(self, location: tuple[int | str, ...]) -> str:
        key = ""
        for before, part in zip(("", *location), location, strict=False):
            if part in self.schemes.get(str(before), ()) or part == "[key]":  # no key of the file
                continue
            key += f"[{part}]" if isinstance(part, int) else f".{part}"
        return key.removeprefix(".")

    def _asked(self, location: tuple[int | str, ...]) -> str:
        """Returns the kind of value that a key takes, and the key's description."""
        key = str(location[-1])
        field = self._fields(location)[key]
        inner, *_ = [of for of in get_args(field.annotation) if of is not str] or [None]
        is_table = isinstance(inner, type) and issubclass(inner, Table)
        brackets = "[[{}]]" if get_origin(field.annotation) is tuple else "[{}]"
        kind = f"a table {brackets.format(key)}" if is_table else "a value"
        return f"{kind}: {_phrase(field.description)}" if field.description else kind

    def _keys(self, location: tuple[int | str, ...]) -> tuple[list[str], str]:
        """Returns the known key nearest to a misspelt one, if any is near, and all keys of its table as a text."""
        known = list(self._fields(location))
        return get_close_matches(str(location[-1]), known, 1, 0.6), ", ".join(known)

    def _fields(self, location: tuple[int | str, ...]) -> dict[str, FieldInfo]:
        """Returns the keys of the innermost table at a location, by name."""
        model: type[Table] = self.model
        for before, part in zip(("", *location), location[:-1], strict=False):
            schemes, inner = self.schemes.get(str(before), {}), _by_key(model).get(str(part))
            model = schemes.get(str(part)) or (_table_in(inner.annotation) if inner else None) or model
        return _by_key(model)


def _by_key(model: type[Table]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _table_in(annotation: object) -> type[Table] | None:
    """Returns the table model inside an annotation; None if the key takes no table."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    return next(filter(None, map(_table_in, get_args(annotation))), None)


def _phrase(description: str) -> str:
    """Returns a field's documentation as part of a sentence, without a paper's symbol."""
    text = re.sub(r" \[[^]]*\]", "", " ".join(description.split()))
    return text[:1].lower() + text[1:].removesuffix(".")


def said(error: ErrorDetails) -> tuple[str, str]:
    """Returns the problem that a validator found, and the expected value, which may be empty."""
    refused = error.get("ctx", {}).get("error")
    if isinstance(refused, InputError):
        return refused.problem, refused.expected
    return error["msg"].removeprefix("Value error, "), ""


_KINDS = {
    "tuple_type": "a list",
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "model_type": "a table",
    "dict_type": "a table",
}


def _spelled(value: object) -> str:
    """Returns a value as TOML spells it; of tables and lists only the kind."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return json.dumps(value, default=str, ensure_ascii=False)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _expected(error: ErrorDetails, problem: str) -> str:
    """Returns the value that a validator expects, in xoff's words where there are some, else in Pydantic's."""
    expected = problem.rpartition("expected ")[2].removeprefix("Input should be ").replace("String should", "text to")
    return _KINDS.get(error["type"], f"a value {expected}" if expected.startswith(("greater", "less")) else expected)
