"""The page of the atlas: one self-contained HTML file about all figures, from what the folder of figures holds."""

from __future__ import annotations

import base64
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from xoff.report import pages
from xoff.reproduce.expected import RowKind
from xoff.reproduce.measured import Source
from xoff.reproduce.paper_rows import PAPERS, End, PaperRow, ends
from xoff.reproduce.readme import Readme, inline
from xoff.reproduce.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.figure import Figure
    from xoff.reproduce.measured import MeasuredRow

NOT_MEASURED = "not measured"


class PageRow(NamedTuple):
    """A row of a figure's table."""

    claim: str
    published: str
    measured: str
    interval: str
    """Interval of the measured value; empty if there is none, or if its bounds read alike."""
    tolerance: str
    verdict: str
    explained: Markup
    note: str

    @property
    def look(self) -> str:
        """Class of the row's verdict in the page's style."""
        return _LOOKS.get(self.verdict, "neither")


class PageFigure(NamedTuple):
    """A figure as the page shows it."""

    figure: Figure
    readme: Readme
    claims: list[PageRow]
    checks: list[PageRow]
    numbers: list[tuple[str, str]]
    """Measures of numbers, with how many of them are reproduced."""
    plot: str
    """Plot as a data address; empty if there is none."""
    provenance: list[tuple[str, str]]

    @property
    def anchor(self) -> str:
        """Fragment of the page that begins with the figure."""
        return anchor(self.figure.id)


class Paper(NamedTuple):
    """A paper's part of the atlas."""

    folder: str
    name: str
    rows: list[tuple[PaperRow, End]]
    figures: list[PageFigure]

    @property
    def counts(self) -> Counter[End]:
        """Rows by their ends."""
        return Counter(end for _, end in self.rows)


_LOOKS: dict[str, str] = {
    Verdict.REPRODUCED: "good",
    Verdict.PASSED: "good",
    Verdict.DIFFERS: "bad",
    Verdict.FAILED: "bad",
    End.EXPLAINED: "middling",
    End.OPEN: "bad",
}


def anchor(id_: str) -> str:
    """Returns the fragment of the page that begins with a figure."""
    return id_.replace("/", "-")


def papers(rows: Sequence[PaperRow], figures: Sequence[Figure], kept: Path) -> list[Paper]:
    """Returns what the atlas has of each paper.

    Args:
        rows: Rows of the atlas.
        figures: All figures.
        kept: Folder of kept plots, `results/reproduce`; that of the quick scale stands in for a missing one.
    """
    ended = ends(rows, figures)
    there = {row.paper for row in rows} | {figure.id.split("/")[0] for figure in figures}
    return [
        Paper(
            folder,
            PAPERS.get(folder, folder),
            [(row, end) for row, end in ended if row.paper == folder],
            [_page_figure(figure, kept) for figure in figures if figure.id.startswith(folder + "/")],
        )
        for folder in (*(folder for folder in PAPERS if folder in there), *sorted(there - set(PAPERS)))
    ]


def counted(found: Iterable[Paper]) -> Counter[End]:
    """Returns the rows of some papers by their ends."""
    return sum((paper.counts for paper in found), Counter[End]())


def render(rows: Sequence[PaperRow], figures: Sequence[Figure], kept: Path) -> str:
    """Returns the page as HTML, which loads no other file; the arguments are those of `papers`."""
    found = papers(rows, figures, kept)
    page = pages("xoff.reproduce").get_template("page.html.jinja")
    return page.render(papers=found, counts=counted(found), ends=list(End), looks=_LOOKS, anchor=anchor)


def _page_figure(figure: Figure, kept: Path) -> PageFigure:
    by_kind: dict[RowKind, list[Expected]] = {kind: [] for kind in RowKind}
    for row in figure.judged_at_paper_size:
        by_kind[row.kind].append(row)
    return PageFigure(
        figure=figure,
        readme=Readme.read(figure.folder, figure.id),
        claims=[_page_row(figure, row) for row in by_kind[RowKind.CLAIM]],
        checks=[_page_row(figure, row) for row in by_kind[RowKind.CHECK]],
        numbers=_numbers(figure, by_kind[RowKind.NUMBER]),
        plot=_plot(figure, kept),
        provenance=_provenance(figure),
    )


def _page_row(figure: Figure, row: Expected) -> PageRow:
    found = figure.record.of(row) if figure.record else None
    verdict = figure.recorded_verdict(row)
    published = row.published if isinstance(row.published, str) else f"{row.published:.4g}"
    told = str(verdict) if verdict else NOT_MEASURED if row.measure else str(Verdict.NOT_SIMULATED)
    return PageRow(
        row.told, published, _told(found), _interval(found), row.tolerance, told, inline(row.explained), row.note
    )


def _told(found: MeasuredRow | None) -> str:
    if found is None or found.measured is None:
        return found.told if found else ""
    return f"{found.measured:.4g}"


def _interval(found: MeasuredRow | None) -> str:
    if found is None or found.low is None or found.high is None:
        return ""
    low, high = f"{found.low:.3g}", f"{found.high:.3g}"
    return "" if low == high else f"{low} to {high}"


def _numbers(figure: Figure, rows: list[Expected]) -> list[tuple[str, str]]:
    told = []
    for measure in dict.fromkeys(row.measure for row in rows):
        of_measure = [row for row in rows if row.measure == measure]
        verdicts = [verdict for row in of_measure if (verdict := figure.recorded_verdict(row))]
        met, of = sum(verdict.is_met for verdict in verdicts), len(verdicts)
        counts = [(one.met, one.of) for one in figure.record.counted if one.measure == measure] if figure.record else []
        for met_of_readme, of_readme in counts:
            met, of = met + met_of_readme, of + of_readme
        told.append((measure, f"{met} of {of} reproduced" if of else NOT_MEASURED))
    return told


def _plot(figure: Figure, kept: Path) -> str:
    for path in (figure.folder / "paper.svg", kept / figure.id / "quick" / "figure.svg"):
        if path.exists():
            return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return ""


def _provenance(figure: Figure) -> list[tuple[str, str]]:
    record = figure.record
    if record is None:
        return [("measured", "not yet at the paper's size")]
    origin = "a run that recorded them" if record.source is Source.RUN else "tables of the figure's README"
    age = "older than the scenario, the runs or the measures that stand there now" if figure.is_older else "up to date"
    told = [("values", f"from {origin}, {record.date}, {age}"), ("commit", record.commit or "not known")]
    if record.cpu_seconds:
        told.append(("cost", f"{record.cpu_seconds:,g} s of CPU time"))
    return told
