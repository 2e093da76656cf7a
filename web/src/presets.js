// Scenarios to begin with: what to look for, numbers to slide, and changes that make a second scenario.

import all_reduce from "../presets/all_reduce.toml";
import bcc from "../presets/bcc.toml";
import dcqcn from "../presets/dcqcn.toml";
import dctcp from "../presets/dctcp.toml";
import dsh from "../presets/dsh.toml";
import incast from "../presets/incast.toml";
import pfc_storm from "../presets/pfc_storm.toml";
import qcn_os from "../presets/qcn_os.toml";
import spraying from "../presets/spraying.toml";
import web_search from "../presets/web_search.toml";

const kilobytes = (...values) => values.map((value) => `${value}kB`);

export const PRESETS = [
  {
    name: "web_search", group: "Networks", title: "Web search on a small fabric", text: web_search,
    look: "Most flows are small and should finish in a few round trips; the large ones carry the bytes. "
      + "Queues at leaves stay near the marking threshold, so small flows wait little behind large ones. "
      + "Raise the load, or compare with CUBIC, which fills queues until they drop.",
    sliders: [
      { key: "workload[0].load", label: "load", values: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], at: 0.6 },
      { key: "switch.marking.queue.threshold", label: "marking threshold", values: kilobytes(10, 20, 40, 65, 100, 200, 400), at: "100kB" },
    ],
    changes: "transport.dctcp.congestion_control = { algorithm = \"cubic\" }",
  },
  {
    name: "dctcp", group: "Papers", title: "DCTCP: the sawtooth of two flows", text: dctcp,
    look: "The queue rises to the threshold, is marked for a round trip, and falls by a little: a sawtooth with small teeth. "
      + "With a threshold that is too low the queue runs empty, and the link's throughput has gaps. "
      + "Reno, the second scenario, halves its window at every mark and leaves the link idle longer.",
    sliders: [{ key: "switch.marking.queue.threshold", label: "threshold K", values: kilobytes(5, 10, 15, 20, 30, 40, 60, 100, 200), at: "60kB" }],
    changes: "transport.dctcp.congestion_control = { algorithm = \"reno\" }",
  },
  {
    name: "dcqcn", group: "Papers", title: "DCQCN: PFC alone is unfair", text: dcqcn,
    look: "Four hosts write to one; host16 sits beside it, the others share two uplinks, and PFC pauses ports, not flows. "
      + "Whoever has an uplink alone gets as much as host16, and those who share one get half. "
      + "With DCQCN, the second scenario, all four go to the same rate, and pauses end.",
    sliders: [
      { key: "topology.hash_seed", label: "draw of paths", values: [0, 100, 200, 300, 400, 500, 600], at: 0 },
      { key: "switch.pfc.xoff.alpha", label: "alpha", values: ["1/16", "1/8", "1/4", "1/2", 1, 2], at: 1 },
    ],
    changes: "transport.roce.congestion_control = { algorithm = \"dcqcn\", preset = \"paper\" }",
  },
  {
    name: "dsh", group: "Papers", title: "DSH against SIH: collateral damage", text: dsh,
    look: "At 500 us a burst comes to host3, and the flow to host2 has nothing to do with it. "
      + "With static headroom (SIH) little memory is left, the switch pauses its neighbour, and that flow falls to nothing. "
      + "With shared headroom (DSH), the second scenario, the burst finds room, and the flow goes on.",
    sliders: [
      { key: "switch.pfc.xoff.alpha", label: "alpha", values: ["1/64", "1/32", "1/16", "1/8", "1/4", "1/2"], at: "1/16" },
      { key: "workload[1].size", label: "size of the burst", values: ["8kB", "16kB", "32kB", "64kB", "128kB"], at: "64kB" },
    ],
    changes: "switch.pfc.headroom.scheme = dsh\nswitch.pfc.lossless_pool = 14185216B",
  },
  {
    name: "bcc", group: "Papers", title: "BCC: marking on shared memory", text: bcc,
    look: "Each port marks where it must for full throughput, and several busy ports overfill the memory that they share. "
      + "Look at dropped packets and timeouts, and at the slowdown of small flows. "
      + "BCC, the second scenario, marks on the shared memory too, before it is full.",
    sliders: [
      { key: "workload[0].load", label: "load", values: [0.5, 0.6, 0.7, 0.8, 0.9, 0.95], at: 0.9 },
      { key: "switch.marking.port.threshold", label: "threshold of ports", values: kilobytes(100, 200, 300, 500, 720, 1000), at: "720kB" },
    ],
    changes: "switch.marking.pool = { kind = \"bcc\", when = \"dequeue\" }",
  },
  {
    name: "qcn_os", group: "Papers", title: "QCN-OS: an innocent flow", text: qcn_os,
    look: "host0 sends to host1, which is free, and to host2, which five flows want; both wait at the same input. "
      + "Sampling what arrives blames both flows, and the innocent one is throttled to the rate of the other. "
      + "Sampling what waits, the second scenario, blames only the flow that is stuck: the innocent one keeps its 5 Gbps.",
    sliders: [{ key: "switch.input.congestion_point.set_point", label: "set point", values: kilobytes(20, 40, 60, 80, 100), at: "60kB" }],
    changes: "switch.input.congestion_point.sampling = occupancy",
  },
  {
    name: "incast", group: "Networks", title: "Incast of 20 to 1", text: incast,
    look: "Twenty hosts answer one at once, ten times, and the queue to it jumps. "
      + "While the switch has memory, the burst only waits; look at the peak of the queue. "
      + "With 300 kB, the second scenario, packets are dropped, and the slowest flows wait for a timeout.",
    sliders: [
      { key: "workload[0].fan_in", label: "senders", values: [2, 4, 8, 12, 16, 20, 24, 28, 31], at: 20 },
      { key: "switch.total", label: "packet memory", values: [...kilobytes(200, 300, 400, 500, 700), "1MB", "2MB", "4MB"], at: "2MB" },
    ],
    changes: "switch.total = 300kB",
  },
  {
    name: "pfc_storm", group: "Networks", title: "A PFC storm", text: pfc_storm,
    look: "At 1 ms the adapter of host5 stops taking packets in and pauses its leaf, which pauses a spine, and that pauses other leaves. "
      + "Flows that have nothing to do with host5 wait behind it, until the watchdog lets the queue go at the price of drops. "
      + "In the second scenario host5 recovers after 50 us, and nothing spreads.",
    sliders: [
      { key: "pfc.detection_time", label: "watchdog's detection time", values: ["200us", "500us", "1ms", "2ms", "3ms"], at: "1ms" },
      { key: "workload[0].load", label: "load", values: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], at: 0.4 },
    ],
    changes: "slow_receiver[0].end = 1050us",
  },
  {
    name: "all_reduce", group: "Networks", title: "All-reduce in rings", text: all_reduce,
    look: "Two jobs of 16 hosts sum up their gradients in rings, and their hosts lie scattered over the racks. "
      + "Rings meet in the fabric, ECMP puts some flows on the same link, and every step waits for the slowest flow. "
      + "With neighbours in a rack, the second scenario, rings stay apart.",
    sliders: [{ key: "workload[0].size", label: "size", values: ["512KiB", "1MiB", "2MiB", "4MiB", "8MiB", "16MiB"], at: "4MiB" }],
    changes: "workload[0].order = listed",
  },
  {
    name: "spraying", group: "Networks", title: "Spraying around a failed link", text: spraying,
    look: "A link fails at 100 us, and switches go on using it for a millisecond. "
      + "REPS sends again by the ways whose packets came back unmarked, and so avoids the link within a round trip. "
      + "Oblivious spraying, the second scenario, keeps losing one packet in eight until the switches know.",
    sliders: [{ key: "link_event[0].convergence", label: "time until switches know", values: ["100us", "200us", "500us", "1ms", "2ms"], at: "1ms" }],
    changes: "transport.uet.spraying = { algorithm = \"oblivious\" }",
  },
];
