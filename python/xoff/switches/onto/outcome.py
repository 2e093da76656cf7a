"""Changes of tables: every field that changes, and settings of a scenario that the tables do not reach."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import unified_diff
from functools import cached_property, reduce
from operator import getitem
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.switches import scenario_values
from xoff.switches.lint.switches import configs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint import Finding
    from xoff.switches.lint.switches import SwitchFile
    from xoff.switches.onto.rows import Path
    from xoff.switches.scenario_values import Key, Value


class Put(NamedTuple):
    """A field that changes."""

    file: str
    path: Path
    before: str
    """Empty if it was not there."""
    after: str


class Undone(NamedTuple):
    """A key that the tables do not come to."""

    key: Key
    wanted: Value | None
    """None where the scenario does not have it."""
    now: Value | None

    @property
    def told(self) -> str:
        """Sentence with the scenario's value, and the value that the tables come to."""
        now = "say nothing of it" if self.now is None else f"come to {scenario_values.spelled(self.key, self.now)}"
        if self.wanted is None:
            return f"{self.key} is not in the scenario, and the tables {now}"
        return f"{self.key} = {scenario_values.spelled(self.key, self.wanted)} in the scenario, and the tables {now}"

    @property
    def followed(self) -> str:
        """Sentence for a scenario that has the value which the tables had before."""
        was = "left out" if self.wanted is None else scenario_values.spelled(self.key, self.wanted)
        now = "is left out" if self.now is None else f"becomes {scenario_values.spelled(self.key, self.now)}"
        return f"{self.key} {now}, too, and not {was} as in the scenario: one row says it of both"


@dataclass(frozen=True)
class Onto:
    """The tables of a switch with what a scenario says of it.

    Attributes:
        files: All of them, as they were and as they are to be.
        puts: Every field that changes.
        undone: What the scenario says and the tables do not.
        notes: What stays as it is at some ports, and what changes although the scenario has it as it was.
        findings: What is wrong with the new tables and was not with the old (`xoff lint`).
    """

    files: tuple[tuple[SwitchFile, SwitchFile], ...]
    puts: tuple[Put, ...]
    undone: tuple[Undone, ...]
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def diff(self) -> str:
        """Changes in the form of `diff -u`; empty if there are none."""
        return "".join(line for old, new in self.files for line in _diff(old, new))

    @property
    def texts(self) -> dict[str, str]:
        """The files as they are to be, by their names without a folder."""
        return {PurePath(new.name).name: new.text for _, new in self.files}

    @property
    def beside_config(self) -> list[str]:
        """Names of files that change and are not ConfigDB's."""
        return list(dict.fromkeys(put.file for put in self.puts if put.file not in self._configs))

    def json_patch(self) -> list[dict[str, Any]]:
        """Changes of ConfigDB for `config apply-patch` (RFC 6902): whole rows and tables anew."""
        documents = {new.name: json.loads(new.text) for _, new in self.files if new.name in self._configs}
        steps: dict[Path, dict[str, Any]] = {}
        for put in self.puts:
            if put.file in documents:
                path = put.path[: self._there(put.path) + 1]
                replaced = put.before and path == put.path
                value = reduce(getitem, path, documents[put.file])
                steps[path] = {"op": "replace" if replaced else "add", "path": _pointer(path), "value": value}
        return list(steps.values())

    def _there(self, path: Path) -> int:
        """Returns how many parts of a path are in the files; all of them if the path's row is there."""
        configs = configs_of(old for old, _ in self.files)
        found = max(sum(config.has(*path[:end]) for end in range(1, len(path))) for config in configs)
        return len(path) if found == len(path) - 1 else found

    @cached_property
    def _configs(self) -> set[str]:
        """Names of ConfigDB's files."""
        return {file.name for file in configs_of(old for old, _ in self.files)}


def _diff(old: SwitchFile, new: SwitchFile) -> Iterator[str]:
    return unified_diff(_lines(old.text), _lines(new.text), old.name, old.name)


def _lines(text: str) -> list[str]:
    ended = text if text.endswith("\n") else f"{text}\n"
    return ended.splitlines(keepends=True)


def _pointer(path: Path) -> str:
    """RFC 6901."""
    return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in path)
