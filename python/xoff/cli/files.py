"""Files that an option names: written over only if that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import OutputError
from xoff.plot.figure_format import FigureFormat
from xoff.results.whole_file import written_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ENDINGS = [f".{each}" for each in FigureFormat]
DRAWABLE = f"{', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}"
"""Endings of files that hold figures."""


def check_free(path: Path, option: str, *, force: bool) -> None:
    """Raises OutputError if there is a file of this name already, unless `force` says that it is replaced."""
    if path.is_file() and not force:
        expected = f"choose another file with {option}, or replace it with --force"
        message = f"{path}: {option}: exists already; {expected}"
        raise OutputError(message)


def check_drawable(path: Path, option: str = "--plot", *, force: bool) -> None:
    """Raises OutputError if an option names no figure, or one that is there already."""
    if path.suffix.lower() not in _ENDINGS:
        message = f"{path}: {option}: no format of figures; expected a file that ends with {DRAWABLE}"
        raise OutputError(message)
    check_free(path, option, force=force)


def draw(path: Path, size_inches: tuple[float, float], on: Callable[[Axes], object], option: str = "--plot") -> None:
    """Draws a figure into a file; its ending says in which format. Raises OutputError."""
    from xoff.plot import style
    from xoff.plot.house_figure import HouseFigure

    with style.context():
        figure = HouseFigure(figsize=size_inches)
        on(figure.subplots())
    save(figure, path, option)


def save(figure: Figure, path: Path, option: str) -> None:
    """Writes a figure into a file that an option names. Raises OutputError."""
    from xoff.plot import style

    with style.context():
        try:
            with written_whole(path) as beside:
                figure.savefig(beside, facecolor="white")
        except OSError as error:
            reason = error.strerror or str(error)
            message = f"{path}: {option}: {reason}; expected a file in a folder that is there and can be written"
            raise OutputError(message) from None
