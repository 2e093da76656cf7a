"""DCTCP's threshold and gain, and its steady state (SIGCOMM 2010; RFC 8257)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xoff.models.dctcp import Bottleneck, ExactSteadyState, SteadyState
from xoff.plan import busy_ports, pools
from xoff.plan.classes import lossy_alpha
from xoff.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.plan.file import Dctcp
    from xoff.plan.switch import Switch

_SOURCE = "DCTCP, section 3.4"


def threshold_bytes(switch: Switch, own: Dctcp) -> int:
    """The plan's threshold, or the least whole number of packets above the bound [K]."""
    if own.threshold is not None:
        return own.threshold
    return (math.floor(_bottleneck(switch, own).least_threshold) + 1) * switch.plan.mtu


def rows(switch: Switch, own: Dctcp) -> list[Row]:
    """Bounds on K and g, the sawtooth of N flows, and how large an incast fits."""
    return [*_bounds(switch, own), *_busy(switch, own), *_sawtooth(switch, own), *_incast(switch, own)]


def _busy(switch: Switch, own: Dctcp) -> list[Row]:
    if all(one.lossless for one in switch.plan.classes):
        return []
    shared, threshold = pools.of(switch).lossy, threshold_bytes(switch, own)
    remedy = "expected a smaller threshold, a larger alpha, or BCC, which marks by the pool, too"
    return busy_ports.rows(switch, "dctcp", shared, lossy_alpha(switch), threshold, remedy)


def _bounds(switch: Switch, own: Dctcp) -> list[Row]:
    link, mtu, threshold = _bottleneck(switch, own), switch.plan.mtu, threshold_bytes(switch, own)
    rate, trip, packets = switch.fastest.rate_bps / 1e9, own.round_trip / 1e6, threshold / mtu
    in_flight, least = link.in_flight * mtu, link.least_threshold * mtu
    gain, greatest = float(own.gain), link.greatest_gain(packets)
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
        Row(
            "dctcp.threshold",
            "threshold [K]",
            threshold,
            "B",
            f"{packets:.4g} packets of {mtu:,} B",
            "plan",
            *check(threshold > least, f"must be above C RTT / 7, {number(least)} B, or the queue runs empty"),
        ),
        Row(
            "dctcp.drain",
            "time to send K",
            threshold * 8 / rate / 1e3,
            "us",
            f"8 x {threshold:,} / {rate:g} Gb/s",
            "DCTCP, section 2",
        ),
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
    link, packets = _bottleneck(switch, own), threshold_bytes(switch, own) / switch.plan.mtu
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


def _bottleneck(switch: Switch, own: Dctcp) -> Bottleneck:
    return Bottleneck(
        rate_bps=switch.fastest.rate_bps, round_trip_ns=own.round_trip / 1e3, packet_bytes=switch.plan.mtu
    )


def _gain_below(greatest: float) -> int:
    """The denominator of the largest power of a half below a gain, which is 1 at the most."""
    return max(1, int(2 ** (math.floor(-math.log2(greatest)) + 1)))
