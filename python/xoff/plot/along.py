"""The horizontal axis of figures against the positions of a sweep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from textwrap import fill
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from matplotlib.ticker import MaxNLocator

from xoff.plot import style
from xoff.plot.shortened import shortened
from xoff.text.units import RATES, SIZES, TIMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

Value: TypeAlias = "float | str"
"""A position on an axis of a sweep: a number, or a name."""

_MOST_TICKS = 6
_MOST_CHARACTERS = 36
"""Most characters of all labels side by side below a panel."""
_SLANTED_CHARACTERS = 3.0
"""Width of a slanted label, in characters."""
_MOST_LINES_OF_A_NAME = 4
_SLANTED_LENGTHS = (20, 28, 36)
"""Most characters of a slanted name; the first length with which all names differ is taken."""
_MOST_TOLD, _MOST_TOLD_LOGARITHMIC = 8, 12
"""Most positions that each have a tick of their own, on an even and on a logarithmic axis."""
_WIDE = 20
"""Ratio of the greatest to the least position from which an axis may be logarithmic."""
_TOO_NEAR = 0.03
"""Distance, as a share of the axis, below which points overlap."""


@dataclass(frozen=True)
class Along:
    """Positions from left to right: at their numbers if all have the same unit, else evenly side by side."""

    name: str
    places: Mapping[Value, float]
    unit: str | None
    """Unit of all numbers, perhaps empty; None where positions are names."""

    @classmethod
    def of(cls, name: str, positions: Sequence[Value], unit: str | None = None) -> Along:
        """Makes the axis for some positions, whose unit may be given separately."""
        found = [_number(f"{position}{unit or ''}") for position in positions]
        numbers = [each for each in found if each]
        scales = _scales({unit for _, unit in numbers})
        if len(numbers) < len(found) or scales is None:
            return cls(name, {position: float(place) for place, position in enumerate(positions)}, None)
        shown = next((of for number, of in numbers if number), numbers[0][1])
        places = {
            position: number * scales[of] / scales[shown]
            for position, (number, of) in zip(positions, numbers, strict=True)
        }
        return cls(name, places, shown)

    def nearest(self, ax: Axes) -> float:
        """Returns the least distance of two positions as a share of the labelled axis; 1 for a single position."""
        at = np.unique(ax.xaxis.get_transform().transform(np.array(list(self.places.values()))))
        return float(np.diff(at).min() / (at[-1] - at[0])) if len(at) > 1 else 1.0

    def label(self, ax: Axes) -> None:
        """Writes name, unit and ticks; where positions were given in several units, each tick has its own."""
        unit = self.unit
        if unit is None:
            _label_names(ax, [str(short(position)) for position in self.places], list(self.places.values()))
        elif _scale_numbers(ax, places := sorted(set(self.places.values()))):
            words = self._in_their_units
            unit = "" if words else unit
            _tell_each(ax, places, [words[place] if words else f"{place:g}" for place in places])
        ax.set_xlabel(style.plain(f"{self.name} ({unit})" if unit else self.name))

    @property
    def _in_their_units(self) -> dict[float, str]:
        """Returns the label of each place as it was given; nothing if all have one unit and none is a fraction."""
        found = {place: each for position, place in self.places.items() if (each := _number(str(position)))}
        units = {unit for number, unit in found.values() if number}
        words = {place: f"{number:g} {unit}".strip() if number else "0" for place, (number, unit) in found.items()}
        fractions = {place: str(position) for position, place in self.places.items() if "/" in str(position)}
        return words | fractions if len(units) > 1 or fractions else {}


def short(position: Value) -> Value:
    """Returns a number without the digits of binary rounding: 0.3 for 0.1 + 0.2."""
    return float(f"{position:.12g}") if isinstance(position, float) else position


def _label_names(ax: Axes, names: Sequence[str], places: Sequence[float]) -> None:
    """Labels an axis with names, broken into lines, or slanted where there is no room for that."""
    width = max(1, _MOST_CHARACTERS // len(names))
    beside = [fill(name, width, break_long_words=False, break_on_hyphens=False) for name in names]
    lines = [name.split("\n") for name in beside]
    if max(map(len, chain(*lines))) <= width and max(map(len, lines)) <= _MOST_LINES_OF_A_NAME:
        ax.set_xticks(places, [style.plain(name) for name in beside])
    else:
        told = list(map(style.plain, shortened(names, _SLANTED_LENGTHS)))
        ax.set_xticks(places, told, rotation=30, ha="right")


def _scale_numbers(ax: Axes, places: Sequence[float]) -> bool:
    """Scales an axis, and returns whether each number has a tick; on a logarithmic axis, zero is a step lower."""
    if _is_logarithmic(places):
        if places[0] > 0:
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=places[1], linscale=0.5)
    elif len(places) > _MOST_TOLD:
        ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS, integer=all(place.is_integer() for place in places)))
        return False
    return True


def _is_logarithmic(places: Sequence[float]) -> bool:
    """Whether positions span so many magnitudes that some would overlap on an even axis."""
    positive = [place for place in places if place > 0]
    if not 1 < len(positive) <= len(places) <= _MOST_TOLD_LOGARITHMIC or places[0] < 0:
        return False
    nearest = min(after - before for before, after in pairwise(places))
    return positive[-1] > _WIDE * positive[0] or (len(places) > 2 and nearest < _TOO_NEAR * (places[-1] - places[0]))


def _tell_each(ax: Axes, places: Sequence[float], labels: list[str]) -> None:
    """Writes a label for each position, slanted or left out where there is no room beside the one before."""
    at = ax.xaxis.get_transform().transform(np.array(places))
    characters = _MOST_CHARACTERS * (at - at[0]) / ((at[-1] - at[0]) or 1)
    room = all(
        after - before > 1 + (len(label) + len(other)) / 2
        for (before, after), (label, other) in zip(pairwise(characters), pairwise(labels), strict=True)
    )
    told = 0.0
    for index in range(1, len(places)):
        if room or characters[index] - told >= _SLANTED_CHARACTERS:
            told = characters[index]
        else:
            labels[index] = ""
    ax.set_xticks(places, labels, rotation=0 if room else 30, ha="center" if room else "right")
    ax.minorticks_off()


def _scales(units: set[str]) -> Mapping[str, float] | None:
    """Returns the scale of each unit, if all measure the same quantity; else None."""
    if len(units) == 1:
        return dict.fromkeys(units, 1.0)
    return next((scales for scales in (TIMES, SIZES, RATES) if scales.keys() >= units), None)


def _number(text: str) -> tuple[float, str] | None:
    if re.fullmatch(r"\d+/0*[1-9]\d*", text):
        return float(Fraction(text)), ""
    match = re.fullmatch(r"([\d.]+(?:e-?\d+)?)\s*([A-Za-z]*)", text)
    return (float(match[1]), match[2]) if match else None
