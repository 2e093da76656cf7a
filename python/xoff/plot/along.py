"""The horizontal axis of what is drawn against the positions of a sweep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from xoff.plot import style
from xoff.units import RATES, SIZES, TIMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.axes import Value


_MOST_TICKS = 6
_MOST_CHARACTERS = 36
"""As much fits below a panel beside one another."""
_MOST_TOLD = 12
"""As many positions can each have a tick of their own."""
_TOO_NEAR = 0.03
"""A share of the axis: points of ordinary size that are nearer lie on one another."""


@dataclass(frozen=True)
class Along:
    """Positions from left to right: where their numbers are if all have the same unit, else one beside the other."""

    name: str
    places: Mapping[Value, float]
    unit: str | None
    """Of all numbers, perhaps empty; None where positions are names."""

    @classmethod
    def of(cls, name: str, positions: Sequence[Value], unit: str | None = None) -> Along:
        """For the positions of an axis, whose unit may be told beside them."""
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

    def label(self, ax: Axes) -> None:
        """Writes name, unit and ticks."""
        if self.unit is None:
            names = [style.plain(str(position)) for position in self.places]
            room = max(map(len, names)) * len(names) <= _MOST_CHARACTERS
            rotation, side = (0, "center") if room else (30, "right")
            ax.set_xticks(list(self.places.values()), names, rotation=rotation, ha=side)
        elif self._is_crowded:
            self._label_logarithmic(ax)
        elif all(place.is_integer() for place in self.places.values()):
            ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS, integer=True))
        else:
            ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS))
        ax.set_xlabel(style.plain(f"{self.name} ({self.unit})" if self.unit else self.name))

    @property
    def _is_crowded(self) -> bool:
        """Whether neighbours would lie on one another on an even axis that has room for them all."""
        places = sorted(set(self.places.values()))
        if not 2 < len(places) <= _MOST_TOLD or places[0] < 0:
            return False
        nearest = min(after - before for before, after in pairwise(places))
        return nearest < _TOO_NEAR * (places[-1] - places[0])

    def _label_logarithmic(self, ax: Axes) -> None:
        """A tick for each position; zero, which has no logarithm, stands a step before the least."""
        places = sorted(self.places.values())
        ax.set_xscale("symlog", linthresh=next(place for place in places if place), linscale=0.5)
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.minorticks_off()


def _scales(units: set[str]) -> Mapping[str, float] | None:
    """What each unit is worth, if they measure the same."""
    if len(units) == 1:
        return dict.fromkeys(units, 1.0)
    return next((scales for scales in (TIMES, SIZES, RATES) if scales.keys() >= units), None)


def _number(text: str) -> tuple[float, str] | None:
    match = re.fullmatch(r"([\d.]+(?:e-?\d+)?)\s*([A-Za-z]*)", text)
    return (float(match[1]), match[2]) if match else None
