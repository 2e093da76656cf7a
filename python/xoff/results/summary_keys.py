"""Meaning of every key of `summary.json`, from which docs/summary.md, `xoff explain` and measures follow."""

from __future__ import annotations

import re
from typing import NamedTuple

UNIT = re.compile("_(us|ns|bytes|gbps)$")
"""Unit at the end of a key."""


class Key(NamedTuple):
    """Keys of the summary that share a meaning."""

    keys: tuple[str, ...]
    """Paths of the keys, with alternatives in `{}` and `[]` after lists."""
    unit: str | None
    """Unit of the number; empty if it has none, None if the value is no number."""
    about: str
    source: str | None = None
    """Source of the definition, such as a paper."""


_CLASSES = "flows.{all,small,medium,large}"
_PERCENTILES = "{mean,p50,p95,p99,p999}"

KEYS = (
    Key(("schema_version",), "", "1; rises when a key changes its meaning or goes"),
    Key(("title",), None, "as in the scenario"),
    Key(("seed",), "", "as in the scenario"),
    Key(("interrupted",), "", "whether the run was cut short; then everything is about what had happened until then"),
    Key(
        ("size_classes_bytes[]",),
        "bytes",
        "sizes at which small ends and medium ends; a flow of just that size is in the class above",
    ),
    Key(
        ("end_ns",),
        "ns",
        "simulated time at the end: `stop.at`, however long before that nothing was left to do. Without it, when the "
        "last flow finished or the last bit was sent; where packets are left that are paused, when the last event was",
    ),
    Key(
        ("measured.start_ns", "measured.end_ns"),
        "ns",
        "where the measured time begins and ends (`measure.start`, `measure.end`), as far as the run went. Completion "
        "times and slowdowns are of flows, queries and collectives that start in it, goodputs of what is received in "
        "it; all else is of the whole run",
    ),
    Key(
        ("measured.unfinished",),
        "flows",
        "flows that started in the measured time and had not finished at the end, which completion times leave out",
    ),
    Key(
        (f"{_CLASSES}.count",),
        "flows",
        "flows that started in the measured time and finished; those that finished after the stop condition stay out",
    ),
    Key(
        (f"{_CLASSES}.fct_{_PERCENTILES}_us", f"workloads[].fct_{_PERCENTILES}_us"),
        "us",
        "flow completion time (FCT): from the start to the last acknowledgement at the sender; of the flows of a size "
        "class, or of a `[[workload]]`, that finished",
    ),
    Key(
        (f"{_CLASSES}.slowdown_{_PERCENTILES}", f"workloads[].slowdown_{_PERCENTILES}"),
        "",
        "FCT slowdown: completion time over that of the same flow alone on the idle network with an unlimited window "
        "and without interrupt moderation: what a flow waits for interrupts counts as slowdown",
        "HPCC, SIGCOMM 2019; the normalised FCT of pFabric, SIGCOMM 2013",
    ),
    Key(("workloads[].kind", "workloads[].transport"), None, "what each `[[workload]]` is, in their order"),
    Key(
        ("workloads[].count",),
        "flows",
        "flows of each `[[workload]]` in their order that finished; of queries, requests and responses; of "
        "collectives, parts of steps",
    ),
    Key(("flows.started",), "flows", "flows that started"),
    Key(
        ("flows.without_row",),
        "flows",
        "finished flows that have no row and count nowhere else, of a driven simulation that keeps none; left out if 0",
    ),
    Key(
        ("flows.unfinished", "workloads[].unfinished"),
        "flows",
        "flows that started and had not finished at the end, of all or of a `[[workload]]`",
    ),
    Key(
        ("flows.unfinished_goodput_{min,mean,max}_gbps", "workloads[].unfinished_goodput_{min,mean,max}_gbps"),
        "Gbps",
        "goodput of unfinished flows: what the receiver could hand on in the measured time, over what of that was "
        "after the flow's start",
    ),
    Key(
        ("flows.long_lived_jain_index", "workloads[].long_lived_jain_index"),
        "",
        "Jain's index of the goodputs of flows without end, if there are several: 1 where all have the same",
        "Jain, Chiu and Hawe, DEC-TR-301, 1984",
    ),
    Key(("flows.timeouts",), "", "expiries of retransmission timers"),
    Key(("queries.started",), "queries", "queries of workloads of kind `query` that began"),
    Key(("queries.finished",), "queries", "queries that were complete"),
    Key(("queries.unfinished",), "queries", "queries that began and were not complete at the end"),
    Key(
        ("queries.completion_{mean,p50,p95,p99}_us",),
        "us",
        "query completion time: from its start to the last byte of the last response at the aggregator",
    ),
    Key(
        ("queries.with_timeouts",),
        "queries",
        "complete queries with a request or a response whose retransmission timer expired",
    ),
    Key(
        ("queries.timeout_fraction",),
        "",
        "share of complete queries with a request or a response whose retransmission timer expired",
    ),
    Key(
        ("queries.late",),
        "queries",
        "queries whose deadline was over before they were complete, or before the end of the run",
    ),
    Key(
        ("collectives[].workload",),
        "",
        "position in the scenario of each `[[workload]]` of kind `collective`",
    ),
    Key(("collectives[].operation", "collectives[].algorithm"), None, "what its collectives are"),
    Key(("collectives[].ranks",), "", "ranks of a group"),
    Key(("collectives[].groups",), "", "groups that do the same at once"),
    Key(
        ("collectives[].size_bytes",),
        "bytes",
        "what a rank begins or ends with; with a `matrix`, the most that a rank begins with",
    ),
    Key(("collectives[].started",), "collectives", "collectives of all its groups that began"),
    Key(("collectives[].finished",), "collectives", "collectives of all its groups that were complete"),
    Key(
        ("collectives[].unfinished",),
        "collectives",
        "collectives of all its groups that began and were not complete at the end",
    ),
    Key(
        ("collectives[].completion_{mean,p50,p99,max}_us",),
        "us",
        "completion time of a collective: from when the first rank begins until the last has received everything",
    ),
    Key(
        ("collectives[].iteration_mean_us",),
        "us",
        "time from when the first collective of a group begins until its last is complete, over how many these are, "
        "`compute` between them included; less than the completion "
        "time where one begins before the one before is complete",
    ),
    Key(
        ("collectives[].bus_bandwidth_{mean,min}_gbps",),
        "Gbps",
        "bus bandwidth: `size_bytes` over the completion time, times how often a byte crosses the link of a rank, "
        "2(n-1)/n of an `all_reduce` and (n-1)/n of the others, or with `shares` or a `matrix` the most that one rank "
        "sends or receives over the completion time; to be held against the rate of the link; nccl-tests, "
        "which divides the time of all iterations by their number, goes by `iteration_mean_us`",
        "doc/PERFORMANCE.md of nccl-tests",
    ),
    Key(("jobs[].workload",), "", "position in the scenario of each `[[workload]]` of kind `job`"),
    Key(("jobs[].flows",), "flows", "its flows"),
    Key(("jobs[].started",), "flows", "of its flows, those that began"),
    Key(("jobs[].finished",), "flows", "of its flows, those that were received whole"),
    Key(("jobs[].computations",), "", "its other operations: computations, and what hosts hand to themselves"),
    Key(("jobs[].computed",), "", "of these, those that were done"),
    Key(
        ("jobs[].completion_us",),
        "us",
        "from the job's start until its last flow was whole, and its last computation done; none if one is not",
    ),
    Key(
        ("jobs[].computing_us",),
        "us",
        "the longest chain of `delay_ns` and `compute_ns`: how long the job would take, had its flows taken no time, "
        "and its hosts as many streams as they like",
    ),
    Key(("packets.sent",), "packets", "data packets handed to adapters, retransmissions included"),
    Key(("packets.delivered",), "packets", "data packets that reached their receiver"),
    Key(("packets.dropped",), "packets", "data packets that were dropped, for whatever reason"),
    Key(
        ("packets.in_flight",),
        "packets",
        "data packets that were under way at the end; with those delivered and dropped they are all that were sent",
    ),
    Key(
        ("packets.dropped_threshold",),
        "packets",
        "dropped data packets whose queue was at the buffer policy's threshold",
    ),
    Key(
        ("packets.dropped_pool_full",),
        "packets",
        "dropped data packets for which the shared pool, or a buffer of a cioq switch, had no room",
    ),
    Key(
        ("packets.dropped_not_ecn_capable",),
        "packets",
        "dropped data packets which would have been marked, were they ECN-capable",
    ),
    Key(
        ("packets.dropped_adapter_full",),
        "packets",
        "dropped data packets for which the queue of the host's adapter had no room",
    ),
    Key(
        ("packets.dropped_headroom_full",),
        "packets",
        "dropped data packets which came after a pause, and for which the headroom had no room",
    ),
    Key(("packets.dropped_link_error",), "packets", "dropped data packets which a link corrupted"),
    Key(
        ("packets.dropped_link_down",),
        "packets",
        "dropped data packets whose link had failed, or failed while they were on their way or waited for it",
    ),
    Key(
        ("packets.dropped_receiver_full",),
        "packets",
        "dropped data packets that the adapter of a slow receiver had no room for; acknowledgements count in "
        "`packets.acknowledgements_dropped`, as for all other reasons",
    ),
    Key(("packets.dropped_pfc_watchdog",), "packets", "dropped data packets of queues that the PFC watchdog let go"),
    Key(
        ("packets.dropped_pushed_out",),
        "packets",
        "dropped data packets that were in memory already: first in the longest queue, when another found the shared "
        "pool full (`longest_queue_drop`), or in a queue that held more than its threshold (`occamy`)",
    ),
    Key(
        ("packets.dropped_trimmed",),
        "packets",
        "dropped data packets for which there was no room, but for their header, which went on without the payload "
        "(`switch.trimming`)",
    ),
    Key(
        ("packets.trimmed_dropped",),
        "packets",
        "headers of trimmed packets that were dropped in turn; they are no data, and `packets.dropped` does not count "
        "them again",
    ),
    Key(("packets.marked",), "", "ECN marks set; a packet can be marked at several switches"),
    Key(("packets.retransmitted",), "packets", "data packets sent again"),
    Key(
        ("packets.acknowledgements_sent",),
        "packets",
        "acknowledgements sent, of any kind, NACKs, CNPs and packets of credit too",
    ),
    Key(
        ("packets.cnps_sent",),
        "packets",
        "of the acknowledgements, congestion notification packets (CNPs)",
    ),
    Key(("packets.credits_sent",), "packets", "of the acknowledgements, packets of credit (RCCC)"),
    Key(
        ("packets.acknowledgements_dropped",),
        "packets",
        "acknowledgements dropped, for any reason; congestion notification messages count in `qcn.cnms_dropped`",
    ),
    Key(("loss_rate",), "", "share of data packets that were dropped: `packets.dropped` over `packets.sent`"),
    Key(
        ("goodput_gbps",),
        "Gbps",
        "goodput of all receivers together: payload delivered in the measured time, each byte once, over that time. "
        "Where what has started is drained, the run lasts until the last flow is done, so that one slow flow lowers "
        "it; with `measure.end` at `stop.arrivals_end` it is what the network carried while flows arrived",
    ),
    Key(
        ("observed.{queue,pool,input,window,threshold}_{mean,p50,p99,max}_bytes",),
        "bytes",
        "what `[observe]` recorded in the measured time, all names and classes together: of samples at an interval, "
        "or of queues on change by time, where one that never held anything does not count",
    ),
    Key(
        ("observed.{throughput,class_throughput,flow_throughput,rate}_{mean,p50,p99,max}_gbps",),
        "Gbps",
        "the same of throughputs and rates, sampled at an interval",
    ),
    Key(
        ("observed.alpha_{mean,p50,p99,max}",),
        "",
        "the same of alpha, DCTCP's running share of marked bytes, over all samples of all flows",
        "DCTCP, SIGCOMM 2010, equation 1",
    ),
    Key(
        ("observed.rtt_{mean,p50,p99,max}_us",),
        "us",
        "the same of the smoothed round-trip times of TCP flows, over all samples of all flows",
        "RFC 6298, section 2",
    ),
    Key(("pfc.pause_frames",), "frames", "frames that pause a class, sent by all ports"),
    Key(("pfc.resume_frames",), "frames", "frames that only resume, sent by all ports"),
    Key(("pfc.paused_us",), "us", "time that classes of ports were paused, class by class and port by port"),
    Key(
        ("pfc.off_us",),
        "us",
        "total pause duration: time from XOFF to XON, summed over switches and slow receivers, ports and classes; a "
        "port-level pause counts once for each of the eight classes",
        "DSH, ToN 2025, section V-B",
    ),
    Key(("pfc.off_port_as_one_us",), "us", "total pause duration where a port-level pause counts once"),
    Key(("pfc.headroom_peak_bytes",), "bytes", "the most bytes that were ever in the headroom of one switch"),
    Key(
        ("pfc.longest_pause_us",),
        "us",
        "the longest time that a class of a port was paused without a break",
    ),
    Key(("pfc.storms",), "ports", "ports that were paused without a break for `pfc.detection_time`"),
    Key(
        ("storms[].port",),
        None,
        "which port was paused for `pfc.detection_time`, the one that was paused longest first",
    ),
    Key(("storms[].paused_ns",), "ns", "for how long the port was paused without a break"),
    Key(("pfc.interventions",), "", "times that a PFC watchdog let a queue go (`pfc.watchdog`)"),
    Key(("watchdog[].port",), None, "port whose queue a PFC watchdog let go, in order of detection"),
    Key(("watchdog[].priority",), "", "class of the queue that a PFC watchdog let go"),
    Key(("watchdog[].detected_ns",), "ns", "from when a PFC watchdog let the queue go"),
    Key(
        ("watchdog[].restored_ns",),
        "ns",
        "until when a PFC watchdog let the queue go; null: until the end; it may also be after it, as nothing else "
        "happened any longer",
    ),
    Key(("watchdog[].dropped",), "packets", "packets that the queue lost while a PFC watchdog let it go, of any kind"),
    Key(
        ("deadlock",),
        "",
        "whether there are queues at the end each of which waits for the next and the last for the first",
    ),
    Key(("deadlock_cycle[].port",), None, "port of each queue of the deadlock; empty without one"),
    Key(("deadlock_cycle[].priority",), "", "class of the queue"),
    Key(("deadlock_cycle[].since_ns",), "ns", "since when the queue is paused"),
    Key(("deadlock_cycle[].queue_bytes",), "bytes", "what the queue holds"),
    Key(("stuck_queues",), "queues", "queues that will never send: in the cycle of a deadlock or behind it"),
    Key(
        ("stood_still",),
        "",
        "whether the run ended because nothing could move any longer: a paused port held packets, and there was "
        "nothing left to do, or no packet went onto any wire for 5 ms and the longest first timeout",
    ),
    Key(
        ("reached_time_limit",),
        "",
        "whether the run was cut off at the longest time that one can last, 1125.9 s; then everything is about what "
        "had happened until then",
    ),
    Key(
        ("recorded_until_ns",),
        "ns",
        "when recording ended, because the records had taken all of `observe.memory`; the run went on. Null where they "
        "are whole",
    ),
    Key(
        ("qcn.cnms_sent_by_inputs", "qcn.cnms_sent_by_outputs"),
        "",
        "congestion notification messages (CNMs) of the congestion points at inputs, and at outputs, of cioq switches",
    ),
    Key(("qcn.cnms_received",), "", "CNMs that reached hosts"),
    Key(
        ("qcn.cnms_dropped",),
        "",
        "CNMs that found no room in the switch that made them or on their way, that a link corrupted, or that a marker "
        "would have marked, were they ECN-capable",
    ),
    Key(
        ("qcn.cnms_through_crossbars",),
        "",
        "times that a CNM crossed a crossbar; those of the input by which a flow comes in cross none",
    ),
    Key(
        ("spraying.at_random", "spraying.recycled"),
        "packets",
        "packets of senders that spray whose entropy was drawn, and whose entropy an acknowledgement had brought back",
    ),
    Key(("spraying.freezes",), "", "times that a flow was frozen after a timeout (REPS)"),
    Key(
        ("buffer.peak_bytes",),
        "bytes",
        "the most that any one switch held, in all its pools and reserves together",
    ),
    Key(("buffer.end_bytes",), "bytes", "what all switches held at the end"),
    Key(
        ("fast_forward.skips",),
        "",
        "times that steady time was skipped; the table `fast_forward` is left out where every packet was simulated",
    ),
    Key(("fast_forward.skipped_ns",), "ns", "time skipped in all"),
    Key(("fast_forward.because",), None, 'why nothing was skipped, after "because"; null where something was'),
    Key(("engine.packet_hops",), "", "links crossed by data and acknowledgement packets"),
    Key(("engine.events",), "", "events the engine handled; depends on the threads"),
    Key(("engine.cpu_seconds",), "s", "CPU time of all threads, from a checked scenario to its results"),
    Key(("engine.wall_seconds",), "s", "time by the clock, from a checked scenario to its results"),
    Key(("engine.ns_per_packet_hop",), "ns", "CPU time over packet-hops"),
    Key(
        ("engine.added_rss_mb",),
        "10^6 bytes",
        "peak resident memory during the run less what was resident before; null off Linux",
    ),
    Key(
        ("engine.threads",),
        "",
        "threads that shared the work: those that were asked for, at most as many as there are cores",
    ),
    Key(
        ("digest",),
        None,
        "hash of all integer results: equal for equal scenario and seed, whatever machine and number of threads. It "
        "begins with `~` where the run could skip steady times, since results are approximate then",
    ),
    Key(("scenario_digest",), None, "SHA-256 of `scenario.toml` and `inputs/`"),
)
