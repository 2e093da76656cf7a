"""Laws of schemes in Python: `xoff check FILE.py`, and what `xoff init scheme` writes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome
from xoff.studies import scheme_laws

Command = Callable[..., Outcome]
EXAMPLES = sorted((ROOT / "examples" / "schemes").glob("*.py"))
RENO = """
from xoff.schemes import CongestionControl


class Mine(CongestionControl):
    '''Reno without slow start.'''

    def __init__(self, parameters, flow):
        self.segment, self.size = flow.segment, flow.initial_window

    def on_ack(self, newly_acked, window_limited):
        if window_limited:
            self.size += self.segment * newly_acked // self.size

    def on_loss(self, timeout):
        self.size = self.segment if timeout else max(self.size // 2, self.segment)

    def window(self):
        return self.size
"""


def broken(text: str) -> list[str]:
    """Returns the laws that a scheme breaks."""
    return [verdict.law for verdict in scheme_laws.check(text, "mine.py") if verdict.broken_by]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_keeps_the_laws(path: Path) -> None:
    assert broken(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "law"),
    [
        ("if window_limited:", "if True:", "a window that is not the limit does not grow"),
        ("self.segment if timeout else ", "", "a timeout leaves one segment"),
        ("max(self.size // 2, self.segment)", "self.size + 9000", "a loss never raises the window"),
        ("max(self.size // 2, self.segment)", "self.size // 9", "the window is at least one segment"),
        ("self.size += self.segment * newly_acked // self.size", "self.size *= 9", "the window stays below a petabyte"),
    ],
)
def test_a_law_that_is_broken_is_named(old: str, new: str, law: str) -> None:
    assert broken(RENO) == []
    assert old in RENO
    assert law in broken(RENO.replace(old, new))


def test_a_policy_that_says_it_falls_is_held_to_that() -> None:
    head = "from xoff.schemes import BufferPolicy\n\n\nclass Rises(BufferPolicy):\n    falls = True\n\n"
    method = "    def threshold(self, used, shared):\n        return shared // 2 + used\n"
    assert broken(head + method) == ["a fuller pool never raises a threshold"]


def test_state_that_flows_share_is_found() -> None:
    shared = RENO.replace("def __init__", "drawn = 0\n\n    def __init__").replace(
        "return self.size", "return self.size + self.drawn % 7 * self.segment"
    )
    shared = shared.replace("        if window_limited:", "        type(self).drawn += 1\n        if window_limited:")
    assert "two runs give one digest" in broken(shared)


def test_what_is_written_to_start_from_keeps_the_laws_and_passes_its_test(command: Command) -> None:
    ran = command("init", "scheme")
    assert (
        ran.out
        == "my_control.toml and my_control.py and test_my_control.py written; run it: xoff run my_control.toml\n"
    )
    assert command("check", "my_control.py").out == "my_control.py: MyControl: ok, 8 laws\n"
    assert command("run", "my_control.toml", "--set", "workload.size=100kB").status == 0
    tests = subprocess.run([sys.executable, "-m", "pytest", "-q"], capture_output=True, text=True, check=False)
    assert "3 passed" in tests.stdout


def test_broken_laws_and_files_that_cannot_be_used_fail(command: Command) -> None:
    Path("mine.py").write_text(RENO.replace("self.size // 2, ", "self.size + 9000, "), encoding="utf-8")
    ran = command("check", "mine.py")
    assert ran.status == 1
    said, law = ran.out.splitlines()
    assert said == "mine.py: Mine: breaks 1 of 8 laws"
    assert law.startswith("a loss never raises the window: no: ")
    verdicts = json.loads(command("check", "mine.py", "--json").out)
    assert [verdict["law"] for verdict in verdicts if verdict["broken_by"]] == ["a loss never raises the window"]
    Path("mine.py").write_text("import time\n", encoding="utf-8")
    ran = command("check", "mine.py")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("mine.py: line 1: imports time; a scheme knows no clock")
    Path("mine.py").write_text("x = 1\n", encoding="utf-8")
    assert command("check", "mine.py").err.startswith("mine.py: has no scheme; expected a subclass of ")


def test_a_scheme_is_explained_with_its_keys(command: Command) -> None:
    command("init", "scheme")
    ran = command("explain", "my_control.py:MyControl")
    assert ran.out.startswith("my_control.py:MyControl (congestion control)\n  Grows by a segment each round trip")
    ran = command("explain", "my_control.py:MyControl.cut")
    assert "takes:    a number, above 0 and below 1\n  default:  0.5\n  symbol:   beta\n" in ran.out
    ran = command("explain", "my_control.py:MyControl.cot")
    assert (ran.status, ran.err) == (2, "my_control.py: MyControl: has no key `cot`; expected one of cut\n")
