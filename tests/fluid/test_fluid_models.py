"""Fluid models against an established solver, closed forms and the packet simulator."""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import symengine
from jitcdde import jitcdde, t, y

from xoff.errors import ScenarioError
from xoff.fluid.dctcp import Bottleneck, SteadyState
from xoff.fluid.model import Array, Fluid
from xoff.fluid.sweep import Sweep

US = 1e-6


def solved(slopes: list[Any], start: list[float], microseconds: Array) -> Array:
    """A row for each time; both time and rates are by microsecond."""
    system = jitcdde(slopes, verbose=False)
    system.constant_past(start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the solver's own making
        system.generate_lambdas(simplify=False)
        system.set_integration_parameters(rtol=1e-6, atol=1e-6)
        system.step_on_discontinuities(propagations=3)
        return np.array([system.integrate(time) for time in microseconds])


def test_dcqcn_is_what_an_established_solver_finds() -> None:
    """Equations 5 to 9 as the paper prints them, on the ramp between K_min and K_max."""
    capacity, increase = 40e9 / 8e3 * US, 40e6 / 8e3 * US
    cnps, alphas, timer, counter, gain = 50.0, 55.0, 55.0, 10_000.0, 1 / 256
    delay = 50.0
    p = 0.01 * (y(0, t - delay) - 5) / 195
    log = symengine.log(1 - p)
    slopes, arriving, start = [], 0, [25.0]
    for flow, rate_gbps in enumerate((20.7, 19.7)):
        rate, target, alpha = (y(1 + 3 * flow + place) for place in range(3))
        before = y(1 + 3 * flow, t - delay)
        a = 1 - symengine.exp(cnps * before * log)
        b = p / (symengine.exp(-counter * log) - 1)
        c = b * symengine.exp(5 * counter * log)
        d = p / (symengine.exp(-timer * before * log) - 1)
        e = d * symengine.exp(5 * timer * before * log)
        slopes += [
            -rate * alpha * a / (2 * cnps) + (target - rate) * before * (b + d) / 2,
            -(target - rate) * a / cnps + increase * before * (c + e),
            gain / alphas * (1 - symengine.exp(alphas * before * log) - alpha),
        ]
        arriving += rate
        start += [rate_gbps * 1e9 / 8e3 * US] * 2 + [0.08]
    found = solved([arriving - capacity, *slopes], start, np.arange(1000.0, 6001, 1000))

    model = Fluid.of(
        "dcqcn",
        initial_rates=["20.7Gbps", "19.7Gbps"],
        initial_queue="25kB",
        initial_alpha=0.08,
        duration="6ms",
        every="1ms",
    )
    ours = model.run()
    assert ours.queue_bytes[1:] == pytest.approx(found[:, 0] * 1000, rel=1e-6)
    for flow in range(2):
        rates, _, alphas_found = found[:, 1 + 3 * flow : 4 + 3 * flow].T
        assert ours.rates_bps[flow][1:] == pytest.approx(rates / US * 8e3, rel=1e-6)
        assert ours.values["alpha", flow][1:] == pytest.approx(alphas_found, rel=1e-6)


def test_dctcp_is_what_an_established_solver_finds() -> None:
    """Equations 1 to 3 of the fluid model. The solver needs the threshold a little rounded."""
    capacity, trip, threshold, flows, gain = 10e9 / 12e3 * US, 100.0, 40.0, 2, 1 / 16
    window, alpha, queue = y(0), y(1), y(2)
    trips = 1 / (trip + queue / capacity)
    p = (1 + symengine.tanh((y(2, t - trip - threshold / capacity) - threshold) / 0.01)) / 2
    slopes = [
        trips * (1 - window * alpha / 2 * p),
        gain * trips * (p - alpha),
        flows * window * trips - capacity,
    ]
    times = np.arange(500.0, 3001, 250)  # the solver begins with steps over the first round trips
    found = solved(slopes, [capacity * trip / flows, 0.2, 0.0], times)
    ours = Fluid.of("dctcp", initial_alpha=0.2, duration="3ms", step="100ns", every="250us").run()
    for place, quantity, unit in ((0, "window", 1500), (1, "alpha", 1), (2, "queue", 1500)):
        assert ours.values[quantity, None][2:] == pytest.approx(found[:, place] * unit, rel=1e-3)


def test_dctcp_cycles_between_the_extremes_of_the_closed_form() -> None:
    """With two flows; the form has all packets of one round trip marked, the fluid as many as it takes."""
    form = SteadyState(bottleneck=Bottleneck(rate_bps=10e9, round_trip_ns=100_000), flows=2, threshold=40)
    queue = Fluid("dctcp").run().after(0.1).queue_bytes / 1500
    assert queue.max() == pytest.approx(form.queue_max, abs=1)
    assert queue.max() - queue.min() == pytest.approx(form.amplitude, rel=0.35)


def test_rates_come_together_only_with_a_fast_timer() -> None:
    """SIGCOMM 2015, figure 11b."""
    late = [Fluid.of("dcqcn", timer=timer).run().difference_bps[-1] for timer in ("55us", "300us", "1500us")]
    assert late[0] < 1e9
    assert late == sorted(late)


def test_a_flow_sends_nothing_before_it_starts() -> None:
    ran = Fluid.of("dcqcn", starts=["0s", "10ms"], duration="20ms", every="1ms").run()
    assert list(ran.rates_bps[1] > 0) == [False] * 10 + [True] * 11


def test_no_flow_starts_above_the_rate_of_the_link() -> None:
    ran = Fluid.of("dcqcn", initial_rates=["100Gbps"], duration="1ms").run()
    assert list(ran.rates_bps[:, 0]) == [40e9, 40e9]


def test_ctrl_c_ends_what_runs_and_keeps_what_was_finished() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    sweep = Sweep.of(Fluid.of("dctcp", every="1ms"), {"duration": ["1ms", "1000s", "1001s"]})
    swept = sweep.run(on_finished=interrupt)
    assert [point.at["duration"] for point in swept.points] == ["1ms"]
    assert not swept.is_whole
    assert swept.as_dict()["interrupted"]


def test_a_sweep_without_workers_is_refused() -> None:
    sweep = Sweep.of(Fluid.of("dctcp"), {"duration": ["1ms"]})
    with pytest.raises(ValueError, match="workers: 0 run nothing; expected at least 1"):
        sweep.run(workers=0)


def test_a_run_ends_where_it_is_told_to() -> None:
    asked: list[float] = []

    def goes_on(share: float) -> bool:
        asked.append(share)
        return len(asked) < 2

    ran = Fluid("dcqcn").run(goes_on)
    assert len(asked) == 2
    assert ran.seconds[-1] == pytest.approx(0.2 * asked[-1], abs=1e-5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"timr": "5us"}, "timr: unknown key `timr`; did you mean `timer`?"),
        ({"timer": 5}, "timer: 5 has no unit; expected a time with its unit"),
        ({"timer": "500ns"}, 'timer: "500ns" is not at least `step`, "1us"'),
        ({"step": "100us"}, 'delay: "50us" is not at least `step`, "100us"'),
        ({"maximum": "4kB"}, 'maximum: "4kB" is not at least `minimum`, "5kB"'),
        ({"flows": 0}, "flows: 0 is too small; expected a value at least 1 and at most 10000"),
        ({"duration": "5us"}, 'duration: "5us" is not at least `every`, "10us"; expected a value at least `every`'),
        (
            {"duration": "100s"},
            "every: 80000008 numbers would be recorded; expected at most 10000000, by a longer `every` or a shorter",
        ),
        ({"delay": "10s"}, "step: 80000000 numbers of the past would be remembered; expected at most 10000000"),
        (
            {"byte_counter": "4999B"},
            "byte_counter: 4999 B pass within a `step` at `rate`; expected 0B, or at least 5000 B",
        ),
        ({"model": "dctcp"}, 'model: "dcqcn" is chosen already; expected other keys'),
    ],
)
def test_what_cannot_be_a_parameter_is_said(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        Fluid("dcqcn").with_values(changes)
    assert str(raised.value).startswith(said)


def test_a_copy_of_a_model_is_the_model() -> None:
    model = Fluid.of("dcqcn", flows=3).with_value("timer", "300us")
    copied = pickle.loads(pickle.dumps(model))
    assert copied == model == copy.deepcopy(model)
    assert copied.parameters == model.parameters
