"""Slowdown by flow size of several scenarios."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.figure import Figure

from xoff.results.intervals import Estimate
from xoff.results.slowdowns import PERCENTS
from xoff.studies.plot.slowdown_by_size import draw_lines
from xoff.studies.slowdown_by_size import OfSize


@pytest.mark.parametrize(("sizes", "drawn_as"), [([64_000], LineCollection), ([64_000, 128_000], PolyCollection)])
def test_an_interval_is_seen_however_many_groups_there_are(sizes: list[int], drawn_as: type[Collection]) -> None:
    estimates = (Estimate(9.0, 7.0, 11.0),) * len(PERCENTS)
    by_size = [OfSize(size, "one", 100, estimates) for size in sizes]
    ax = Figure().subplots()
    draw_lines(["one"], by_size, ax, 99)
    (interval,) = (found for found in ax.collections if isinstance(found, drawn_as))
    (path,) = interval.get_paths()
    heights = np.asarray(path.vertices)[:, 1]
    assert (heights.min(), heights.max()) == (7.0, 11.0)
