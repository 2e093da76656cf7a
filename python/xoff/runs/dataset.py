"""Datasets: runs as Parquet files that pyarrow, pandas, Polars and DuckDB read as one table.

```text
DIR/dataset.json                                       axes, units, and the scenario of which runs are variations
DIR/runs/workload.load=0.8/seed=1/DIGEST.parquet       one row: measures and provenance
DIR/flows/workload.load=0.8/seed=1/DIGEST.parquet      the run's flows.parquet
```

Folders have names as Hive gives them to partitions: the position on each axis, then the seed.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from xoff.errors import InputError, OutputError, ScenarioError
from xoff.results import columns, folder, folder_files
from xoff.results.whole_file import written_whole
from xoff.runs import dataset_rows
from xoff.text import json_text, toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xoff.runs.store import KeptRuns
    from xoff.scenario.scenario import Scenario

FILE = "dataset.json"
RUNS, FLOWS = "runs", "flows"
_FORMAT = 1
_SEED = "seed"
_DIGITS = 16
"""Digits of a scenario's digest in the name of a file: 64 bits."""
_LONGEST = 255
"""Most bytes of a folder's name."""
_EMPTY = "__HIVE_DEFAULT_PARTITION__"
"""Hive's name for an empty position."""
_IN_POSITIONS = re.compile(r"[\x00-\x1f\x7f\"#%'*/:<=>?\\^{|}\[\]]")
"""Characters of a position that Hive escapes, or that some system allows in no name."""
_IN_AXES = re.compile(r"[\x00-\x1f\x7f\"%*/:<=>?\\|]")
"""Characters of an axis that are escaped: as few as can be, since Polars and DuckDB take none of them back."""
_AS_SMALL_AS_CAN_BE: dict[str, Any] = {
    "compression": "none",
    "use_dictionary": False,
    "write_statistics": False,
    "store_schema": False,
}
"""Settings of a file with one row, which is descriptions of columns for the most part."""
_ANOTHER = "another folder for them"

Position: TypeAlias = "float | str"


class Varied(NamedTuple):
    """Axes and positions of an experiment's runs."""

    base: Scenario
    first: Mapping[str, Any]
    """Changed keys at the first position of each axis."""
    units: Mapping[str, str | None]
    """Unit of each axis, by its name; None if it has none."""
    at: Sequence[Mapping[str, Position]]
    """Position of each run on each axis, in the order of all runs."""


class _Point(NamedTuple):
    """Place of a run in a dataset."""

    at: Mapping[str, Position]
    seed: int

    def inside(self, axes: Sequence[str]) -> Path:
        """Returns its folders below that of a table."""
        return Path(*(f"{_escaped(_IN_AXES, axis)}={_named(self.at[axis])}" for axis in axes), f"{_SEED}={self.seed}")


@dataclass(frozen=True)
class Dataset:
    """A dataset that takes the runs of an experiment as they finish; several processes may add to it at a time."""

    root: Path
    kept: KeptRuns
    axes: Sequence[str]
    """Axes in the order of the folders."""
    points: Mapping[Path, Sequence[_Point]]
    """Places of each run in the dataset, by where it is kept: several positions may mean one scenario."""

    @classmethod
    def of(cls, root: str | Path, varied: Varied, runs: Sequence[Scenario], kept: KeptRuns) -> Dataset:
        """Begins a dataset, or checks that the one in a folder can take some runs of a store.

        Raises:
            InputError: The dataset has other axes, units or columns, is of another scenario or has another run at a
                position; or a name is none for a folder or a column.
            OutputError: The folder cannot be written, or is no dataset.
        """
        root = Path(root)
        _check_names(root, varied)
        own = _description(varied, runs[0].seed)
        with _writing(root):
            found = _described(root, own)
        if found is not own:
            _check_alike(root / FILE, found, own, varied)
        points: dict[Path, list[_Point]] = {}
        for run, at in zip(runs, varied.at, strict=True):
            point = _Point(at, run.seed)
            _check_place(root, point.inside(found["axes"]), run, kept)
            points.setdefault(kept.place(run), []).append(point)
        return cls(root, kept, found["axes"], points)

    def add(self, run: Scenario) -> None:
        """Adds a run, unless it has failed, was edited where it is kept, or is in the dataset.

        Raises:
            OutputError: The dataset cannot be written.
            ResultError: The kept run is damaged.
        """
        place, name = self.kept.place(run), f"{self.kept.digest(run)[:_DIGITS]}.parquet"
        places = {point.inside(self.axes) / name: point.at for point in self.points[place]}
        missing = {inside: at for inside, at in places.items() if not (self.root / RUNS / inside).exists()}
        if not missing or not self.kept.has(run):
            return
        provenance = folder_files.document(place / folder.PROVENANCE)
        row = dataset_rows.row(folder.read_summary(place), provenance, self.kept.build)
        for inside, at in missing.items():
            with _writing(self.root):
                with self._whole(self.root / FLOWS / inside) as beside:
                    shutil.copyfile(place / folder.FLOWS, beside)
                with self._whole(self.root / RUNS / inside) as beside:  # last: with a row come its flows
                    pq.write_table(self._with_numbers(row, at), beside, **_AS_SMALL_AS_CAN_BE)

    def _with_numbers(self, row: pa.Table, at: Mapping[str, Position]) -> pa.Table:
        """Adds the positions as numbers, which no reader takes for text."""
        for axis in self.axes:
            row = row.append_column(_column_of(axis), pa.array([_number(at[axis])], pa.float64()))
        return row

    @contextmanager
    def _whole(self, path: Path) -> Iterator[Path]:
        """Yields where to write a file; a process that is killed leaves nothing in a folder of Parquet files."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path, inside=self.root) as beside:
            yield beside


def _check_place(root: Path, inside: Path, run: Scenario, kept: KeptRuns) -> None:
    """Raises InputError if another run has the place of a run, or a position makes no folder's name."""
    for part in inside.parts:
        if (length := len(os.fsencode(part))) > _LONGEST:
            axis, _, position = part.partition("=")
            problem = f"{position[:40]}... makes a folder's name of {length} bytes"
            expected = f"expected at most {_LONGEST}: [axes.NAME.values] of a sweep file gives positions names"
            raise InputError(str(root), axis, problem, expected)
    there = [path.stem for path in (root / RUNS / inside).glob("*.parquet")]
    if there and kept.digest(run)[:_DIGITS] not in there:
        problem = "another scenario has this place in the dataset"
        raise InputError(str(root), ", ".join(inside.parts), problem, f"expected another name for it, or {_ANOTHER}")


def _check_names(root: Path, varied: Varied) -> None:
    """Raises InputError for an axis that has the name of another column."""
    taken = {_SEED, *dataset_rows.schema().names, *columns.FLOWS.names, *map(_column_of, varied.units)}
    for axis in varied.units:
        if axis in taken:
            raise InputError(str(root), axis, "is a column of every dataset", "expected another name for the axis")


def _description(varied: Varied, seed: int) -> dict[str, Any]:
    """Returns what `dataset.json` holds if these runs are the first."""
    reference = _reference(varied, varied.first, seed)
    return {
        "format": _FORMAT,
        "axes": list(varied.units),
        "units": {axis: unit for axis, unit in varied.units.items() if unit},
        "first": dict(varied.first),
        "seed": seed,
        "scenario": reference.to_toml(),
        "scenario_digest": reference.digest(),
        "columns": {field.name: str(field.type) for field in dataset_rows.schema()},
    }


def _reference(varied: Varied, first: Mapping[str, Any], seed: int) -> Scenario:
    """Returns a scenario that is the same for all experiments of a dataset: the base at the dataset's first position.

    Raises ScenarioError if this base cannot take it.
    """
    return varied.base.with_values({**first, "seed": seed})


def _described(root: Path, own: dict[str, Any]) -> dict[str, Any]:
    """Returns the description of a dataset; writes one into a folder that has none. Raises OutputError, ResultError."""
    root.mkdir(parents=True, exist_ok=True)
    others = [path.name for path in root.iterdir() if not path.name.startswith(".")]
    if FILE not in others and others:
        told = f"{root}: has files, such as {min(others)}, but no {FILE}; expected a new folder, or a dataset"
        raise OutputError(told)
    if not others:
        with suppress(FileExistsError):  # where another process was faster
            with written_whole(root / FILE, replaces=False) as beside:
                json_text.write(beside, own)
            return own
    return folder_files.document(root / FILE)


def _check_alike(file: Path, found: dict[str, Any], own: dict[str, Any], varied: Varied) -> None:
    """Raises InputError unless some runs can be in one dataset with those that are there."""
    if found.keys() != own.keys() or any(not isinstance(found[key], type(own[key])) for key in own):
        raise _refusal(file, "", "is no description of a dataset", _ANOTHER)
    if (found["format"], found["columns"]) != (own["format"], own["columns"]):
        raise _refusal(file, "columns", "are those of another version of xoff", _ANOTHER)
    _check_axes(file, found["axes"], found["units"], varied.units)
    _check_scenario(file, found, varied)


def _refusal(file: Path, key: str, problem: str, expected: str) -> InputError:
    return InputError(str(file), key, problem, f"expected {expected}")


def _check_axes(file: Path, axes: list[str], units: dict[str, str], varied: Mapping[str, str | None]) -> None:
    """Raises InputError unless runs are varied along the axes of a dataset, in the same units."""
    for axis in axes:
        if axis not in varied:
            expected = f"its position, such as --sweep {axis}=A, or {_ANOTHER}"
            raise _refusal(file, "axes", f"{axis} is not varied here", expected)
    for axis, unit in varied.items():
        if axis not in axes:
            problem = f"{axis} is not among those of the dataset, {', '.join(axes) or 'of which there are none'}"
            raise _refusal(file, "axes", problem, f"the same axes, or {_ANOTHER}")
        if units.get(axis) != unit:
            problem = f"is {units.get(axis, 'left out')}, and here {unit or 'left out'}"
            raise _refusal(file, f"units.{axis}", problem, f"the same unit, or {_ANOTHER}")


def _check_scenario(file: Path, found: dict[str, Any], varied: Varied) -> None:
    """Raises InputError unless runs vary the scenario of a dataset."""
    try:
        reference = _reference(varied, found["first"], found["seed"])
    except ScenarioError as error:
        problem = f"is another: this one cannot take its first position, since {error.key} {error.problem}"
        raise _refusal(file, "scenario", problem, _ANOTHER) from None
    if reference.digest() == found["scenario_digest"]:
        return
    was, now = (dict(_flat("", toml_text.parse(text))) for text in (found["scenario"], reference.to_toml()))
    for key in {**was, **now}:
        if was.get(key) != now.get(key):
            problem = f"is {was.get(key, 'left out')}, and here {now.get(key, 'left out')}"
            raise _refusal(file, f"scenario.{key}", problem, f"the same, or {_ANOTHER}, with an axis over it")
    raise _refusal(file, "scenario", "names files with another content", f"the same files, or {_ANOTHER}")


def _flat(path: str, value: object) -> Iterator[tuple[str, object]]:
    """Yields the keys inside a table, with their values."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(f"{path}[{index}]", inner)
    else:
        yield path, value


def _column_of(axis: str) -> str:
    """Returns the column of an axis's positions as numbers, null where they are names."""
    return f"{axis}.value"


def _number(position: Position) -> float | None:
    return None if isinstance(position, str | bool) else float(position)


def _named(position: Position) -> str:
    """Returns a position as the part of a folder's name; 1 and 1.0 are one position."""
    if isinstance(position, bool):
        return str(position).lower()
    if isinstance(position, float) and position.is_integer():
        return str(int(position))
    return _escaped(_IN_POSITIONS, str(position)) or _EMPTY


def _escaped(characters: re.Pattern[str], text: str) -> str:
    """Returns a text with some characters as %XX."""
    return characters.sub(lambda found: f"%{ord(found[0]):02X}", text)


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    """Turns errors of the system inside a block into OutputError."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        told = f"{root}: cannot write the dataset: {reason}; expected a folder that can be written, with room"
        raise OutputError(told, reason=reason) from None
