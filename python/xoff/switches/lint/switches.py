"""Files of one switch: ConfigDB is often in several, and the lookup table in one of its own."""

from __future__ import annotations

from itertools import combinations
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from xoff.errors import InputError
from xoff.switches.sonic import ConfigFile, PgProfileLookup
from xoff.switches.sonic.config_file import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SwitchFile: TypeAlias = ConfigFile | PgProfileLookup


def parse(name: str, text: str) -> SwitchFile:
    """Reads `config_db.json` or, where the text does not look like JSON, `pg_profile_lookup.ini`.

    Raises:
        InputError: It is neither.
    """
    if name.endswith(".json") or text.lstrip().startswith("{"):
        return ConfigFile.parse(name, text)
    if not name.endswith(".ini") and not _may_be_lookup(text):
        expected = "expected config_db.json or pg_profile_lookup.ini; what other systems have is written (xoff export)"
        raise InputError(name, "", "is no table of SONiC, and no others are read", expected)
    return PgProfileLookup.parse(name, text)


def _may_be_lookup(text: str) -> bool:
    """Whether the first row, if there is one, begins with a speed."""
    rows = (line.split() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return next((row[0].isdigit() for row in rows), True)


def by_switch(files: Sequence[SwitchFile]) -> list[tuple[SwitchFile, ...]]:
    """Groups files by switch: all together if no configs contradict one another, else by folder, else each alone.

    Where every folder has a config, each of several lookup tables is for that of its folder.
    """
    folders: dict[PurePath, list[SwitchFile]] = {}
    for file in files:
        folders.setdefault(PurePath(file.name).parent, []).append(file)
    is_told_by_folders = len(lookups_of(files)) > 1 and all(map(configs_of, folders.values()))
    if _are_one_switch(files) and not is_told_by_folders:
        return [tuple(files)]
    parts = folders.values()
    return [part for its in parts for part in ([tuple(its)] if _are_one_switch(its) else [(alone,) for alone in its])]


def without_config(switches: Sequence[Sequence[SwitchFile]]) -> list[str]:
    """Names of lookup tables that none of the configs which are there is held against."""
    if not any(map(configs_of, switches)):
        return []
    return [lookup.name for files in switches if not configs_of(files) for lookup in lookups_of(files)]


_CONTEXT = frozenset(
    {
        "DEVICE_METADATA",
        "PORT",
        "DEVICE_NEIGHBOR",
        "CABLE_LENGTH",
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
        "LOSSLESS_TRAFFIC_PATTERN",
    }
)
"""Tables that other tables are held against, and that say nothing of buffers, marks or pauses by themselves."""


def nothing_to_check(files: Iterable[SwitchFile]) -> bool:
    """Whether a switch's files have no row about buffers, marks or pauses."""
    return not any(map(_says_something, files))


def _says_something(file: SwitchFile) -> bool:
    if isinstance(file, PgProfileLookup):
        return bool(file.rows)
    return any(file.has_rows(table) for table in TABLES - _CONTEXT)


def _are_one_switch(files: Sequence[SwitchFile]) -> bool:
    """Whether there is a config, and no row stands in two of them with different values."""
    configs = configs_of(files)
    return bool(configs) and not any(one.contradicts(other) for one, other in combinations(configs, 2))


def configs_of(files: Iterable[SwitchFile]) -> list[ConfigFile]:
    """Returns the files of ConfigDB."""
    return [file for file in files if isinstance(file, ConfigFile)]


def lookups_of(files: Iterable[SwitchFile]) -> list[PgProfileLookup]:
    """Lookup tables."""
    return [file for file in files if isinstance(file, PgProfileLookup)]
