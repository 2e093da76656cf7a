"""Examples of driven simulations: they run, and what they print is possible."""

from __future__ import annotations

import runpy
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "driving"


def run(name: str) -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def test_a_training_step_takes_its_computing_and_its_ring() -> None:
    found = run("training_loop")
    # Four microbatches and the one that fills the pipeline, then six rounds of a quarter of the gradients at 100 Gb/s.
    least_us = 5 * 200 + 2_000_000 * 8 / 100e3 + 6 * 4_000_000 * 8 / 100e3
    [first, *_, last] = found["ends_us"]
    assert least_us < first < 1.5 * least_us  # each part begins in slow start
    assert last < found["STEPS"] * 1.5 * least_us
    assert found["result"].flows.num_rows == 3 * (4 * 4 + 8 * 6)


def test_a_parameter_server_waits_for_its_own_link_both_ways() -> None:
    found = run("parameter_server")
    all_at_once_us = 7 * 4_000_000 * 8 / 100e3
    times = [0.0, *found["ends_us"]]
    apart = [later - earlier for earlier, later in pairwise(times)]
    assert all_at_once_us < apart[0] < 1.15 * (150 + all_at_once_us)
    assert all(2 * all_at_once_us < each < 1.15 * (150 + 2 * all_at_once_us) for each in apart[1:])
    assert found["result"].summary["flows"]["all"]["count"] == 2 * 7 * 5


def test_every_request_moves_its_cache_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("llm_serving")
    sizes = sorted(found["result"].flows["size_bytes"].to_pylist())
    assert len(sizes) == len(found["moving_ms"]) == found["REQUESTS"]
    assert found["moving_ms"][0] > sizes[0] * 8 / 100e6
    assert all(host == 0 for host in found["decoding"].values())
    assert "time to first token: median" in capsys.readouterr().out
