"""References of the files that Pydantic models describe, from the docstrings of their keys."""

from __future__ import annotations

import json
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from xoff.studies.axes import Axis
from xoff.studies.sweep_file import SweepFile
from xoff.switches.plan import at_rate, file
from xoff.text.units import duration, size

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

PLANS = """\
# The plan file, key by key

Written by `tools/generate.py` from the docstrings of `python/xoff/switches/plan/file.py` and `at_rate.py`; `make
generate` writes it anew. Quantities are spelled as in scenarios, `"100Gbps"`, `"1us"`, `"720kB"` (decimal) or
`"3MiB"` (binary), and lengths as `"40m"`. `xoff plan --json` has the key of every row; by the same keys `printed` holds
what a paper prints.
"""

SWEEPS = """\
# The sweep file, key by key

Written by `tools/generate.py` from the docstrings of `python/xoff/studies/sweep_file.py` and `axes.py`; `make generate`
writes it anew. `xoff sweep FILE` runs such a file; [sweeps/](../sweeps) has some to start from, and
[docs/summary.md](summary.md) says what is left. One of them, [headroom_schemes.toml](../sweeps/headroom_schemes.toml):

```toml
EXAMPLE```
"""
EXAMPLE = Path(__file__).parent.parent / "sweeps" / "headroom_schemes.toml"

Tables: TypeAlias = "tuple[tuple[str, type[BaseModel]], ...]"
PLAN_TABLES: Tables = (
    ("The whole file", file.Plan),
    ("`[[ports]]`", file.Ports),
    ("`[[class]]`", file.Class),
    ("`[headroom]`", file.Headroom),
    ("`[watchdog]`", file.Watchdog),
    ('`[congestion]` with `scheme = "bcc"`', file.Bcc),
    ('`[congestion.at_rate.RATE]` with `scheme = "bcc"`', at_rate.PortThresholdAtRate),
    ('`[congestion]` with `scheme = "dcqcn"`', file.Dcqcn),
    ('`[congestion.at_rate.RATE]` with `scheme = "dcqcn"`', at_rate.RampAtRate),
    ('`[congestion]` with `scheme = "dctcp"`', file.Dctcp),
    ('`[congestion.at_rate.RATE]` with `scheme = "dctcp"`', at_rate.ThresholdAtRate),
    ('`[congestion]` with `scheme = "qcn"`', file.Qcn),
    ('`[congestion]` with `scheme = "hpcc"`', file.Hpcc),
)
SWEEP_TABLES: Tables = (("The whole file", SweepFile), ("`[axes.NAME]`", Axis))
_WORDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "object": "a table"}
_FORMATS = {"ratio": 'a number, or a fraction such as "1/16"'}


def plans() -> str:
    """The reference of the plan file as Markdown."""
    return _markdown(PLANS, PLAN_TABLES)


def sweeps() -> str:
    """The reference of the sweep file as Markdown."""
    return _markdown(SWEEPS.replace("EXAMPLE", EXAMPLE.read_text(encoding="utf-8")), SWEEP_TABLES)


def _markdown(head: str, tables: Tables) -> str:
    return "\n".join([head, *(_section(heading, model) for heading, model in tables)])


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
            return f"`{json.dumps(values)}`"
    return ""


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
