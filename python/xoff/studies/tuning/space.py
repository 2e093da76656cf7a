"""Search space: for each key of a scenario a range, or a list of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from xoff.errors import ScenarioError
from xoff.studies import axes, ranges
from xoff.text.toml_text import plain
from xoff.text.units import RATES, SIZES, TIMES

if TYPE_CHECKING:
    from xoff.studies.axes import Value

_EXPECTED = "expected START:END, such as 20kB:4MB, START:END:STEP in one unit, or values A,B,C"
_DIGITS = 3
_INDIVISIBLE = ("B", "ps", "bps")
_LOGARITHMIC = 10
"""Ratio of end to start from which a range is searched on a logarithmic scale."""


@dataclass(frozen=True)
class Range:
    """A range of numbers in one unit, rounded to three significant digits as settings are written.

    The numbers are whole if both ends are, and if there is no unit or one that is not divided, such as bytes.
    """

    start: Decimal
    end: Decimal
    unit: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        exponents = (number.as_tuple().exponent for number in (self.start, self.end))
        return self.unit in ("", *_INDIVISIBLE) and all(exponent == 0 for exponent in exponents)

    @property
    def is_logarithmic(self) -> bool:
        """Whether the scale is logarithmic: 10 kB to 100 kB is searched as finely as 100 kB to 1 MB."""
        return 0 < _LOGARITHMIC * self.start <= self.end

    def value(self, number: float) -> Value:
        """Returns the value of the key for a number in the range."""
        rounded = round(number) if self.is_whole else float(f"{number:.{_DIGITS}g}")
        within = min(max(rounded, float(self.start)), float(self.end))
        whole = int(within) if within == int(within) and (self.unit or self.is_whole) else within
        return f"{whole}{self.unit}" if self.unit else whole

    @property
    def examples(self) -> list[Value]:
        """Returns the start, middle and end of the range, as examples."""
        start, end = float(self.start), float(self.end)
        return list(map(self.value, (start, (start + end) / 2, end)))

    def __str__(self) -> str:
        return f"{self.start:f}{self.unit}:{self.end:f}{self.unit}"


@dataclass(frozen=True)
class Choice:
    """A list of values; if they are numbers in order, neighbours count as similar."""

    values: tuple[object, ...]
    is_ordered: bool = False

    @property
    def examples(self) -> list[object]:
        """Values to check: all of them, or of ordered ones both ends and the middle."""
        if self.is_ordered:
            return [self.values[place] for place in sorted({0, len(self.values) // 2, len(self.values) - 1})]
        return list(self.values)

    def __str__(self) -> str:
        return ",".join(map(str, self.values))


Dimension: TypeAlias = Range | Choice
"""Possible values of one key."""


def spelled(options: Iterable[str]) -> dict[str, Dimension]:
    """Parses options `--tune KEY=START:END`, `KEY=START:END:STEP` or `KEY=A,B,C`. Raises ScenarioError."""
    return {key: _of_parts(f"--tune {key}", parts) for key, parts in axes.listed(options, "--tune").items()}


def given(space: Mapping[str, str | Iterable[object]]) -> dict[str, Dimension]:
    """Makes a space from Python: text as on the command line, or values, by key. Raises TypeError, ScenarioError."""
    if not isinstance(space, Mapping):
        message = f"space: is a {type(space).__name__}; expected a dictionary: {{KEY: 'START:END'}}, {{KEY: [A, B, C]}}"
        raise TypeError(message)
    return {key: _given(key, values) for key, values in space.items()}


def _given(key: str, values: str | Iterable[object]) -> Dimension:
    if isinstance(values, str):
        return _of_parts(key, axes.listed([f"{key}={values}"], "space")[key])
    if not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise ScenarioError(None, key, f"is a {type(values).__name__}", _EXPECTED)
    return _of_values(key, tuple(map(plain, values)))


def _of_parts(where: str, parts: list[str]) -> Dimension:
    found = _ends(parts[0]) if len(parts) == 1 else None
    if found is not None and len(found.numbers) == 2:
        (start, end), unit = found
        if start >= end:
            raise ScenarioError(None, where, f"{parts[0]} starts where it ends, or above", _EXPECTED)
        return Range(start, end, unit)
    texts = [value for part in parts for value in ranges.values_of(where, part, _EXPECTED)]
    return _of_values(where, tuple(map(axes.literal, texts)))


def _ends(text: str) -> ranges.Quantities | None:
    """Parses quantities between colons; both ends of a range are converted to the smaller of their units."""
    found, ends = ranges.quantities(text), list(map(ranges.quantities, text.split(":")))
    if found is None or found.numbers or len(ends) != 2:
        return found
    (start, from_unit), (end, to_unit) = ((each.numbers[0], each.unit) for each in ends if each)
    for units in (SIZES, TIMES, RATES):
        if from_unit in units and to_unit in units:
            unit = min(from_unit, to_unit, key=units.__getitem__)
            scales = [Decimal(str(units[one])) / Decimal(str(units[unit])) for one in (from_unit, to_unit)]
            return ranges.Quantities([_plain(start * scales[0]), _plain(end * scales[1])], unit)
    return found


def _plain(number: Decimal) -> Decimal:
    """Returns a number without digits behind the point if it is whole."""
    return Decimal(int(number)) if number == int(number) else number


def _of_values(where: str, values: tuple[object, ...]) -> Choice:
    told = list(map(str, values))
    if len(values) < 2 or len(set(told)) < len(told):
        problem = "a value stands twice" if values[1:] else "leaves nothing to choose"
        raise ScenarioError(None, where, problem, _EXPECTED)
    found = [ranges.quantities(text) for text in told]
    numbers = [each.numbers[0] for each in found if each and len(each.numbers) == 1]
    units = {each.unit for each in found if each}
    return Choice(values, len(numbers) == len(values) and len(units) == 1 and numbers == sorted(numbers))
