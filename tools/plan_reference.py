"""The reference of the plan file, from the docstrings of its keys."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from xoff.plan import file
from xoff.units import duration, size

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

HEAD = """\
# The plan file, key by key

Written by `tools/generate.py` from the docstrings of `python/xoff/plan/file.py`; `make generate` writes it anew.
Quantities are spelled as in scenarios, `"100Gbps"`, `"1us"`, `"720kB"` (decimal) or `"3MiB"` (binary), and lengths as
`"40m"`. `xoff plan --json` has the key of every row; by the same keys `printed` holds what a paper prints.
"""

TABLES: tuple[tuple[str, type[BaseModel]], ...] = (
    ("The whole file", file.Plan),
    ("`[[ports]]`", file.Ports),
    ("`[[class]]`", file.Class),
    ("`[headroom]`", file.Headroom),
    ('`[congestion]` with `scheme = "bcc"`', file.Bcc),
    ('`[congestion]` with `scheme = "dcqcn"`', file.Dcqcn),
    ('`[congestion]` with `scheme = "dctcp"`', file.Dctcp),
    ('`[congestion]` with `scheme = "qcn"`', file.Qcn),
    ('`[congestion]` with `scheme = "hpcc"`', file.Hpcc),
)
_WORDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "object": "a table"}
_FORMATS = {"ratio": 'a number, or a fraction such as "1/16"'}


def markdown() -> str:
    """The reference as Markdown."""
    return "\n".join([HEAD, *(_section(heading, model) for heading, model in TABLES)])


def _section(heading: str, model: type[BaseModel]) -> str:
    lines = [f"## {heading}", "", _plain(model.__doc__ or ""), ""]
    lines += ["| key | takes | default | what it is |", "|---|---|---|---|"]
    schema = model.model_json_schema(mode="validation")
    for name, field in model.model_fields.items():
        if name == "scheme" and model is not file.Headroom:
            continue
        key = field.alias or name
        takes = _takes(schema["properties"][key], schema)
        lines.append(f"| `{key}` | {takes} | {_default(field, takes)} | {_plain(field.description or '')} |")
    return "\n".join([*lines, ""])


def _takes(node: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    for alternatives in ("anyOf", "oneOf"):
        if alternatives in node:
            return next(_takes(branch, schema) for branch in node[alternatives] if branch.get("type") != "null")
    if "enum" in node:
        return " or ".join(f'"{value}"' for value in node["enum"])
    if "format" in node:
        return _FORMATS.get(node["format"], f"a {node['format']}")
    if node.get("type") == "array":
        return f"a list, each {_takes(node['items'], schema)}"
    return _WORDS.get(str(node.get("type")), "text in quotes")


def _default(field: FieldInfo, takes: str) -> str:
    if field.is_required():
        return "required"
    match field.default:
        case None | dict():
            return ""
        case StrEnum() | str() as text:
            return f'`"{text}"`'
        case bool() as truth:
            return f"`{str(truth).lower()}`"
        case int() as value if takes == "a size":
            return size(value)
        case int() as value if takes == "a time":
            return duration(value / 1e6)
        case int() | float() | Fraction() as value:
            return f"{value}"
        case tuple() as values:
            return f"`{list(values)}`"
    return ""


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
