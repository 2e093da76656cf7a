// A simulator on a thread of its own.

import { Failure, simulator } from "./border.js";

const EVERY_MS = 80;
let ready = null, told = 0;

function tell(now_ns, end_ns, started, finished) {
  const now = performance.now();
  if (now - told < EVERY_MS) return;
  told = now;
  postMessage({ progress: { now_ns, end_ns, started, finished } });
}

// Tables of a report that the page shows, with their columns.
const TABLES = {
  flows: ["source", "destination", "number", "workload", "size_bytes", "start_ns", "fct_ns", "slowdown", "measured"],
  unfinished: ["source", "destination", "number", "size_bytes", "received_bytes", "goodput_gbps"],
  ports: ["port", "device", "peer", "rate_bps", "utilization", "packets", "wire_bytes", "marked", "dropped", "pause_frames", "paused_ns"],
  series: ["time_ns", "quantity", "name", "priority", "value"],
  pauses: ["paused_port", "port", "priority", "start_ns", "end_ns"],
};

function tables(simulator) {
  const found = {};
  for (const [table, columns] of Object.entries(TABLES)) {
    found[table] = Object.fromEntries(columns.map((name) => [name, simulator.column(table, name)]));
  }
  return found;
}

onmessage = async ({ data }) => {
  if (data.module) {
    ready = simulator(data.module, tell);
    return;
  }
  const { id, request } = data;
  try {
    const own = await ready, begun = performance.now();
    const answer = own.ask(request);
    const columns = request.ask === "run" && !answer.error ? tables(own) : null;
    const buffers = columns ? Object.values(columns).flatMap((table) => Object.values(table).map((column) => column.buffer)) : [];
    postMessage({ id, answer, columns, took_ms: performance.now() - begun, memory: own.memory.buffer.byteLength }, buffers);
  } catch (error) {
    // Whatever went wrong, this module cannot go on.
    const is_memory = error instanceof RangeError || /memory/.test(error.message);
    postMessage({ id, failure: error instanceof Failure || is_memory ? error.message : `internal error: ${error.message}` });
  }
};
