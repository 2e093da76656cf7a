"""DCTCP's threshold and gain, and its steady state (SIGCOMM 2010; RFC 8257)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xoff.fluid.dctcp import Bottleneck, ExactSteadyState, SteadyState
from xoff.switches.plan import busy_ports, by_rate, pools
from xoff.switches.plan.classes import lossy_alpha
from xoff.switches.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.switches.plan.file import Dctcp
    from xoff.switches.plan.switch import Switch

_SOURCE = "DCTCP, section 3.4"


def threshold_at(switch: Switch, own: Dctcp, rate_bps: int) -> by_rate.Threshold:
    """Returns the threshold at a rate: the plan's, or the least whole number of packets above the bound [K]."""
    there, mtu = own.at_rate.get(rate_bps), switch.plan.mtu
    if there is not None:
        return by_rate.Threshold(there.threshold, "the plan's", "plan")
    if own.threshold is not None:  # rounded up, since it must be above a bound that is in proportion, too
        size = math.ceil(own.threshold * by_rate.proportion(switch, own, rate_bps))
        return by_rate.Threshold(size, *by_rate.told(switch, own, rate_bps, own.threshold))
    link = _bottleneck(switch, own, rate_bps if own.by_rate else switch.fastest_bps)
    packets = math.floor(link.least_threshold) + 1
    return by_rate.Threshold(packets * mtu, f"{packets} packets of {mtu:,} B", "plan")


def rows(switch: Switch, own: Dctcp) -> list[Row]:
    """Bounds on K and g, the sawtooth of N flows, and how large an incast fits."""
    bounds = [*_bounds(switch, own), *_of_thresholds(switch, own), *_gain(switch, own)]
    return [*bounds, *_busy(switch, own), *_sawtooth(switch, own), *_incast(switch, own)]


def _busy(switch: Switch, own: Dctcp) -> list[Row]:
    if all(one.lossless for one in switch.plan.classes):
        return []
    shared, last = pools.of(switch).lossy, max(size for size, _, _ in _thresholds(switch, own).values())
    remedy = "expected a smaller threshold, a larger alpha, or BCC, which marks by the pool, too"
    return busy_ports.rows(switch, "dctcp", shared, lossy_alpha(switch), last, remedy)


def _thresholds(switch: Switch, own: Dctcp) -> dict[int, by_rate.Threshold]:
    return {rate: threshold_at(switch, own, rate) for rate in by_rate.rates_bps(switch, own)}


def _bounds(switch: Switch, own: Dctcp) -> list[Row]:
    link, mtu = _bottleneck(switch, own, switch.fastest_bps), switch.plan.mtu
    rate, trip = switch.fastest_bps / 1e9, own.round_trip / 1e6
    in_flight, least = link.in_flight * mtu, link.least_threshold * mtu
    return [
        Row("dctcp.in_flight", "bytes in flight [C RTT]", in_flight, "B", f"{rate:g} Gb/s x {trip:g} us", _SOURCE),
        Row("dctcp.least_threshold", "least threshold", least, "B", f"{number(in_flight)} / 7", "RFC 8257"),
        Row(
            "dctcp.least_packets",
            "least threshold, in packets",
            link.least_threshold,
            "packets",
            f"{number(least)} / {mtu:,}",
            _SOURCE,
        ),
        Row(
            "dctcp.analysed_threshold",
            "least threshold by the analysis of 2011",
            0.17 * in_flight,
            "B",
            f"0.17 x {number(in_flight)}",
            "BCC, section 2",
        ),
    ]


def _of_thresholds(switch: Switch, own: Dctcp) -> list[Row]:
    """Returns rows for K of the fastest ports and other rates with their own K, and for the time to send the first."""
    mtu, rate = switch.plan.mtu, switch.fastest_bps / 1e9
    (fastest, (size, *_)), *others = _thresholds(switch, own).items()
    return [
        _threshold(switch, own, fastest, by_rate.Threshold(size, f"{size / mtu:.4g} packets of {mtu:,} B", "plan")),
        *(_threshold(switch, own, other, found) for other, found in others),
        Row(
            "dctcp.drain",
            "time to send K",
            size * 8 / rate / 1e3,
            "us",
            f"8 x {size:,} / {rate:g} Gb/s",
            "DCTCP, section 2",
        ),
    ]


def _threshold(switch: Switch, own: Dctcp, rate_bps: int, found: by_rate.Threshold) -> Row:
    least = _bottleneck(switch, own, rate_bps).least_threshold * switch.plan.mtu
    verdict = check(found.size_bytes > least, f"must be above C RTT / 7, {number(least)} B, or the queue runs empty")
    key = by_rate.key(switch, "dctcp.threshold", rate_bps)
    return Row(key, f"threshold{by_rate.at(switch, own, rate_bps)} [K]", *found.row, *verdict)


def _gain(switch: Switch, own: Dctcp) -> list[Row]:
    """Whether g is small enough at the ports that let flows have most in flight."""
    mtu = switch.plan.mtu
    most = [(_bottleneck(switch, own, rate), size / mtu) for rate, (size, *_) in _thresholds(switch, own).items()]
    link, packets = max(most, key=lambda port: port[0].in_flight + port[1])
    gain, greatest = float(own.gain), link.greatest_gain(packets)
    return [
        Row(
            "dctcp.greatest_gain",
            "greatest gain",
            greatest,
            "",
            f"1.386 / sqrt(2 ({link.in_flight:.4g} + {packets:.4g}))",
            _SOURCE,
        ),
        Row(
            "dctcp.gain",
            "gain [g]",
            gain,
            "",
            f"{own.gain}",
            "plan",
            *check(
                gain < greatest,
                f"must be below {greatest:.3g}, as 1/{_gain_below(greatest)} is, for alpha to outlast a cut",
            ),
        ),
    ]


def _sawtooth(switch: Switch, own: Dctcp) -> list[Row]:
    fastest = switch.fastest_bps
    link, packets = _bottleneck(switch, own, fastest), threshold_at(switch, own, fastest).size_bytes / switch.plan.mtu
    found = []
    for flows in own.flows:
        if (link.in_flight + packets) / flows < 1:
            why = "must be a packet: else there is no sawtooth, and timeouts rule"
            formula = f"({link.in_flight:.4g} + {packets:.4g}) / {flows}"
            window = (link.in_flight + packets) / flows
            found.append(
                Row(f"dctcp.{flows}.window", f"window of {flows} flows [W*]", window, "packets", formula, _SOURCE,
                    Verdict.WARNS, why)
            )  # fmt: skip
            continue
        for name, model in (("", SteadyState), ("exact.", ExactSteadyState)):
            state = model(bottleneck=link, flows=flows, threshold=packets)
            found += _of_state(f"dctcp.{flows}.{name}", state, "exact alpha" if name else "alpha = sqrt(2 / W*)")
    return found


def _of_state(prefix: str, state: SteadyState, how: str) -> list[Row]:
    n, k, window, alpha = state.flows, state.threshold, state.window, state.marked_share
    amplitude, most = state.amplitude, state.queue_max
    exact = isinstance(state, ExactSteadyState)
    cut = f"({window:.4g} + 1) {alpha:.4g} / 2" if exact else f"{window:.4g} x {alpha:.4g} / 2"
    numbers = [
        ("alpha", "marked share [alpha]", alpha, "", how),
        ("amplitude", "amplitude [A]", amplitude, "packets", f"{n} x {cut}"),
        ("period", "period [T_C], round trips", state.period_round_trips, "", cut),
        ("queue_min", "queue at least [Q_min]", state.queue_min, "packets", f"{most:.4g} - {amplitude:.4g}"),
    ]
    if not exact:
        formula = f"({state.bottleneck.in_flight:.4g} + {k:.4g}) / {n}"
        numbers.insert(0, ("window", "window [W*]", window, "packets", formula))
        numbers.insert(1, ("queue_max", "queue at most [Q_max]", most, "packets", f"{k:.4g} + {n}"))
    rows = []
    for key, quantity, value, unit, formula in numbers:
        verdict = (
            check(value > 0, "must be above 0, or the queue runs empty", Verdict.WARNS)
            if key == "queue_min"
            else (Verdict.UNCHECKED, "")
        )
        told = f"{n} flows, {quantity}" + (", exact" if exact else "")
        rows.append(Row(prefix + key, told, value, unit, formula, "DCTCP, section 3.3", *verdict))
    return rows


def _incast(switch: Switch, own: Dctcp) -> list[Row]:
    buffer = own.port_buffer or switch.memory_bytes // switch.ports
    burst = own.initial_window * switch.plan.mtu
    formula = f"{buffer:,} / ({own.initial_window} x {switch.plan.mtu:,})"
    return [Row("dctcp.incast", "senders whose first windows fit", buffer // burst, "", formula, "DCTCP, section 3.5")]


def _bottleneck(switch: Switch, own: Dctcp, rate_bps: int) -> Bottleneck:
    return Bottleneck(rate_bps=rate_bps, round_trip_ns=own.round_trip / 1e3, packet_bytes=switch.plan.mtu)


def _gain_below(greatest: float) -> int:
    """Returns the denominator of the largest power of a half below a gain, which is 1 at the most."""
    return max(1, int(2 ** (math.floor(-math.log2(greatest)) + 1)))
