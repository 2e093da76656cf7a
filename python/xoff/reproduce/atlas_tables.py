"""The atlas as Markdown, for `docs/validation.md`: rows of each paper by their ends, and what is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.reproduce.paper_rows import PAPERS, End, PaperRow, ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.reproduce.figure import Figure

_TO_FIGURES = "../figures"


def markdown(rows: Sequence[PaperRow], figures: Sequence[Figure]) -> str:
    """Returns the tables of the atlas."""
    by_id = {figure.id: figure for figure in figures}
    lines = [*_lines(ends(rows, figures), by_id), "", *_older(figures)]
    return "\n".join(lines).rstrip()


def _older(figures: Sequence[Figure]) -> list[str]:
    """Returns a list of the figures whose values are older than what decides them, paper by paper."""
    older = [figure.id for figure in figures if figure.is_older]
    if not older:
        return []
    papers = dict.fromkeys(id_.split("/")[0] for id_ in older)
    of_papers = [", ".join(f"`{id_}`" for id_ in older if id_.startswith(paper + "/")) for paper in papers]
    told = "Values of these figures are older than their scenario, runs or measures, and are to be measured again:"
    return [told, "", *(f"- {ids}" for ids in of_papers)]


def _lines(ended: list[tuple[PaperRow, End]], by_id: dict[str, Figure]) -> Iterator[str]:
    yield f"| paper | {' | '.join(End)} | of |"
    yield "|---|" + "---|" * (len(End) + 1)
    for paper, name in PAPERS.items():
        yield _counts(name, [end for row, end in ended if row.paper == paper])
    yield _counts("**all**", [end for _, end in ended])
    for paper, name in PAPERS.items():
        yield from ("", f"### {name}", "", "| row | shows | end | missed |", "|---|---|---|---|")
        for row, end in ended:
            if row.paper == paper:
                yield f"| {_link(row)} | {row.shows} | {end} | {_missed(row, by_id.get(row.figure))} |"


def _counts(name: str, of_paper: list[End]) -> str:
    return f"| {name} | {' | '.join(str(of_paper.count(end)) for end in End)} | {len(of_paper)} |"


def _link(row: PaperRow) -> str:
    return f"[{row.row}]({_TO_FIGURES}/{row.figure}/README.md)" if row.figure else row.row


def _missed(row: PaperRow, figure: Figure | None) -> str:
    if figure is None:
        return row.note
    told = []
    for missed in row.missed(figure):
        found = figure.record.of(missed) if figure.record else None
        value = "not measured" if found is None else found.told or f"{found.measured:.4g}"
        why = f"; {missed.explained}" if missed.explained else ""
        told.append(f"{missed.told}: {value}, {missed.tolerance} asked{why}")
    return "<br>".join(told).replace("|", "\\|")
