"""Settings of HPCC's ns-3 as tables of a scenario: transport, congestion control, thresholds, buffers, PFC.

Packets, reserves and thresholds that no key names are those of the simulator's code (`third.cc`, `switch-mmu.cc`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import one_line
from xoff.formats.draft import Draft, Key, Network, Place, Table
from xoff.formats.lines import MOST_NS, decimal, rate_bps, refusal, whole, written_rate, written_time
from xoff.formats.round_trip import ample_memory_mib, longest, rate_of
from xoff.text.line import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from xoff.errors import InputError

_CODE = "the simulator's code"
_OWN = "no file says; yours to choose"
_CONTROLS = {1: "dcqcn", 3: "hpcc", 7: "timely", 8: "dctcp", 10: "hpcc"}
_OUTPUTS = ("_FILE", "_MON_START", "_MON_END", "MON_START", "MON_END", "_INTERVAL_MON", "_MON_INTERVAL", "ENABLE_TRACE")


class Entry(NamedTuple):
    """One key of `config.txt`."""

    path: Path
    line: int
    key: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        """Place and content as a comment has them."""
        return f"{self.place} {self.told}"

    @property
    def place(self) -> Place:
        """Place of the key."""
        return Place(self.path.name, self.line)

    @property
    def told(self) -> str:
        """Key with its values."""
        values = " ".join(self.values)
        return one_line(f"{self.key} {values[:60]}{'...' * (len(values) > 60)}")

    def number(self, least: float = 0, most: float = 1e12) -> Decimal:
        """Returns the first value as a number. Raises InputError."""
        return decimal(self.path, self.line, self.key, self.values[0], least, most)

    def whole(self, least: int = 0, most: int = 10**9) -> int:
        """Returns the first value as a whole number. Raises InputError."""
        return whole(self.path, self.line, self.key, self.values[0], least, most)

    def rate(self) -> str:
        """Returns the first value as a rate of scenarios. Raises InputError."""
        bps = rate_bps(self.values[0])
        if bps is None:
            raise self.refused(quoted(self.values[0]), "expected a rate such as 50Mb/s")
        return written_rate(bps)

    def refused(self, problem: str, expected: str) -> InputError:
        """Returns the error for this key."""
        return refusal(self.path, self.line, f"{self.key} is {problem}", expected)


class _Config:
    """Keys of a file, of which each is taken once; what is left at the end was of no use."""

    def __init__(self, entries: Mapping[str, Entry], draft: Draft) -> None:
        self.draft = draft
        self.rest = dict(entries)

    def take(self, key: str) -> Entry | None:
        """Returns a key, which then counts as carried over; None if the file does not have it."""
        return self.rest.pop(key, None)

    def is_set(self, key: str, *, otherwise: bool) -> bool:
        """Whether a key is not 0."""
        entry = self.take(key)
        return otherwise if entry is None else entry.number() != 0

    def leave(self, entry: Entry | None, reason: str) -> None:
        """Notes that the scenario does not have a key."""
        if entry is not None:
            self.draft.leave(entry.place, entry.told, reason)

    def leave_unless(self, key: str, harmless: set[str], reason: str) -> None:
        """Notes that the scenario does not have a key, unless its value is one that changes nothing."""
        entry = self.take(key)
        if entry is not None and entry.values[0] not in harmless:
            self.leave(entry, reason)


def settle(draft: Draft, network: Network, entries: Mapping[str, Entry] | None = None) -> None:
    """Adds the tables of classes, switches, transport and stop to a draft whose network is known. Raises InputError."""
    config = _Config(entries or {}, draft)
    pauses = config.is_set("ENABLE_PFC", otherwise=True)
    acknowledges_first = config.is_set("ACK_HIGH_PRIO", otherwise=False)
    lossless = [each for each in draft.priorities if each and pauses]
    classes = sorted({*draft.priorities, *([0] if acknowledges_first else [])})
    for priority in classes:
        table = Table("[[class]]")
        table.add("priority", priority)
        if priority in lossless:
            table.add("lossless", True, _CODE)
        draft.tables.append(table)
    _switches(config, network, classes, lossless)
    _transport(config, network, 0 if acknowledges_first else classes[-1])
    _routing(config, network, has_telemetry=_has_telemetry(entries or {}))
    _stop(config)
    _faults(config, network)
    _arrivals(config)
    _leave_rest(config)


def _switches(config: _Config, network: Network, classes: list[int], lossless: list[int]) -> None:
    table = Table("[[switch]]")
    buffer = config.take("BUFFER_SIZE")
    if buffer is None:
        table.add("total", f"{ample_memory_mib(network)}MiB", _OWN)
    else:
        table.add("total", f"{buffer.whole(1, 10**6)}MiB", buffer)
    if len(classes) > 1:
        rounds = {"kind": "deficit_round_robin", "strict": [0] if 0 in classes else []}
        table.add("scheduler", rounds, _CODE)
    _marking(config, network, table)
    if lossless:
        table.keys.extend(_pausing(network))
        if set(config.draft.priorities) <= set(lossless):
            table.add("pfc.lossy_pool", "256KiB", f"{_CODE}: all memory is one pool, and flows take it all")
    config.draft.tables.append(table)
    config.leave_unless("USE_DYNAMIC_PFC_THRESHOLD", {"1"}, "thresholds are dynamic, as the simulator's code has them")


def _marking(config: _Config, network: Network, table: Table) -> None:
    """Adds RED by the rate of the port, or as the simulator of DCQCN's paper has it, for all ports."""
    maps = {key: config.take(key) for key in ("KMIN_MAP", "KMAX_MAP", "PMAX_MAP")}
    of_all = [config.take(key) for key in ("KMIN", "KMAX", "PMAX")]
    marks = config.is_set("ENABLE_QCN", otherwise=True)
    given = [entry for entry in maps.values() if entry is not None]
    minimum, maximum, probability = of_all
    if not given and marks and minimum and maximum and probability:
        ends = [f"{_plain(entry.number(0, 1e9))}kB" for entry in (minimum, maximum)]
        chance = float(probability.number(0, 1))
        own = {"kind": "red", "minimum": ends[0], "maximum": ends[1], "probability": chance, "when": "dequeue"}
        lines = ", ".join(str(entry.line) for entry in (minimum, maximum, probability))
        table.add("marking.queue", own, f"{minimum.path.name}:{lines} KMIN, KMAX, PMAX")
        return
    for entry in of_all:
        config.leave(entry, "marks need KMIN, KMAX and PMAX, or KMIN_MAP, KMAX_MAP and PMAX_MAP")
    if not given:
        if marks:
            red = {"kind": "red", "minimum": "400kB", "maximum": "1600kB", "probability": 0.2, "when": "dequeue"}
            table.add("marking.queue", red, _OWN)
        return
    if len(given) < len(maps):
        missing = next(key for key, entry in maps.items() if entry is None)
        raise given[0].refused(f"without {missing}", "expected KMIN_MAP, KMAX_MAP and PMAX_MAP, all or none")
    if not marks:
        for entry in given:
            config.leave(entry, "ENABLE_QCN is 0: nothing marks")
        return
    _add_marking_by_rate(config, network, table, given)


def _add_marking_by_rate(config: _Config, network: Network, table: Table, given: list[Entry]) -> None:
    minimum, maximum, probability = (_by_rate(entry, config) for entry in given)
    rates = {rate_of(link.rate) for link in network.links}
    for rate in sorted(rates):
        if not all(rate in each for each in (minimum, maximum, probability)):
            raise given[0].refused(
                f"without {written_rate(rate)}", "expected thresholds for the rate of every link in the topology"
            )
        red = {
            "kind": "red",
            "minimum": f"{_plain(minimum[rate])}kB",
            "maximum": f"{_plain(maximum[rate])}kB",
            "probability": float(probability[rate]),
            "when": "dequeue",
        }
        lines = ", ".join(str(entry.line) for entry in given)
        table.add(
            f'marking.at_rate."{written_rate(rate)}".queue', red, f"{given[0].path.name}:{lines} KMIN, KMAX, PMAX_MAP"
        )
    unused = sorted(set(minimum) - rates)
    if unused:
        told = ", ".join(map(written_rate, unused))
        config.draft.leave(given[0].place, f"thresholds for {told}", "no link of the topology has this rate")


def _by_rate(entry: Entry, config: _Config) -> dict[int, Decimal]:
    """Returns a map from rates to values: a count, then as many pairs."""
    count = entry.whole(1, 1000)
    pairs, beyond = entry.values[1 : 2 * count + 1], entry.values[2 * count + 1 :]
    if len(pairs) < 2 * count:
        raise entry.refused(f"of {count} rates and has {len(pairs)} values behind that", "expected RATE VALUE for each")
    if beyond:
        told = one_line(f"{entry.key} ... {' '.join(beyond)[:60]}")
        config.draft.leave(entry.place, told, f"beyond the {count} rates that the first value announces")
    numbers = [decimal(entry.path, entry.line, entry.key, each, 0, 1e15) for each in pairs]
    return {int(rate): value for rate, value in zip(numbers[::2], numbers[1::2], strict=True)}


def _pausing(network: Network) -> Iterator[Key]:
    """Yields the keys of PFC: an eighth of what is free, and twice as much for each doubling of the hosts' rate."""
    hosts = set(network.hosts)
    first = next(rate_of(link.rate) for link in network.links if {link.one, link.other} & hosts)
    yield Key(
        "pfc.xoff", {"policy": "dynamic_threshold", "alpha": "1/8"}, f"{_CODE}, for hosts of {written_rate(first)}"
    )
    for rate in sorted({rate_of(link.rate) for link in network.links}):
        shift, left = 3, rate
        while left > first and shift:
            shift, left = shift - 1, left // 2
        if shift < 3:
            alpha = f"1/{1 << shift}" if shift else 1
            yield Key(
                f'pfc.at_rate."{written_rate(rate)}".xoff', {"policy": "dynamic_threshold", "alpha": alpha}, _CODE
            )
    yield Key("pfc.xon_offset", "3KiB", _CODE)
    yield Key("pfc.reserved", "4KiB", _CODE)


def _transport(config: _Config, network: Network, control: int) -> None:
    table = Table(f"[transport.{config.draft.transport}]")
    mode = config.take("CC_MODE")
    number = mode.whole() if mode else 1
    is_tcp = _CONTROLS.get(number) == "dctcp"
    table.add("kind", "tcp" if is_tcp else "roce")
    if is_tcp:
        config.leave(mode, "DCTCP of queue pairs is not simulated; that of TCP is")
    payload = config.take("PACKET_PAYLOAD_SIZE")
    size = payload.whole(1, 10**6) if payload else 1000
    table.add("payload", f"{size}B", payload or _CODE)
    table.add("headers", "48B", _CODE)
    table.add("acknowledgement", "60B", _CODE)
    table.add("wire_overhead", "0B", _CODE)
    if not is_tcp:
        table.add("control_priority", control, "ACKs")
    round_trip_ps, window, exact = longest(network, size)
    _control(config, table, mode, number, round_trip_ps)
    _window(config, table, number, max(window, size), exact=exact)
    interval = config.take("L2_ACK_INTERVAL")
    is_told_by_each = _CONTROLS.get(number) == "hpcc"
    if is_told_by_each and interval is not None and interval.whole() > 1:
        config.leave(interval, "with telemetry every packet is acknowledged")
    elif interval is not None and interval.whole() > 1:
        table.add("acknowledge_every", interval.whole(), interval)
    repeats = config.take("ENABLE_IRN")
    if repeats is not None and repeats.number() != 0 and not is_tcp:
        table.add("recovery", {"kind": "selective_repeat", "window": f"{max(window, size)}B"}, repeats)
    config.take("L2_CHUNK_SIZE")
    config.leave_unless("L2_BACK_TO_ZERO", {"0"}, "a NACK makes the sender go back to the missing packet (go-back-N)")
    config.draft.tables.append(table)


def _control(config: _Config, table: Table, mode: Entry | None, number: int, round_trip_ps: int) -> None:
    """Adds the congestion control that CC_MODE names, with its keys."""
    name = _CONTROLS.get(number)
    if number == 10:
        config.leave(mode, "HPCC-PINT is not simulated; HPCC with whole telemetry is")
    head = "congestion_control"
    if name is None:
        config.leave(mode, "no congestion control that xoff knows by this number; flows send at the rate of their link")
        return
    table.add(f"{head}.algorithm", name, mode or _OWN)
    least = config.take("MIN_RATE")
    if name != "dctcp" and least is not None:
        table.add(f"{head}.minimum_rate", least.rate(), least)
    if name == "dcqcn":
        _dcqcn(config, table, head)
    elif name == "hpcc":
        _hpcc(config, table, head, round_trip_ps)
    elif name == "timely":
        increase = config.take("RATE_AI")
        if increase is not None:
            table.add(f"{head}.additive_increase", increase.rate(), increase)
    else:
        gain = config.take("EWMA_GAIN")
        if gain is not None:
            table.add(f"{head}.gain", float(gain.number(1e-9, 1)), gain)
        config.leave(config.take("DCTCP_RATE_AI"), "windows grow by a packet in a round trip")


def _hpcc(config: _Config, table: Table, head: str, round_trip_ps: int) -> None:
    target, stages, increase = (config.take(key) for key in ("U_TARGET", "MI_THRESH", "RATE_AI"))
    if target is not None:
        table.add(f"{head}.target_utilization", float(target.number(0.01, 1)), target)
    if stages is not None:
        table.add(f"{head}.maximum_stages", stages.whole(), stages)
    table.add(f"{head}.base_rtt", written_time(round_trip_ps), "longest round trip of the topology")
    if increase is not None:
        step = round(rate_of(increase.rate()) * round_trip_ps / 8e12)
        table.add(f"{head}.additive_increase", f"{max(step, 1)}B", f"{increase} over that time")
    config.leave_unless("FAST_REACT", {"1"}, "the window follows every ACK")
    config.leave_unless("MULTI_RATE", {"0"}, "one window for all hops")
    config.leave_unless("SAMPLE_FEEDBACK", {"0"}, "every packet has telemetry")


def _dcqcn(config: _Config, table: Table, head: str) -> None:
    interval, counter = config.take("CNP_INTERVAL"), config.take("BYTE_COUNTER")
    if interval is None and counter is None:
        table.add("cnp", "0B", f"{_CODE}: a flag of the ACK, without bytes of its own")
        table.add(f"{head}.preset", "mellanox", f"{_CODE}: alpha and cuts by clocks, no byte counter")
    else:
        table.add(f"{head}.preset", "paper", "as the simulator of DCQCN's paper")
    if interval is not None:
        table.add(f"{head}.cnp_interval", written_time(round(interval.number(0, 1e9) * 10**6)), interval)
    if counter is not None:
        table.add(f"{head}.byte_counter", f"{counter.whole(0, 10**12)}B", counter)
    for key, name in (("ALPHA_RESUME_INTERVAL", "alpha_period"), ("RATE_DECREASE_INTERVAL", "cut_period")):
        _add_time(config, table, key, f"{head}.{name}")
    _add_time(config, table, "RP_TIMER", f"{head}.timer")
    clamp, gain, recovery = (config.take(key) for key in ("CLAMP_TARGET_RATE", "EWMA_GAIN", "FAST_RECOVERY_TIMES"))
    gain = gain or config.take("DCTCP_GAIN")
    if clamp is not None:
        table.add(f"{head}.clamp_target_rate", "always" if clamp.number() else "after_time_increase", clamp)
    if gain is not None:
        table.add(f"{head}.gain", float(gain.number(1e-9, 1)), gain)
    if recovery is not None:
        table.add(f"{head}.fast_recovery", recovery.whole(), recovery)
    for key, name in (("RATE_AI", "additive_increase"), ("RATE_HAI", "hyper_increase")):
        entry = config.take(key)
        if entry is not None:
            table.add(f"{head}.{name}", entry.rate(), entry)


def _add_time(config: _Config, table: Table, key: str, name: str) -> None:
    """Adds a key in microseconds."""
    entry = config.take(key)
    if entry is not None:
        table.add(name, written_time(round(entry.number(1e-6, 1e9) * 10**6)), entry)


def _window(config: _Config, table: Table, number: int, window: int, *, exact: bool) -> None:
    """Adds the largest window, for congestion controls that have none of their own."""
    has, varies, of_all = (config.take(key) for key in ("HAS_WIN", "VAR_WIN", "GLOBAL_T"))
    config.leave_unless("RATE_BOUND", {"1"}, "packets follow one another at the rate of the flow")
    if has is None or not has.number() or _CONTROLS.get(number) == "hpcc":
        return
    told = "largest bandwidth-delay product" if exact else "a large bandwidth-delay product"
    table.add("maximum_window", f"{window}B", f"{has}: the topology's {told}")
    if varies is not None and varies.number():
        config.leave(varies, "the window stays at its largest while the rate falls")
    if of_all is not None and not of_all.number():
        config.leave(of_all, "every pair of hosts has the window of the longest path")


_ROUTINGS = {0: "ecmp", 2: "adaptive", 3: "adaptive_flowlet", 6: "flowlet"}


def _has_telemetry(entries: Mapping[str, Entry]) -> bool:
    return "CC_MODE" in entries and _CONTROLS.get(entries["CC_MODE"].whole()) == "hpcc"


def _routing(config: _Config, network: Network, *, has_telemetry: bool) -> None:
    mode = config.take("LB_MODE")
    if mode is None:
        return
    if has_telemetry and _ROUTINGS.get(mode.whole()) == "adaptive":
        config.leave(mode, "telemetry is about one path, and switches route by ECMP")
        return
    routing = _ROUTINGS.get(mode.whole())
    if routing is None:
        config.leave(mode, "is not simulated (9 is ConWeave); switches route by ECMP")
    elif routing != "ecmp":
        network.keys.append(Key("routing", routing, str(mode)))
    if routing == "adaptive":
        config.leave(mode, "DRILL compares two ports and the last one; adaptive routing compares all")
    if routing == "adaptive_flowlet":
        config.leave(mode, "CONGA knows load along the path; flowlets here go by the switch's own queues")


def _stop(config: _Config) -> None:
    entry = config.take("SIMULATOR_STOP_TIME")
    if entry is None:
        return
    seconds = entry.number(0, 1e18)
    if not 0 < seconds <= Decimal(MOST_NS) / 10**9:
        config.leave(entry, "the run ends once all flows are done")
        return
    config.draft.table("[stop]").add("at", written_time(round(seconds * 10**12)), entry)


def _arrivals(config: _Config) -> None:
    """Takes load and end of arrivals, where flows are drawn by them; they say nothing of flows that a file lists."""
    if not any(flows.kind == "poisson" for flows in config.draft.flows):
        return
    load, begin, end = (config.take(key) for key in ("LOAD", "FLOWGEN_START_TIME", "FLOWGEN_STOP_TIME"))
    if load is not None:
        config.draft.load = Key("load", float(load.number(0.01, 100) / 100), str(load))
    if end is None:
        return
    seconds = end.number(0, 1e5) - (begin.number(0, 1e5) if begin else 0)
    time = written_time(max(1, round(seconds * 10**12)))
    config.draft.table("[stop]").add("arrivals_end", time, f"{end}, from the start on")


def _faults(config: _Config, network: Network) -> None:
    """Adds error rates of all links, and a link that fails in the run."""
    errors = config.take("ERROR_RATE_PER_LINK")
    if errors is not None and errors.number(0, 0.999999):
        told = f"{errors.number():f}"
        network.links[:] = [link if link.error_rate else link._replace(error_rate=told) for link in network.links]
    down = config.take("LINK_DOWN")
    if down is None or down.values[0] == "0":
        return
    if len(down.values) != 3:
        raise down.refused(f"of {len(down.values)} values", "expected MICROSECONDS NODE NODE")
    names = [_node(down, each, network) for each in down.values[1:]]
    table = Table("[[link_event]]")
    table.add("at", written_time(round((2 * 10**6 + down.number()) * 10**6)), f"{down}, counted from 2 s")
    table.add("between", names)
    table.add("state", "down")
    config.draft.tables.append(table)


def _node(entry: Entry, text: str, network: Network) -> str:
    number = whole(entry.path, entry.line, f"a node of {entry.key}", text)
    name, *others = network.numbers.get(number, [f"switch{number}"])
    if others:
        raise entry.refused(f"of node {number}, which has several links", "expected a node with one")
    if name not in network.hosts and name not in network.switches:
        raise entry.refused(f"of node {number}, which is not there", "expected nodes of the topology")
    return name


def _leave_rest(config: _Config) -> None:
    """Notes the keys that nothing has taken: outputs and those of other algorithms together, unknown ones each."""
    outputs, unused = [], []
    for key, entry in config.rest.items():
        if key.endswith(_OUTPUTS):
            outputs.append(entry)
        elif key in _KNOWN:
            unused.append(entry)
        else:
            config.leave(entry, "xoff knows no such key")
    for entries, reason in (
        (outputs, "names what is written; xoff has flows always, queues and more with [observe]"),
        (unused, "means nothing to this congestion control, or nothing in xoff"),
    ):
        if entries:
            lines = ", ".join(str(entry.line) for entry in entries)
            config.draft.leave(f"{entries[0].path.name}:{lines}", ", ".join(entry.key for entry in entries), reason)


_KNOWN = {
    *("ALPHA_RESUME_INTERVAL", "RATE_DECREASE_INTERVAL", "CLAMP_TARGET_RATE", "RP_TIMER", "EWMA_GAIN"),
    *("FAST_RECOVERY_TIMES", "RATE_AI", "RATE_HAI", "MIN_RATE", "DCTCP_RATE_AI", "U_TARGET", "MI_THRESH"),
    *("FAST_REACT", "INT_MULTI", "MULTI_RATE", "SAMPLE_FEEDBACK", "PINT_LOG_BASE", "PINT_PROB"),
    *("CONWEAVE_TX_EXPIRY_TIME", "CONWEAVE_REPLY_TIMEOUT_EXTRA", "CONWEAVE_PATH_PAUSE_TIME"),
    *("CONWEAVE_EXTRA_VOQ_FLUSH_TIME", "CONWEAVE_DEFAULT_VOQ_WAITING_TIME", "SW_MONITORING_INTERVAL"),
    *("FLOWGEN_START_TIME", "FLOWGEN_STOP_TIME", "LOAD", "RANDOM_SEED", "NIC_TOTAL_PAUSE_TIME"),
    *("DATA_RATE", "LINK_DELAY", "PAUSE_TIME"),
}
"""Keys of the simulators, for those that another congestion control has, or xoff has no use for."""


def _plain(number: Decimal) -> str:
    """Writes a number without an exponent, and without zeros behind the point."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
