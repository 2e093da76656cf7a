"""Figures whose files are the same whenever they are drawn, with fonts that journals accept."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

# Journals refuse Type 3 fonts; the identifiers in an SVG are random unless they are salted; names are no TeX.
RC_OF_FILES: dict[Any, Any] = {"pdf.fonttype": 42, "svg.hashsalt": "xoff", "text.usetex": False}
_WITHOUT_TIME = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


@contextmanager
def letters_as_boxes() -> Iterator[None]:
    """Draws letters that no font has as boxes, without a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        yield


class HouseFigure(Figure):
    """Matplotlib's figure, whose files do not record when they were written, and which grows with its legend."""

    _inches_of_panels: float | None = None

    def grow(self, inches: float) -> None:
        """Makes the figure higher than it was at first, so that its panels keep their height below a legend."""
        if self._inches_of_panels is None:
            self._inches_of_panels = self.get_figheight()
        self.set_figheight(max(self.get_figheight(), self._inches_of_panels + inches))

    def savefig(self, fname: Any, **options: Any) -> None:  # noqa: ANN401 as Matplotlib
        """Writes a file as Matplotlib does, without the date."""
        suffix = "" if hasattr(fname, "write") else Path(fname).suffix[1:]
        kind = (options.get("format") or suffix or mpl.rcParams["savefig.format"]).lower()
        if kind in _WITHOUT_TIME:
            options["metadata"] = _WITHOUT_TIME[kind] | (options.get("metadata") or {})
        with mpl.rc_context(RC_OF_FILES), letters_as_boxes():
            super().savefig(fname, **options)
