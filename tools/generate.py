"""Writes what follows from descriptions in the code: the scenario file's schema, references of all files, of results.

`python tools/generate.py` writes; with `--check` it writes nothing and fails, with the difference, where a file is not
as it would be written.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import model_reference
from xoff.glossary import glossary
from xoff.reproduce import atlas_tables, paper_rows
from xoff.reproduce.atlas import find, shipped
from xoff.results.summary_keys import KEYS
from xoff.scenario import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parent.parent / "docs"

HEAD = """\
# The scenario file, key by key

Written by `tools/generate.py` from the comments of the simulator's structs; `make generate` writes it anew. The same
words come from `xoff explain KEY`. A quantity is text with a unit, such as `"100Gbps"`, `"1us"`, `"720kB"` (decimal) or
`"3MiB"` (binary). Of several tables of a list, such as `[[workload]]`, `workload.load` means the key of all, and
`workload[1].load` that of the second, counted from 0 (`--set`, `--sweep`, `Scenario.with_value`).
"""

FLUID = """\
## Fluid models

What `xoff fluid MODEL --set KEY=VALUE` takes; a scenario has none of these keys.
"""


class Table(NamedTuple):
    """A table of the scenario file: one section of the reference."""

    heading: str
    about: str
    variant: str | None
    keys: list[str]


class Walk:
    """Goes through the schema in the order of the file; a type used twice is described where it comes first."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.seen: set[str] = set()

    def tables(self) -> Iterator[Table]:
        """Every table."""
        yield Table("The whole file", self.schema["description"], None, list(self.schema["properties"]))
        for key, node in self.schema["properties"].items():
            yield from self.inside(key, node)

    def inside(self, path: str, node: dict[str, Any], within: str | None = None) -> Iterator[Table]:
        """The tables at a path and below it, which may be within one kind of a table."""
        reference = node.get("$ref")
        if reference in self.seen:
            return
        if reference:
            self.seen.add(reference)
            node = self.schema["$defs"][reference.rsplit("/", 1)[1]]
        for branch in node.get("anyOf", ()):
            yield from self.inside(path, branch, within)
        if isinstance(node.get("items"), dict):
            yield from self.inside(path, node["items"], within)
        if isinstance(node.get("additionalProperties"), dict):
            yield from self.inside(path, node["additionalProperties"], within)
        for variant in node.get("oneOf", ()):
            yield from self.variant(path, variant)
        if "properties" in node:
            yield from self.table(path, node, f"`{path}`", within)

    def variant(self, path: str, node: dict[str, Any]) -> Iterator[Table]:
        """One kind of a table that has several; words without keys of their own make none."""
        properties = node.get("properties", {})
        tag = next((key for key, value in properties.items() if "const" in value), None)
        if tag is not None:
            if only := node.get("x-only-at"):
                path = f"{path.rsplit('.', 1)[0]}.{only}"
            spelling = properties[tag]["const"]
            kept = {**node, "properties": {key: value for key, value in properties.items() if key != tag}}
            yield from self.table(path, kept, f'`{path}` with `{tag} = "{spelling}"`', spelling)

    def table(self, path: str, node: dict[str, Any], heading: str, variant: str | None) -> Iterator[Table]:
        """A table, then those within it."""
        keys = {f"{path}.{key}": value for key, value in node["properties"].items()}
        yield Table(heading, node.get("description", ""), variant, list(keys))
        for key, value in keys.items():
            yield from self.inside(key, value, variant)


def reference() -> str:
    """The reference as Markdown."""
    fluid = catalogue.fluid_schema()
    models = Walk(fluid).inside("fluid", fluid["properties"]["fluid"])
    return "\n".join([HEAD, *map(section, Walk(catalogue.schema()).tables()), FLUID, *map(section, models)])


def section(table: Table) -> str:
    """One table: what it is, then its keys."""
    lines = [f"## {table.heading}", "", plain(table.about), ""]
    if table.keys:
        lines += ["| key | takes | default | what it is |", "|---|---|---|---|"]
        lines += [row(key, table.variant) for key in table.keys]
        lines.append("")
    return "\n".join(lines)


def row(key: str, variant: str | None) -> str:
    """One key of a table."""
    found = glossary.explain(key)
    entry = next((entry for entry in found if variant in entry["of"]), found[0])
    default = "required" if entry["required"] else f"`{entry['default']}`" if entry["default"] else ""
    symbol = f" [{entry['symbol']}]" if entry["symbol"] else ""
    cells = (f"`{key.rsplit('.', 1)[-1]}`", entry["takes"], default, entry["about"] + symbol)
    return "| " + " | ".join(plain(cell).replace("|", "\\|") for cell in cells) + " |"


SUMMARY = DOCS / "summary.md"
OF_KEYS = re.compile(r"(?<=\| key \| unit \| meaning \|\n\|---\|---\|---\|\n)(\|.*\n)+")


def summary_page() -> str:
    """The page on what a run leaves, with the keys of `summary.json` as they are now."""
    rows = [
        f"| {', '.join(f'`{key}`' for key in entry.keys)} | {entry.unit or ''} "
        f"| {entry.about}{f' ({entry.source})' if entry.source else ''} |\n"
        for entry in KEYS
    ]
    return OF_KEYS.sub(lambda _: "".join(rows), SUMMARY.read_text(encoding="utf-8"), count=1)


VALIDATION = DOCS / "validation.md"
OF_ATLAS = re.compile(r"(?<=<!-- atlas -->\n).*(?=<!-- end of atlas -->)", re.DOTALL)


def validation_page() -> str:
    """The page on validation, with the tables of the atlas as figures have them now."""
    tables = atlas_tables.markdown(paper_rows.read(shipped()), find())
    return OF_ATLAS.sub(lambda _: f"\n{tables}\n\n", VALIDATION.read_text(encoding="utf-8"), count=1)


def plain(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split())


def generated() -> dict[Path, str]:
    """Every generated file with its text."""
    return {
        DOCS / "scenario.schema.json": json.dumps(catalogue.schema(), indent=2, ensure_ascii=False) + "\n",
        DOCS / "reference.md": reference(),
        DOCS / "plans.md": model_reference.plans(),
        DOCS / "sweeps.md": model_reference.sweeps(),
        SUMMARY: summary_page(),
        VALIDATION: validation_page(),
    }


def difference(path: Path, text: str) -> str:
    """Returns the difference between a file and its right text; empty if there is none."""
    present = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(present.splitlines(), text.splitlines(), str(path), "generated", lineterm="")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Writes, or checks and returns 1 if something differs."""
    if "--check" in arguments:
        changed = [found for path, text in generated().items() if (found := difference(path, text))]
        if changed:
            print(*changed, "what is generated has drifted; `make generate` writes it", sep="\n")
        return 1 if changed else 0
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
