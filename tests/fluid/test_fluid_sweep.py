"""Sweeps of fluid models on executors."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from xoff.fluid.model import Fluid
from xoff.fluid.sweep import Sweep


def test_an_executor_makes_the_trajectories_of_threads() -> None:
    sweep = Sweep.of(Fluid.of("dctcp", duration="5ms"), {"flows": ["2", "4", "8"]})
    with ProcessPoolExecutor(2) as executor:
        ended: list[int] = []
        found = sweep.run(on=executor, on_finished=lambda: ended.append(1))
    assert found.rows == sweep.run(workers=2).rows
    assert len(ended) == 3
