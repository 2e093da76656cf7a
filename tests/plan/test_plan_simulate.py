"""A plan tried out on a small switch."""

import pytest
from planned import planned

from xoff.errors import PlanError
from xoff.plan.outcome import Outcome
from xoff.plan.simulate import Trial, scenario, trial

PORTS = 'count = 8\nrate = "10Gbps"\ndelay = "1us"'


def tried(found: Outcome) -> Trial:
    return trial(scenario(found).run())


def dcqcn(minimum: str, maximum: str) -> Outcome:
    rest = f'[congestion]\nscheme = "dcqcn"\nminimum = "{minimum}"\nmaximum = "{maximum}"\nprobability = 1.0'
    return planned("trident_plus", 'memory = "1MB"', PORTS, "priorities = [3]\nlossless = true", rest)


def test_thresholds_that_hold_mark_before_they_pause() -> None:
    found = tried(dcqcn("5kB", "10kB"))
    assert found.ecn_came_first
    assert found.pause_frames > 0
    assert (found.dropped_packets, found.last_drop_us) == (0, None)
    assert found.sentences[0].endswith("ECN came before PFC")
    assert found.sentences[1].startswith("nothing was lost")


def test_thresholds_that_are_never_reached_pause_first() -> None:
    found = tried(dcqcn("900kB", "950kB"))
    assert not found.ecn_came_first
    assert found.first_pause_us is not None


def test_headroom_far_too_small_loses_packets() -> None:
    rest = '[headroom]\nsize = "1kB"'
    classes = "priorities = [3]\nlossless = true\nalpha = 8"
    found = tried(planned("trident_plus", 'memory = "200kB"', PORTS, classes, rest))
    assert found.dropped_packets > 0
    assert found.last_drop_us is not None
    assert "packets were lost, the last after" in found.sentences[1]


def test_long_flows_of_dctcp_are_marked_and_never_paused() -> None:
    rest = '[congestion]\nscheme = "dctcp"\nround_trip = "100us"'
    found = tried(planned("trident_plus", 'memory = "4MB"', PORTS, "priorities = [0]", rest))
    assert found.marked_packets > 0
    assert found.pause_frames == 0
    assert found.sentences[0].endswith("ECN alone")


def test_too_few_ports_and_qcn_are_refused() -> None:
    with pytest.raises(PlanError, match="4 ports are too few to congest them all"):
        scenario(planned("trident_plus", ports=PORTS.replace("8", "4")))
    rest = '[congestion]\nscheme = "qcn"\nbuffer = "150kB"\nstop = "110kB"\ngo = "44kB"'
    with pytest.raises(PlanError, match="QCN is not simulated"):
        scenario(planned("trident_plus", ports=PORTS, rest=rest))
