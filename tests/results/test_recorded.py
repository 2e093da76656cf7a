"""State of TCP flows recorded over time: alpha, threshold, round-trip time and recovery state beside windows."""

import numpy as np
import pytest

import xoff
from conftest import SMALL

OBSERVED = ("windows", "alphas", "thresholds", "rtts", "recovery_states")
OBSERVE = {key: {"every": "20us", "of": ["host1", "host2.flow0"]} for key in OBSERVED}
LONGER = ("workload.size=500kB", "stop={at='8ms'}", "measure={start='1ms'}")


def run(*more: str) -> xoff.Result:
    return xoff.Scenario(SMALL, None, (*LONGER, *more)).with_value("observe", OBSERVE).run()


@pytest.fixture(scope="module")
def dctcp() -> xoff.Result:
    return run()


@pytest.fixture(scope="module")
def reno() -> xoff.Result:
    return run("transport.dctcp.congestion_control.algorithm=reno")


def test_means_are_of_all_samples_of_the_measured_time(dctcp: xoff.Result) -> None:
    assert dctcp.series is not None
    rows = [row for row in dctcp.series.to_pylist() if row["quantity"] == "alpha"]
    measured = [row["value"] for row in rows if 1_000_000 <= row["time_ns"] < 8_000_000]
    alphas = dctcp.alphas
    assert len(alphas) == len(measured) > 100
    assert alphas.mean() == pytest.approx(np.mean(measured))
    assert alphas.mean() == pytest.approx(dctcp.summary["observed"]["alpha_mean"])
    assert dctcp.windows.mean() == pytest.approx(dctcp.summary["observed"]["window_mean_bytes"])
    assert dctcp.thresholds.mean() == pytest.approx(dctcp.summary["observed"]["threshold_mean_bytes"])
    assert dctcp.rtts.mean() / 1000 == pytest.approx(dctcp.summary["observed"]["rtt_mean_us"])


def test_means_of_flows_go_by_their_names(dctcp: xoff.Result) -> None:
    means = dctcp.alphas.means()
    assert {name.partition(".")[0] for name in means} <= {"host1", "host2"}
    assert means["host1.flow1"] == pytest.approx(dctcp.alphas.of("host1.flow1").mean())
    assert set(dctcp.alphas.of("host1").means()) == {name for name in means if name.startswith("host1.")}
    with pytest.raises(ValueError, match=r'^names: nothing that was observed matches "host3"; expected'):
        dctcp.alphas.of("host3")


def test_alpha_is_a_share_and_a_round_trip_takes_no_less_than_the_path(dctcp: xoff.Result) -> None:
    assert np.all((dctcp.alphas.values >= 0) & (dctcp.alphas.values <= 1))
    assert dctcp.rtts.values.min() >= 4000  # two links of 1 us, there and back
    assert dctcp.thresholds.values.min() == 2 * 1460
    assert dctcp.recovery_states.share("open") == 1


def test_a_threshold_has_rows_from_the_first_reduction_on(reno: xoff.Result) -> None:
    assert reno.series is not None
    first: dict[tuple[str, str], int] = {}
    for row in reno.series.to_pylist():
        first.setdefault((row["quantity"], row["name"]), row["time_ns"])
    flows = [name for quantity, name in first if quantity == "threshold"]
    assert flows
    for name in flows:
        assert first["threshold", name] > first["window", name]


def test_recovery_states_are_those_of_a_flow_with_losses(reno: xoff.Result) -> None:
    states = reno.recovery_states
    assert set(states.values) == {xoff.results.recorded.RECOVERY_STATES[name] for name in ("open", "recovery", "loss")}
    shares = [states.share(name) for name in ("open", "recovery", "loss")]
    assert min(shares) > 0
    assert sum(shares) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"^recovery_state has no state 'asleep'; expected recovery_state, and one of"):
        states.share("asleep")


def test_what_has_no_mean_says_why(reno: xoff.Result) -> None:
    with pytest.raises(ValueError, match=r"^observe\.alphas recorded nothing$"):
        _ = reno.alphas
    changes = xoff.Scenario(SMALL, None, ("observe={windows={every='change'}}",)).run()
    with pytest.raises(ValueError, match=r"^observe\.windows\.every: changes have no mean; expected a time between"):
        changes.windows.mean()
    with pytest.raises(ValueError, match=r"^observe\.rtts is left out; expected rtts = "):
        _ = changes.rtts
    late = run("measure={start='7999us'}", "observe.windows.every=3ms")
    with pytest.raises(ValueError, match=r"^observe\.windows took no samples in the measured time$"):
        late.windows.mean()
