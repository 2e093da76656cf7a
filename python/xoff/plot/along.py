"""The horizontal axis of what is drawn against the positions of a sweep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from xoff.plot import style
from xoff.units import RATES, SIZES, TIMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.axes import Value


_MOST_TICKS = 6


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
        shown = numbers[0][1]
        places = {
            position: number * scales[of] / scales[shown]
            for position, (number, of) in zip(positions, numbers, strict=True)
        }
        return cls(name, places, shown)

    def label(self, ax: Axes) -> None:
        """Writes name, unit and ticks."""
        if self.unit is None:
            ax.set_xticks(list(self.places.values()), [style.plain(str(position)) for position in self.places])
        elif all(place.is_integer() for place in self.places.values()):
            ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS, integer=True))
        else:
            ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS))
        ax.set_xlabel(style.plain(f"{self.name} ({self.unit})" if self.unit else self.name))


def _scales(units: set[str]) -> Mapping[str, float] | None:
    """What each unit is worth, if they measure the same."""
    if len(units) == 1:
        return dict.fromkeys(units, 1.0)
    return next((scales for scales in (TIMES, SIZES, RATES) if scales.keys() >= units), None)


def _number(text: str) -> tuple[float, str] | None:
    match = re.fullmatch(r"([\d.]+(?:e-?\d+)?)\s*([A-Za-z]*)", text)
    return (float(match[1]), match[2]) if match else None
