"""Buffer policies and markers in Python, and congestion controls of queue pairs."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import xoff
from conftest import ROOT, SMALL
from xoff.results import notes

EXAMPLES = ROOT / "examples" / "schemes"
CROWDED = ("observe={}", "switch.total=60kB", "switch.marking={}", "workload.groups=3")
ROCE = SMALL.replace('kind = "tcp"\ncongestion_control = { algorithm = "dctcp" }', 'kind = "roce"')


def under(key: str, table: Mapping[str, object], file: str, text: str, small: str = SMALL) -> xoff.Scenario:
    """Returns the small scenario with a scheme of a file in place of a table."""
    return xoff.Scenario(small, None, CROWDED, {file: text}).with_value(key, table)


def digest(scenario: xoff.Scenario, threads: int = 1) -> str:
    return str(scenario.run(threads=threads).summary["digest"])


def test_a_policy_in_python_gives_the_digest_of_the_built_in_one() -> None:
    text = """
from dataclasses import dataclass

from xoff.schemes import BufferPolicy


class Dynamic(BufferPolicy):
    '''Dynamic Threshold.'''

    @dataclass
    class Parameters:
        alpha: float = 1.0

    def threshold(self, free):
        return self.parameters.alpha * free
"""
    built_in = xoff.Scenario(SMALL, None, CROWDED)
    for alpha in (1, 0.25):
        table = {"policy": "mine.py:Dynamic", "alpha": alpha}
        expected = digest(built_in.with_value("switch.buffer.alpha", alpha))
        assert digest(under("switch.buffer", table, "mine.py", text)) == expected
        assert digest(under("switch.buffer", table, "mine.py", text), threads=2) == expected


def test_a_marker_in_python_gives_the_digest_of_the_built_in_one() -> None:
    text = """
from dataclasses import dataclass

from xoff.schemes import Marker, parameter


class Step(Marker):
    '''Marks above a threshold.'''

    WHEN

    @dataclass
    class Parameters:
        threshold: int = parameter("10kB", unit="size")

    def marks(self, length):
        return length > self.parameters.threshold
"""
    for when in ("enqueue", "dequeue"):
        built_in = xoff.Scenario(SMALL, None, CROWDED).with_value(
            "switch.marking.queue", {"kind": "threshold", "threshold": "12kB", "when": when}
        )
        table = {"kind": "mine.py:Step", "threshold": "12kB"}
        mine = under("switch.marking.queue", table, "mine.py", text.replace("WHEN", f'when = "{when}"'))
        assert digest(mine) == digest(built_in)
        assert digest(mine, threads=2) == digest(built_in)


def test_a_marker_draws_from_its_own_stream_and_follows_its_place() -> None:
    text = """
from xoff.schemes import Marker


class Follows(Marker):
    '''Marks at random while more packets have come than gone.'''

    def __init__(self, parameters, place):
        assert place.rate == 10**10 and place.largest_frame > 1000
        self.inside = 0

    def on_arrival(self, frame):
        self.inside += frame

    def on_departure(self, before, after):
        self.inside -= before - after

    def marks(self, length, draw):
        return self.inside > 15000 and draw < 0.5
"""
    mine = under("switch.marking.queue", {"kind": "mine.py:Follows"}, "mine.py", text)
    result = mine.run()
    assert 0 < result.summary["packets"]["marked"] < result.summary["packets"]["sent"]
    assert digest(mine, threads=2) == result.summary["digest"]
    assert digest(mine.with_value("seed", 4)) != result.summary["digest"]


@pytest.mark.parametrize(("key", "tag", "name", "parameters"), [
    ("switch.buffer", "policy", "half_free.py:HalfFree", {"most": 0.1}),
    ("switch.marking.queue", "kind", "ramp.py:Ramp", {}),
])  # fmt: skip
def test_an_example_changes_the_run(key: str, tag: str, name: str, parameters: dict[str, object]) -> None:
    file = name.partition(":")[0]
    mine = under(key, {tag: name, **parameters}, file, (EXAMPLES / file).read_text(encoding="utf-8"))
    assert digest(mine) != digest(xoff.Scenario(SMALL, None, CROWDED))
    assert mine.check() is not None


def test_a_policy_that_keeps_state_is_refused() -> None:
    text = """
from xoff.schemes import BufferPolicy


class Counts(BufferPolicy):
    '''Counts.'''

    def threshold(self, free):
        self.count = 1
        return free
"""
    mine = under("switch.buffer", {"policy": "mine.py:Counts"}, "mine.py", text)
    with pytest.raises(xoff.SchemeError) as caught:
        mine.run()
    assert str(caught.value) == (
        "mine.py: line 9: AttributeError: a buffer policy keeps no state, and `count` is set, in Counts.threshold"
    )


PACED = """
from xoff.schemes import CongestionControl, MICROSECOND


class Paced(CongestionControl):
    '''Halves its rate at a signal, and doubles it every 10 us.'''

    signals = "SIGNALS"

    def __init__(self, parameters, flow):
        self.line = self.bps = flow.line_rate
        self.due = None
        self.floor = self.line // 1000
        assert flow.initial_window is None and flow.overhead > 0

    def slow(self, now):
        self.bps = max(self.bps // 2, self.floor)
        self.due = now + 10 * MICROSECOND

    EVENT

    def on_timer(self, now):
        self.bps = min(self.bps * 2, self.line)
        self.due = now + 10 * MICROSECOND if self.bps < self.line else None

    def rate(self):
        return None if self.bps == self.line else self.bps

    def next_timer(self):
        return self.due
"""


@pytest.mark.parametrize(("signals", "event"), [
    ("notifications", "on_notification(self, now):\n        self.slow(now)"),
    ("delay", "on_ack(self, now, rtt):\n        if rtt > 12 * MICROSECOND:\n            self.slow(now)"),
    ("delay_and_marks", "on_ack(self, now, echo):\n        if echo:\n            self.slow(now)"),
    ("telemetry", "on_ack(self, now, hops):\n        if any(h[4] > 9000 for h in hops):\n            self.slow(now)"),
])  # fmt: skip
def test_a_queue_pair_hears_what_its_signals_say(signals: str, event: str, tmp_path: Path) -> None:
    text = PACED.replace("SIGNALS", signals).replace("EVENT", f"def {event}")
    marking = {"kind": "threshold", "threshold": "20kB"}
    plain = xoff.Scenario(ROCE, None, ("observe.rates={ every = '5us', of = ['host2'] }",)).with_value(
        "switch.marking.queue", marking
    )
    mine = xoff.Scenario(plain.text, None, plain.overrides, {"mine.py": text}).with_value(
        "transport.dctcp.congestion_control", {"algorithm": "mine.py:Paced"}
    )
    result = mine.run()
    assert result.summary["flows"]["unfinished"] == 0
    assert result.summary["digest"] != plain.run().summary["digest"], "it has slowed down"
    assert digest(mine, threads=2) == result.summary["digest"]
    result.save(tmp_path / "result")
    assert xoff.Result.open(tmp_path / "result").topology.hosts
    assert not any("ECN-capable" in note for note in notes.of_result(xoff.Result.open(tmp_path / "result")))
