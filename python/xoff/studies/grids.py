"""Comparisons, sweeps and searches as tables of text, for the terminal and the notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.results import unfinished
from xoff.results.common_unit import telling
from xoff.results.measures import why_nothing
from xoff.results.table import class_labels, measure_name, quantity_name, workload_names
from xoff.studies import axes, traffic
from xoff.text.grid import Grid
from xoff.text.units import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xoff.results.intervals import Estimate
    from xoff.studies.comparison import Comparison, Row
    from xoff.studies.sweep import Swept
    from xoff.studies.tuning.tuned import Tuned


def of_comparison(comparison: Comparison) -> Grid:
    """Returns every measure of every scenario, with its ratio to the first scenario."""
    names = workload_names(comparison.summaries[0][0])
    labels = class_labels(list(comparison.size_classes_bytes))
    labels |= {f"workloads[{index}]": name for index, name in enumerate(names)}
    for key in ("collectives", "jobs"):
        of_it = comparison.summaries[0][0].get(key, [])  # results of before have none
        labels |= {f"{key}[{index}]": names[each["workload"]] for index, each in enumerate(of_it)}
    sections: dict[str, list[list[str]]] = {}
    for key, rows in comparison.rows_by_measure.items():
        group, _, measure = key.rpartition(".")
        label = labels.get(group.removeprefix("flows."), "")
        section = sections.setdefault(label, [])
        tell = telling(measure, [row.value.value for row in rows.values()])
        base, *others = (rows.get(name) for name in comparison.names)
        first = _of_base(tell, base, is_alone=not others)
        told = "" if section else label
        name = quantity_name(measure) if label or key == unfinished.MEASURE else measure_name(key)
        section.append([told, name, first, *(_compared(tell, row) for row in others)])
    what = _runs(comparison.seeds)
    ratios = f"; x: how many times {comparison.names[0]}" if len(comparison.names) > 1 else ""
    over_zero = any(row.ratio is None and row.value.value for row in comparison.rows)
    missing = f"; -: no ratio, {comparison.names[0]} has 0" if over_zero else ""
    estimates = [row.ratio if ratios else row.value for row in comparison.rows]
    note = f"{what}{ratios}{_brackets(comparison.seeds)}{_vague(estimates, '(?)' if ratios else '±?')}{missing}."
    left_out = unfinished.note(dict(zip(comparison.names, comparison.unfinished, strict=True)))
    nothing = (why_nothing(key) for key, rows in comparison.rows_by_measure.items() if not rows)
    notes = tuple(filter(None, (left_out, *nothing, _ideals(comparison))))
    return Grid(("flows", "measure"), comparison.names, list(sections.values()), note[0].upper() + note[1:], 2, notes)


_APART = 1.05
"""Ratio of the greatest to the least ideal time from which a note is made; headers alone make a few percent."""


def _ideals(comparison: Comparison) -> str | None:
    """Returns a note if scenarios compute slowdowns of the same flows over different ideal times."""
    ideals = dict(zip(comparison.names, comparison.ideal_ns, strict=True))
    if any(found.flows for found in comparison.unfinished) or not min(ideals.values()):
        return None
    least, most = (by(ideals, key=ideals.__getitem__) for by in (min, max))
    ratio = ideals[most] / ideals[least]
    if ratio <= _APART:
        return None
    told = "slowdowns are over the times of flows that are alone, and these differ"
    return f"{told}: those of {most} are x{ratio:#.3g} those of {least} (by other links, or other ways over them)"


def of_sweep(swept: Swept, *, ratios: bool = False) -> Grid:
    """Returns the measures of each combination, or their ratios to the first position of the first axis."""
    sweep, measures = swept.sweep, swept.told
    of_all = unfinished.together(row.unfinished for row in swept.rows)
    left_out = ["unfinished"] if of_all.flows else []
    headings = (*map(sweep.heading, sweep.axes), *map(measure_name, measures), *left_out)
    tells = {measure: telling(measure, _values(swept, measure)) for measure in measures}
    rows = []
    for row in swept.rows:
        if ratios:
            cells = [_ratio(row.ratios.get(measure)) for measure in measures]
        else:
            cells = [_with_share(tell, row.measured.get(measure)) for measure, tell in tells.items()]
        cells += [str(row.unfinished) for _ in left_out]
        rows.append([*(sweep.spelled(axis, value) for axis, value in row.at.items()), *cells])
    note = f"{sweep.title}, {_runs(sweep.seeds)}"
    estimates = [(row.ratios if ratios else row.measured).get(measure) for row in swept.rows for measure in measures]
    if ratios:
        note += f"; x: how many times {sweep.base}{_brackets(sweep.seeds)}{_vague(estimates, '(?)')}"
        if any(map(swept.over_zero, measures)):
            note += f"; -: no ratio, {sweep.base} has 0"
    else:
        if len(sweep.seeds) > 1:
            note += "; ±: half of the 95 % confidence interval, or from where to where if it is wide"
            note += _vague(estimates, "±?")
        if any(0 < len(_values(swept, measure)) < len(swept.rows) for measure in measures):
            note += "; -: nothing to count with some seed"
    nothing = (why_nothing(measure) for measure in measures if not _values(swept, measure))
    notes = filter(None, (unfinished.note({"all": of_all}), *nothing, traffic.note_of_sizes(sweep)))
    return Grid((), headings, [rows], f"{note}.", len(sweep.axes), tuple(notes))


_TOLD_TRIALS = 10


def of_tuning(tuned: Tuned) -> Grid:
    """Returns the unchanged scenario and the best trials, with the measures of each."""
    tuning = tuned.tuning
    told = [tuned.base, *tuned.ranked[:_TOLD_TRIALS]]
    tells = {
        measure: telling(measure, [trial.measured[measure].value for trial in told]) for measure in tuning.measures
    }
    headings = (*axes.headings(tuning.space).values(), *map(measure_name, tuning.measures))
    rows = [
        [
            f"trial {trial.number}" if trial.number else "as it stands",
            *(str(at.get(key, "-")) for key in tuning.space),
            *(tell(trial.measured[measure].value) for measure, tell in tells.items()),
        ]
        for trial, at in [(tuned.base, tuning.base_values), *((trial, trial.at) for trial in told[1:])]
    ]
    note = f"{tuning.base.title}, {_runs(tuning.seeds)}; {tuning.goal}, the best of {len(tuned.trials)} trials"
    count = len(tuned.trials)
    broken = {bound: sum(trial.excess.get(bound, 0) > 0 for trial in tuned.trials) for bound in tuning.bounds}
    left_out = [
        f"{bound.measure} is not {bound} ({times} of {count} trials)" for bound, times in broken.items() if times
    ]
    if problems := [trial.problem for trial in tuned.trials if trial.problem]:
        left_out.append(f"{len(problems)} of {count} trials could not be measured; the first: {problems[0]}")
    of_all = unfinished.together(trial.unfinished for trial in (tuned.base, *tuned.trials))
    notes = tuple(filter(None, (unfinished.note({"all": of_all}), *left_out)))
    return Grid(("",), headings, [rows[:1], rows[1:]], f"{note}.", 1, notes)


def _runs(seeds: tuple[int, ...]) -> str:
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"means over seeds {', '.join(map(str, seeds))}"


def _brackets(seeds: tuple[int, ...]) -> str:
    return "; in brackets 95 % confidence" if len(seeds) > 1 else ""


def _vague(estimates: Iterable[Estimate | None], sign: str) -> str:
    """Returns a note on the intervals that were left out as too wide; empty if there are none."""
    is_somewhere = any(estimate is not None and estimate.is_vague for estimate in estimates)
    return f"; {sign}: so few seeds tell nothing of the interval, more do" if is_somewhere else ""


def _values(swept: Swept, measure: str) -> list[float]:
    return [row.measured[measure].value for row in swept.rows if measure in row.measured]


def _of_base(tell: Callable[[float], str], row: Row | None, *, is_alone: bool) -> str:
    """Formats a value of the first scenario, with its interval if there are no ratios."""
    if row is None:
        return "-"
    return _with_bounds(tell, row.value) if is_alone else tell(row.value.value)


def _compared(tell: Callable[[float], str], row: Row | None) -> str:
    """Formats a value and its ratio to the first scenario's."""
    if row is None:
        return "-"
    value = tell(row.value.value)
    return f"{value}  {_ratio(row.ratio)}" if row.ratio or row.value.value else value


def _ratio(ratio: Estimate | None) -> str:
    if ratio is None:
        return "-"
    if ratio.is_vague:
        return f"{_ratio(ratio.unless_vague)} (?)"
    value, *bounds = (f"{each:#.3g}".removesuffix(".") for each in ratio if each is not None)
    return f"x{value} ({'-'.join(bounds)})" if bounds else f"x{value}"


def _with_bounds(tell: Callable[[float], str], value: Estimate) -> str:
    told = tell(value.value)
    if value.low is None or value.high is None:
        return told
    if value.is_vague:
        return f"{told} ±?"
    low = tell(max(value.low, 0))  # none of them is negative
    return f"{told} ({low} to {tell(value.high)})"


_ROUNDING = 1e-9
"""Width of an interval, as a share, below which numbers count as equal."""
_WIDE = 0.2
"""Width of an interval to either side, as a share of the value, above which both bounds are shown."""


def _with_share(tell: Callable[[float], str], found: Estimate | None) -> str:
    if found is None:
        return "-"
    value = tell(found.value)
    if found.low is None or found.high is None or not found.value:
        return value
    share = (found.high - found.low) / 2 / found.value
    share = 0 if share < _ROUNDING else share
    return f"{value} ±{percent(share)}" if share < _WIDE else _with_bounds(tell, found)
