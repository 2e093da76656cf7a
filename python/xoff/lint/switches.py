"""Which files are one switch's: ConfigDB is often several, and the lookup table one of its own."""

from __future__ import annotations

from itertools import combinations
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from xoff.sonic import ConfigFile, PgProfileLookup

if TYPE_CHECKING:
    from collections.abc import Sequence

SwitchFile: TypeAlias = ConfigFile | PgProfileLookup


def parse(name: str, text: str) -> SwitchFile:
    """Reads `config_db.json` or, where the text does not look like JSON, `pg_profile_lookup.ini`.

    Raises:
        InputError: It is neither.
    """
    if name.endswith(".json") or text.lstrip().startswith("{"):
        return ConfigFile.parse(name, text)
    return PgProfileLookup.parse(name, text)


def by_switch(files: Sequence[SwitchFile]) -> list[tuple[SwitchFile, ...]]:
    """All files together where none contradicts another; else those of a folder; else each alone."""
    if _agree(files):
        return [tuple(files)]
    folders: dict[PurePath, list[SwitchFile]] = {}
    for file in files:
        folders.setdefault(PurePath(file.name).parent, []).append(file)
    return [part for its in folders.values() for part in ([tuple(its)] if _agree(its) else [(alone,) for alone in its])]


def _agree(files: Sequence[SwitchFile]) -> bool:
    """Whether no row stands in two of them with different values; two lookup tables are two switches'."""
    return not any(_contradict(one, other) for one, other in combinations(files, 2))


def _contradict(one: SwitchFile, other: SwitchFile) -> bool:
    if isinstance(one, ConfigFile) and isinstance(other, ConfigFile):
        return one.contradicts(other)
    return isinstance(one, PgProfileLookup) and isinstance(other, PgProfileLookup)
