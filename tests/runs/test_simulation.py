"""Simulations that a program drives: what callbacks do and see, and what is refused."""

from __future__ import annotations

import time
import traceback
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import xoff
from xoff.runs import callback_watch
from xoff.runs.callback_watch import CallbackWatch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STAR = {
    "topology": {"kind": "star", "hosts": 4, "host_link": {"rate": "100Gbps", "delay": "1us"}},
    "transport": {
        "tcp": {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}},
        "raw": {"kind": "constant_rate"},
    },
}
DRIVEN = {"kind": "driven", "transport": "tcp"}


def driven(*workloads: dict[str, Any], **tables: Any) -> xoff.Scenario:  # noqa: ANN401
    return xoff.Scenario.from_dict({**STAR, **tables, "workload": list(workloads) or [DRIVEN]})


def simulation(*workloads: dict[str, Any], **tables: Any) -> xoff.Simulation:  # noqa: ANN401
    return xoff.Simulation(driven(*workloads, **tables))


def test_a_reaction_begins_where_and_when_the_message_is_complete() -> None:
    run = simulation()
    seen: list[tuple[str, float]] = []

    def answer(question: xoff.Message) -> None:
        seen.append((question.destination, run.now))
        run.on_complete(run.send(question.destination, question.source, 5000), acknowledged, "sender")

    def acknowledged(message: xoff.Message) -> None:
        seen.append((message.source, run.now))

    run.send("host0", "host1", "10kB", on_complete=answer)
    run.run()
    first, second = run.finish().flows.to_pylist()
    assert second["start_ns"] == first["received_ns"]
    assert [place for place, _ in seen] == ["host1", "host1"]
    assert [int(at) for _, at in seen] == [first["received_ns"], second["finish_ns"]]


def test_messages_are_the_flows_of_a_trace_beside_other_workloads(tmp_path: Path) -> None:
    rows = [(0, 1, 3000, 0), (2, 1, 40_000, 700), (3, 0, 1, 700), (1, 3, 250_000, 12_345)]
    beside = {"kind": "incast", "transport": "tcp", "fan_in": 3, "size": "30kB", "groups": 2, "every": "9us"}
    lines = [f"host{source},host{destination},{size},{at},0" for source, destination, size, at in rows]
    (tmp_path / "flows.csv").write_text("\n".join(["source,destination,size_bytes,start_ns,priority", *lines, ""]))
    (tmp_path / "trace.toml").write_text(
        driven({"kind": "trace", "transport": "tcp", "file": "flows.csv"}, beside).text
    )
    expected = xoff.Scenario.load(tmp_path / "trace.toml").run()

    ahead = simulation(DRIVEN, beside)
    for source, destination, size, at in rows:
        ahead.send(f"host{source}", f"host{destination}", size, at=at)
    ahead.run()
    step_by_step = simulation(DRIVEN, beside)
    for source, destination, size, at in rows:
        step_by_step.run_until(at)
        assert step_by_step.now == at
        step_by_step.send(f"host{source}", f"host{destination}", size)
    step_by_step.run()
    for run in (ahead, step_by_step):
        result = run.finish()
        assert result.summary["digest"] == expected.summary["digest"]
        assert result.flows == expected.flows
        assert result.ports == expected.ports
        assert result.summary["flows"] == expected.summary["flows"]


def test_time_stands_where_it_was_asked_to() -> None:
    run = simulation()
    called: list[float] = []
    run.at("3us", lambda: called.append(run.now))
    run.after(2000, lambda: run.after("500ns", lambda: called.append(run.now)), host="host2")
    run.run_until("3us")
    assert (called, run.now) == ([2500], 3000)
    run.run()
    assert called == [2500, 3000]


def test_everywhere_a_callback_may_send_from_any_host() -> None:
    run = simulation()
    for number in range(4):
        run.at("1us", lambda number=number: run.send(f"host{number}", f"host{(number + 1) % 4}", 100))  # type: ignore[misc]
    run.run()
    assert [row["start_ns"] for row in run.finish().flows.to_pylist()] == [1000] * 4


def test_rows_of_flows_may_be_left_out_but_not_their_number(tmp_path: Path) -> None:
    run = xoff.Simulation(driven(), keep_flows=False)
    left = 500

    def again(message: xoff.Message) -> None:
        nonlocal left
        left -= 1
        if left:
            run.send(message.destination, message.source, 1000, on_complete=again)

    run.send("host0", "host1", 1000, on_complete=again)
    run.run()
    result = run.finish()
    flows = result.summary["flows"]
    assert (result.flows.num_rows, flows["started"], flows["unfinished"], flows["without_row"]) == (0, 500, 0, 500)
    result.save(tmp_path / "result")
    assert xoff.Result.open(tmp_path / "result").summary["flows"] == flows


def test_a_run_ends_where_the_scenario_says() -> None:
    run = simulation(stop={"at": "5us"})
    run.send("host0", "host1", "1MB")
    run.run_until("1ms")
    assert (run.is_over, run.now) == (True, 5000)
    with pytest.raises(xoff.InputError, match=r"the run is over since 5 us; expected a later stop\.at"):
        run.send("host0", "host1", "1MB")
    assert run.finish().summary["flows"]["unfinished"] == 1


REFUSED: dict[str, tuple[Callable[[xoff.Simulation], object], str]] = {
    "host": (
        lambda run: run.send("host0", "hots1", 1),
        'destination: "hots1" does not exist; did you mean "host1"? expected the name of a host',
    ),
    "switch": (
        lambda run: run.send("switch0", "host1", 1),
        'source: "switch0" is a switch; expected the name of a host',
    ),
    "itself": (
        lambda run: run.send("host1", "host1", 1),
        'destination: "host1" would send to itself; expected another host',
    ),
    "zero bytes": (
        lambda run: run.send("host0", "host1", 0),
        "size: a message of 0 bytes; expected at least 1",
    ),
    "no size": (lambda run: run.send("host0", "host1", "1us"), 'size: "1us" is a time, not a size; expected a size'),
    "class": (
        lambda run: run.send("host0", "host1", 1, priority=3),
        "priority: 3 is none of the classes in workload[0].priority, which are [0]; expected one of those, or 3 ",
    ),
    "transport": (
        lambda run: run.send("host0", "host1", 1, transport="raw"),
        'transport: no driven workload has "raw"; expected one of tcp',
    ),
    "past": (
        lambda run: run.send("host0", "host1", 1, at="1us"),
        "at: 1 us is past; expected 2 us, which is now, or later",
    ),
    "past callback": (lambda run: run.at("1us", print), "time: 1 us is past; expected 2 us, which is now, or later"),
    "past stop": (lambda run: run.run_until(0), "time: 0 us is past; expected 2 us or later"),
    "before all time": (
        lambda run: run.at(-1, print),
        "time: -1 ns is none of the run; expected at least 0, at most 1125s",
    ),
    "after all time": (lambda run: run.at("2000s", print), "time: 2000000000 us is too late; expected at most 1125s"),
    "end": (
        lambda run: run.on_complete(run.send("host0", "host1", 1), print, "middle"),  # type: ignore[arg-type]
        'end: "middle" is no end of a message; expected "receiver" or "sender"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_a_line(case: str) -> None:
    run = simulation()
    run.run_until("2us")
    act, line = REFUSED[case]
    with pytest.raises(xoff.InputError) as refusal:
        act(run)
    assert str(refusal.value).startswith(line)


def test_a_handle_is_used_once() -> None:
    run = simulation()
    message = run.send("host0", "host1", 1000)
    run.on_complete(message, lambda _: None)
    with pytest.raises(xoff.InputError, match="message: has somebody who listens at this end; expected one listener"):
        run.on_complete(message, lambda _: None)
    run.run_until(10)
    with pytest.raises(xoff.InputError, match="message: is under way already; ask as it is sent"):
        run.on_complete(message, lambda _: None, "sender")
    run.run()
    with pytest.raises(xoff.InputError, match="message: is complete, and its handle is spent"):
        run.on_complete(message, lambda _: None, "sender")


def test_another_host_may_be_ahead_of_a_reaction() -> None:
    run = simulation()
    refused: list[str] = []

    def react(message: xoff.Message) -> None:
        with pytest.raises(xoff.InputError) as refusal:
            run.send("host2", "host3", 1000)
        refused.append(str(refusal.value))
        run.send("host2", "host3", 1000, at=run.now + run.reach)

    run.send("host0", "host1", 1000, on_complete=react)
    run.run()
    assert run.reach == 2000
    first, second = run.finish().flows.to_pylist()
    assert second["start_ns"] == first["received_ns"] + 2000
    assert "host2 may be ahead of host1 by 2 us, so nothing can begin there at" in refused[0]


def test_an_exception_ends_the_run_with_its_own_traceback() -> None:
    run = simulation()

    def fails(message: xoff.Message) -> None:
        raise ZeroDivisionError(message.destination)

    run.send("host0", "host1", 1000, on_complete=fails)
    with pytest.raises(ZeroDivisionError, match="host1") as raised:
        run.run()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].name == "fails"
    with pytest.raises(RuntimeError, match="the run has ended by ZeroDivisionError; `finish` has what there is"):
        run.run()
    assert run.finish().summary["flows"]["started"] == 1


def test_a_callback_neither_runs_nor_finishes_the_simulation() -> None:
    for act in (lambda run: run.run(), lambda run: run.finish()):
        run = simulation()
        run.at(0, lambda act=act, run=run: act(run))  # type: ignore[misc]
        with pytest.raises(RuntimeError, match="a callback cannot"):
            run.run()


def test_a_callback_that_does_not_return_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow() -> None: ...

    watch = CallbackWatch(lambda: "at host3, 12.5 us")
    watch.enter(slow)
    watch.look()
    assert capsys.readouterr().err == ""
    later = time.monotonic() + callback_watch.PATIENCE_S
    monkeypatch.setattr(time, "monotonic", lambda: later)
    watch.look()
    watch.look()
    line = capsys.readouterr().err
    assert line.startswith(f"xoff: {slow.__qualname__} ({__file__}:")
    assert line.endswith("called at host3, 12.5 us, has not returned for 10 s; Ctrl-C ends it\n")


def test_a_scenario_is_driven_or_run() -> None:
    with pytest.raises(xoff.ScenarioError, match=r'workload\[0\].kind: is "driven", and no program drives this run'):
        driven().run()
    incast = {"kind": "incast", "transport": "tcp", "fan_in": 2, "size": "1kB", "groups": 1}
    with pytest.raises(
        xoff.ScenarioError, match=r"workload: none is driven, so no message can be sent; expected a table"
    ):
        simulation(incast)


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.uint16, np.float32, np.float64, int, float])
def test_times_and_sizes_are_numbers_of_any_kind(kind: type) -> None:
    run = simulation()
    message = run.send("host0", "host1", kind(20_000), at=kind(30_000))
    assert (message.size, message.start_ns) == (20_000, 30_000.0)
    run.run_until(kind(31_000))
    assert run.now == 31_000.0


def test_a_message_belongs_to_its_simulation() -> None:
    one, other = simulation(), simulation()
    message = other.send("host0", "host1", 1000)
    with pytest.raises(xoff.InputError, match=r"^message: .* is none of this simulation; expected one "):
        one.on_complete(message, print)


def test_a_time_that_is_past_leaves_the_simulation_as_it_is() -> None:
    run = simulation()
    run.run_until("10us")
    with pytest.raises(xoff.InputError, match=r"^time: 5 us is past; expected 10 us or later"):
        run.run_until("5us")
    run.send("host0", "host1", 1000)
    run.run()
    assert run.finish().flows.num_rows == 1
    assert run.is_over


def test_a_loop_beyond_the_end_is_told_so() -> None:
    run = simulation(stop={"at": "10us"})
    run.run_until("20us")
    assert run.is_over
    with pytest.raises(xoff.InputError, match=r"^time: the run is over since 10 us; expected a loop that ends once"):
        run.run_until("30us")


async def _coroutine(_message: xoff.Message) -> None: ...


@pytest.mark.parametrize(("callback", "problem"), [(None, "None cannot be called"), (_coroutine, "_coroutine is a ")])
def test_a_callback_that_a_call_would_not_run_is_refused(callback: Any, problem: str) -> None:  # noqa: ANN401
    run = simulation()
    message = run.send("host0", "host1", 1000)
    with pytest.raises(xoff.InputError, match=f"^callback: {problem}"):
        run.on_complete(message, callback)
    with pytest.raises(xoff.InputError, match=f"^callback: {problem}"):
        run.at(5, callback)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((0, "host1", 1), "source: 0 is no name of a host"),
        (("host0", "host1", 1.5), "size: 1.5 is no number of bytes"),
        (("host0", "host1", None), "size: None is no number of bytes"),
        (("host0", "host1", 2**64), "size: a message of 18446744073709551616 bytes"),
    ],
)
def test_an_argument_of_another_kind_is_named(arguments: Any, line: str) -> None:  # noqa: ANN401
    with pytest.raises(xoff.InputError, match=f"^{line}"):
        simulation().send(*arguments)
    never: Any
    for never in (object(), float("nan"), 10**400, -1):
        with pytest.raises(xoff.InputError, match=r"^at: .*; expected"):
            simulation().send("host0", "host1", 1, at=never)
