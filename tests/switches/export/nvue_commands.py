"""Commands of NVUE against a release's configuration schema, as the package `nvueschema` has it."""

from __future__ import annotations

import shlex
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

_PAIR = 2


def refused(text: str, schema: type[BaseModel]) -> list[str]:
    """Returns the commands that the schema refuses, each with the reason."""
    found = []
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:_PAIR] == ["nv", "set"]:
            reason = _refusal(words[_PAIR:], schema)
        else:
            reason = "" if words in ([], ["nv", "config", "apply"]) else "no command of NVUE"
        found += [f"{line}: {reason}"] if reason else []
    return found


def _refusal(words: list[str], schema: Any) -> str:  # noqa: ANN401
    """Follows a path of words through the schema: names of its fields, keys of its maps, and at the end a value."""
    schema = _without_none(schema)
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        if not words:
            return ""
        name, *rest = words
        fields = {field.alias or key: field for key, field in schema.model_fields.items()}
        return _refusal(rest, _whole(fields[name])) if name in fields else f"{name} is unknown"
    if get_origin(schema) is dict:
        value = get_args(schema)[1]
        names, rest = words[0].split(",") if words else [], words[1:]
        return next(filter(None, (_refusal(rest, value) for _ in names)), "" if names else "no key")
    if schema is Any:
        return "words too many" if words else ""
    if len(words) != 1:
        return f"{' '.join(words) or 'nothing'} is no value"
    try:
        TypeAdapter(schema).validate_python(int(words[0]) if words[0].isdigit() else words[0])
    except ValidationError as error:
        return error.errors()[0]["msg"]
    return ""


def _whole(field: Any) -> Any:  # noqa: ANN401
    """The annotation of a field, with the bounds that pydantic keeps beside it."""
    from typing import Annotated

    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _without_none(schema: Any) -> Any:  # noqa: ANN401
    if get_origin(schema) in (Union, UnionType):
        kinds = [kind for kind in get_args(schema) if kind is not type(None)]
        return _without_none(kinds[0]) if len(kinds) == 1 else schema
    return schema
