"""Sampler of the values to try next: Optuna's tree-structured Parzen estimator, with bounds."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from xoff.studies.tuning.space import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial as Asked

    from xoff.studies.tuning.space import Dimension
    from xoff.studies.tuning.trial import Trial


class Sampler:
    """A sampler whose choices depend only on its seed and on the trials it has learned from."""

    def __init__(self, space: Mapping[str, Dimension], *, is_maximized: bool, seed: int) -> None:
        import optuna  # takes a third of a second to load

        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # it says of every study that there is one
        try:
            self._study = optuna.create_study(
                direction="maximize" if is_maximized else "minimize",
                sampler=optuna.samplers.TPESampler(seed=seed, constant_liar=True),
            )
        finally:
            optuna.logging.set_verbosity(verbosity)
        self._space = space
        self._distributions = {key: _distribution(dimension) for key, dimension in space.items()}
        self._asked: deque[Asked] = deque()

    def choose(self) -> dict[str, object]:
        """Returns a choice of a value for each key; those whose trial is not known yet count as bad ones."""
        asked = self._study.ask(self._distributions)
        self._asked.append(asked)
        return {key: _value(dimension, asked.params[key]) for key, dimension in self._space.items()}

    def learn(self, trial: Trial, objective: str) -> None:
        """Learns from the trial of the earliest choice whose trial was not known yet."""
        from optuna.trial import TrialState

        asked = self._asked.popleft()
        for bound, excess in trial.excess.items():
            asked.set_constraint(f"{bound.measure} {bound}", excess)
        if trial.problem:
            self._study.tell(asked, state=TrialState.FAIL)
        else:
            self._study.tell(asked, trial.measured[objective].value)


def _distribution(dimension: Dimension) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(dimension, Choice):
        places = len(dimension.values)
        return IntDistribution(0, places - 1) if dimension.is_ordered else CategoricalDistribution(range(places))
    kind: type[IntDistribution | FloatDistribution] = IntDistribution if dimension.is_whole else FloatDistribution
    ends = (int, int) if dimension.is_whole else (float, float)
    low, high = (of(end) for of, end in zip(ends, (dimension.start, dimension.end), strict=True))
    return kind(low, high, log=dimension.is_logarithmic)


def _value(dimension: Dimension, suggested: float) -> object:
    return dimension.values[int(suggested)] if isinstance(dimension, Choice) else dimension.value(suggested)
