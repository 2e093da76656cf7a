"""Faults of schemes in Python: each is one line, and ends what it concerns."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import SMALL, Outcome
from xoff.schemes import watching

KEY = "transport.dctcp.congestion_control"
HEAD = "from xoff.schemes import CongestionControl\n\n\n"
CLASS = 'class Mine(CongestionControl):\n    """Mine."""\n\n'
WINDOW = "    def window(self):\n        return 14600\n"
ONLY = "a scheme knows no clock, no file and no randomness but `flow.random` and `draw`"


def scenario(text: str, small: str = SMALL) -> xoff.Scenario:
    """Returns the small scenario under `Mine` of a file with this text."""
    return xoff.Scenario(small, "small.toml", (f"{KEY}={{ algorithm = 'mine.py:Mine' }}",), {"mine.py": text})


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import time\n", f"line 1: imports time; {ONLY}; modules: "),
        (HEAD + "import numpy.random\n", "line 4: imports numpy.random; "),
        ("from os import path\n", "line 1: imports os; "),
        ("from . import other\n", "line 1: imports .; "),
        ("import numpy as np\nx = np.random.rand()\n", "line 2: uses numpy's random numbers; expected `flow.random`: "),
        ("x = open('x')\n", f"line 1: names `open`; expected arithmetic: {ONLY}"),
        ("x = [id(3)]\n", "line 1: names `id`; "),
        ("def f():\n    global x\n", "line 2: shares `x` between flows; expected state in `self`"),
        ("def f(:\n", "line 1: is no Python: "),
        (HEAD + "x = 1 / 0\n", "line 4: raises ZeroDivisionError: division by zero; expected a module that loads"),
        ("", "there is no scheme `Mine`; expected a subclass of xoff.schemes.CongestionControl, BufferPolicy or "),
        (HEAD + "class Mien(CongestionControl):\n" + WINDOW, "no scheme `Mine`; did you mean `Mien`? expected Mien"),
        ("Mine = 3\n", "`Mine` is no scheme; "),
        (HEAD + CLASS, "Mine: has no method `window`; expected `def window(self)`"),
        (HEAD + CLASS + WINDOW + "    signals = 'mark'\n", "Mine: there are no signals 'mark'; expected one of losses"),
        (
            HEAD + CLASS + WINDOW + "    def on_akc(self):\n        pass\n",
            "line 9: `Mine` has `on_akc`, which is no event; did you mean `on_ack`? expected one of on_ack, ",
        ),
        (
            HEAD + CLASS + WINDOW + "    def on_ack(self, acked):\n        pass\n",
            "line 9: `on_ack` asks for `acked`; ",
        ),
        (HEAD + CLASS + WINDOW + "    def on_loss(self, *, now):\n        pass\n", "has no place of its own; "),
        (HEAD + CLASS + WINDOW + "    alpha = 3\n", "Mine: `alpha` is no method; expected `def alpha(self)`"),
        (HEAD + CLASS + WINDOW + "    def on_timer(self):\n        pass\n", "and no method `next_timer`; expected "),
        (HEAD + CLASS + WINDOW + "    class Parameters:\n        x = 1\n", "Mine: `Parameters` is no dataclass; "),
        (
            HEAD.replace("CongestionControl", "BufferPolicy")
            + "class Mine(BufferPolicy):\n    def threshold(self):\n        return 1\n",
            "`Mine` is a BufferPolicy; expected a subclass of xoff.schemes.CongestionControl here",
        ),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_used_is_answered_with_its_line(text: str, error: str) -> None:
    with pytest.raises(xoff.ScenarioError) as caught:
        scenario(text)
    assert str(caught.value).startswith(f"small.toml: {KEY}.algorithm: mine.py")
    assert error in str(caught.value)


@pytest.mark.parametrize("name", ["mine:Mine", "mine.Py:Mine", "mine.py", "schemes/mine.py"])
def test_a_name_that_is_nearly_one_of_a_class_is_answered_with_the_form(name: str) -> None:
    with pytest.raises(xoff.ScenarioError) as caught:
        xoff.Scenario(SMALL, "small.toml", (f"{KEY}={{ algorithm = '{name}' }}",))
    assert str(caught.value).endswith(
        f'{KEY}.algorithm: "{name}" names no class of a file; expected FILE.py:CLASS, such as my_control.py:MyControl'
    )


@pytest.mark.parametrize(
    ("field", "error"),
    [
        ("x: list = None", "Mine.Parameters.x: is of type list; expected int, float, bool or str"),
        ("x: int = 0.5", "Mine.Parameters.x: its default 0.5 does not fit; expected one of type int"),
        ("x: bool = 1", "Mine.Parameters.x: its default 1 does not fit; expected one of type bool"),
        ("x: int = parameter('5kB', unit='time')", 'x: its default: "5kB" is a size, not a time; expected '),
        ("algorithm: int = 3", "Mine.Parameters.algorithm: is the key that names a scheme; expected another name"),
        ("kind: int = 3", "Mine.Parameters.kind: is the key that names a scheme; expected another name"),
        ("x: int = parameter(5, below=5)", "x: its default 5 is not below 5; expected one below 5"),
        ("x: float = parameter(0, above=0)", "x: its default 0.0 is not above 0; expected one above 0"),
        (
            "x: float = parameter(float('nan'), at_most=1)",
            "x: its default nan is not at most 1; expected one at most 1",
        ),
        ("x: int = parameter('1us', unit='time', at_least='2us')", "x: its default '1us' is not at least 2us; "),
        ("x: str = parameter('c', choices=('a', 'b'))", "x: its default 'c' is no choice; expected a or b"),
        ("x: Unknown = 3", "Mine.Parameters: its types cannot be read: "),
    ],
)
def test_a_parameter_that_can_be_no_key_is_answered(field: str, error: str) -> None:
    head = "from dataclasses import dataclass\nfrom xoff.schemes import CongestionControl, parameter\n"
    future = "from __future__ import annotations\n"
    with pytest.raises(xoff.ScenarioError) as caught:
        scenario(f"{future}{head}{CLASS}{WINDOW}    @dataclass\n    class Parameters:\n        {field}\n")
    assert error in str(caught.value)


def test_parameters_have_units_choices_and_bounds() -> None:
    head = "from dataclasses import dataclass\nfrom typing import Literal\n"
    text = f"""{head}from xoff.schemes import CongestionControl, parameter
{CLASS}    @dataclass
    class Parameters:
        must: bool
        size: int = parameter("1kB", "Bytes.", unit="size", above="0B")
        mode: Literal["fast", "slow"] = "fast"
        share: float = 1

    def window(self):
        p = self.parameters
        assert (p.size, p.mode, p.share, p.must) == (20000, "slow", 0.5, True)
        assert type(p.share) is float
        return p.size
"""
    given = {"size": "20kB", "mode": "slow", "share": 0.5, "must": True}

    def under(keys: dict[str, object]) -> xoff.Scenario:
        small = xoff.Scenario(SMALL, "small.toml", (), {"mine.py": text})
        return small.with_value(KEY, {"algorithm": "mine.py:Mine", **keys})

    under(given).run()
    for key, value, error in (
        ("size", "0B", 'size: "0B" is too small; expected a value above 0B'),
        ("size", "1us", 'size: "1us" is a time, not a size; expected a size with its unit'),
        ("mode", "slwo", 'mode: unknown value "slwo"; did you mean "slow"? expected "fast" or "slow"'),
        ("must", 1, "must: 1 does not fit; expected true or false"),
    ):
        with pytest.raises(xoff.ScenarioError) as caught:
            under({**given, key: value})
        assert error in str(caught.value)
    with pytest.raises(xoff.ScenarioError, match="must: missing; expected parameter `must`"):
        under({})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("body", "error"),
    [
        (
            "    def on_ack(self, now):\n        1 / 0\n",
            "mine.py: line 10: ZeroDivisionError: division by zero, in Mine.on_ack of flow host2.flow0",
        ),
        (
            "    def window(self):\n        return float('nan')\n",
            "mine.py: Mine.window of flow host2.flow0 at 0 us answers nan; expected a number of bytes, at least 0",
        ),
        ("    def window(self):\n        return -1\n", "answers -1; expected a number of bytes, at least 0"),
        ("    def window(self):\n        return None\n", "answers None; "),
        (
            "    def __init__(self, parameters, flow):\n        self.x = flow.segmnt\n",
            "line 10: AttributeError: 'Flow' object has no attribute 'segmnt', in Mine.__init__ of flow host2.flow0",
        ),
    ],
)  # fmt: skip
def test_a_fault_ends_the_run_with_flow_time_and_line(body: str, error: str, threads: int) -> None:
    with pytest.raises(xoff.SchemeError) as caught:
        scenario(HEAD + CLASS + WINDOW + body).run(threads=threads)
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


ROCE = SMALL.replace('kind = "tcp"\ncongestion_control = { algorithm = "dctcp" }', 'kind = "roce"')


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (
            "    def rate(self):\n        return 10**12\n",
            "Mine.rate of flow host2.flow0 at 0 us answers 1000000000000; expected bits per second, at most the",
        ),
        (
            "    def next_timer(self):\n        return 5\n\n    def on_timer(self):\n        pass\n",
            "Mine.next_timer of flow host2.flow0 at 5e-06 us answers 5; expected a later time than that of the timer ",
        ),
    ],
)  # fmt: skip
def test_answers_of_a_pacing_scheme_are_held_to_its_line(body: str, error: str) -> None:
    with pytest.raises(xoff.SchemeError) as caught:
        scenario(f"{HEAD}{CLASS}    signals = 'delay'\n\n{WINDOW}{body}", ROCE).run()
    assert error in str(caught.value)


def test_signals_that_a_transport_does_not_deliver_are_refused() -> None:
    with pytest.raises(xoff.ScenarioError, match="needs the adapter's clock, which only RoCE has"):
        scenario(f"{HEAD}{CLASS}    signals = 'delay'\n\n{WINDOW}")


def test_a_method_that_does_not_return_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(watching.TookTooLong, "seconds", 0.2)
    ended: list[int] = []
    end = watching._end

    def counted(thread: int) -> None:
        ended.append(thread)
        end(thread)

    monkeypatch.setattr(watching, "_end", counted)
    body = "    def on_ack(self):\n        while True:\n            pass\n"
    with pytest.raises(xoff.SchemeError) as caught:
        scenario(HEAD + CLASS + WINDOW + body).run()
    error = str(caught.value)
    assert len(ended) == 1, "the other flows are not asked any more"
    assert "Mine.on_ack of flow host2.flow0 at " in error
    assert error.endswith(" has not returned for 0.2 s; expected an answer in microseconds")
    assert "mine.py: line 10: " in error or "mine.py: line 11: " in error


def test_a_simulation_that_a_program_drives_ends_with_the_fault() -> None:
    driven = SMALL[: SMALL.index("[[workload]]")] + '[[workload]]\nkind = "driven"\ntransport = "dctcp"\n'
    simulation = xoff.Simulation(scenario(HEAD + CLASS + WINDOW + "    def on_ack(self):\n        1 / 0\n", driven))
    simulation.send("host1", "host0", "50kB")
    with pytest.raises(xoff.SchemeError, match=r"line 10: ZeroDivisionError: .* of flow host1\.flow0 at "):
        simulation.run()


def test_the_command_line_says_one_line_and_fails(command: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL.replace('"dctcp" }', '"mine.py:Mine" }'), encoding="utf-8")
    (tmp_path / "mine.py").write_text(
        HEAD + CLASS + WINDOW + "    def on_ack(self):\n        1 / 0\n", encoding="utf-8"
    )
    for arguments in (
        ["run", "small.toml"],
        ["sweep", "small.toml", "--sweep", "workload.groups=1,2", "--workers", "1"],
    ):
        ran = command(*arguments)
        assert ran.status != 0
        assert (
            "mine.py: line 10: ZeroDivisionError: division by zero, in Mine.on_ack of flow host2.flow0 at " in ran.err
        )
        assert "Traceback" not in ran.err


@pytest.mark.parametrize("shared", ["seen = []", "seen: dict = {}", "seen = collections.deque()", "seen = [0] * 3"])
@pytest.mark.parametrize("indent", ["    ", ""])
def test_what_flows_and_runs_would_share_is_refused(shared: str, indent: str) -> None:
    text = f"import collections\n{HEAD}class Mine(CongestionControl):\n    kept = (1, 2)\n{WINDOW}\n{indent}{shared}\n"
    line = text.count("\n")
    with pytest.raises(xoff.ScenarioError, match=rf"line {line}: shares `seen`, which can be changed, between flows"):
        scenario(text)


def test_each_class_runs_from_its_own_text(tmp_path: Path) -> None:
    """Two files of one name, and a class whose name another takes later."""
    classes = []
    for number, window in enumerate((5_000, 90_000)):
        path = tmp_path / str(number) / "scheme.py"
        path.parent.mkdir()
        path.write_text(HEAD + CLASS + WINDOW.replace("14600", str(window)))
        spec = importlib.util.spec_from_file_location(f"scheme_{number}", path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        classes.append(module.Mine)
    small = xoff.Scenario(SMALL, "small.toml")
    both = small.with_scheme(classes[1]).with_scheme(classes[0])
    assert both.run().digest == small.run(schemes=classes[:1]).digest != small.run(schemes=classes[1:]).digest


def test_what_does_not_return_outside_of_a_run_is_ended() -> None:
    def forever() -> None:
        while True:
            pass

    with pytest.raises(watching.TookTooLong), watching.limited(0.05):
        forever()
    with watching.limited(0.05):
        pass
