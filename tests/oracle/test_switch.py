"""Random switches under random traffic: what the oracle says of a million packets, and what the simulator did."""

import secrets

import pytest

from conftest import NIGHTLY
from oracle.drawn import draw
from oracle.replay import Verdict, judge
from xoff import Scenario

BLOCKS, RUNS = (200, 50) if NIGHTLY else (10, 21)
"""Tests, and runs of each; a run has some 5,000 packets."""
FIRST = secrets.randbelow(10**9) if NIGHTLY else 0


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_oracle_and_the_simulator_decide_alike(block: int) -> None:
    """Drops, marks, pauses and resumes are the oracle's, packet by packet."""
    verdict = Verdict()
    for seed in range(FIRST + block * RUNS, FIRST + (block + 1) * RUNS):
        drawn = draw(seed, microseconds=200)
        of_run = judge(drawn, Scenario.from_dict(drawn.scenario).run())
        assert not of_run.disagreements, f"seed {seed}: {of_run.disagreements}"
        verdict.add(of_run)
    assert verdict.packets > RUNS * 1_000
    assert min(verdict.drops, verdict.pauses, verdict.marks) > RUNS, "each kind of decision was there"
    # Where chance decides, the number of marks does as it should.
    assert abs(verdict.marks - verdict.expected_marks) < 5 * verdict.variance**0.5


@pytest.mark.parametrize("seed", [731_002_366, 731_003_178, 731_004_757])
def test_rare_coincidences_are_decided_alike(seed: int) -> None:
    """Two transmissions end at one instant; twice, a resume depends on a margin of 1 B."""
    drawn = draw(seed, microseconds=200)
    assert not judge(drawn, Scenario.from_dict(drawn.scenario).run()).disagreements
