// What a run shows: numbers, completion times, slowdowns, values over time, pauses and the network, of one run or of two.

import { grid, make } from "./elements.js";
import { MEASURES, network } from "./network.js";
import { PALETTE, draw, figure, forget, lines, time_axis } from "./plots.js";
import { count, duration, plain, rate, share, size } from "./units.js";
import { why } from "./why.js";

const CLASSES = ["small", "medium", "large"];
const CLASS_COLOURS = { small: PALETTE[0], medium: PALETTE[1], large: PALETTE[2] };
const DASH = [8, 4]; // of the second run
const MOST_LINES = 6, MOST_DOTS = 20000, MOST_STEPS = 400;

// Quantities that are recorded over time, with their titles and units; those of the time before a sample.
const QUANTITIES = {
  queue: ["Queues", size], pool: ["Pools of packet memory", size], input: ["Inputs of switches", size],
  throughput: ["Throughput of ports", rate, true], class_throughput: ["Throughput of classes", rate, true],
  flow_throughput: ["Throughput of flows", rate, true], rate: ["Rates of senders", rate], window: ["Congestion windows", size],
  threshold: ["Slow-start thresholds", size], alpha: ["Alpha of DCTCP", plain], rtt: ["Smoothed round-trip times", duration],
};

const microseconds = (value) => value == null ? "–" : duration(value * 1000);

function ratio(one, other) {
  return one > 0 && other >= 0 ? `${+(other / one).toPrecision(3)}×` : "–";
}

function cards(parent, runs) {
  const box = make("div", null, "cards");
  const add = (label, of) => {
    const card = make("div", null, "card"), value = make("div", of(runs[0].answer.summary), "value");
    if (runs[1]) value.append(make("small", `second: ${of(runs[1].answer.summary)}`));
    card.append(make("div", label, "label"), value);
    box.append(card);
  };
  add("flows finished", (summary) => plain(summary.flows.started - summary.flows.unfinished));
  add("goodput", (summary) => rate(summary.goodput_gbps * 1e9));
  add("slowdown, 99th percentile", (summary) => plain(summary.flows.all.slowdown_p99));
  add("packets dropped", (summary) => summary.packets.dropped.toLocaleString("en"));
  add("time paused", (summary) => microseconds(summary.pfc.paused_us));
  add("simulated", (summary) => duration(summary.end_ns));
  parent.append(box);
}

// Adds a table with a row for each of `rows`: a name, a function of the summary, its format, and whether less is better.
function table(parent, rows, runs) {
  grid(parent, ["", ...(runs[1] ? ["first", "second", "second / first"] : [""])], rows.map(([name, of, format, less]) => {
    const values = runs.map((run) => of(run.answer.summary)), cells = values.map(format);
    if (!runs[1]) return [name, ...cells];
    const better = less === undefined || values[0] === values[1] || values.includes(null) ? "" : (values[1] < values[0]) === less ? "better" : "worse";
    return [name, ...cells, make("td", ratio(...values), better)];
  }));
}

const whole = (value) => value == null ? "–" : value.toLocaleString("en");

function numbers(parent, runs) {
  const { body } = figure(parent, "Numbers of the summary", "As in summary.json; docs/summary.md has the meaning of each.");
  const of = (path) => (summary) => path.split(".").reduce((value, key) => value?.[key], summary);
  const rows = [
    ["flows finished", (summary) => summary.flows.started - summary.flows.unfinished, whole, false],
    ["flows unfinished", of("flows.unfinished"), whole, true],
    ["goodput", (summary) => summary.goodput_gbps * 1e9, rate, false],
    ["packets sent", of("packets.sent"), whole], ["packets marked", of("packets.marked"), whole],
    ["packets dropped", of("packets.dropped"), whole, true], ["loss rate", of("loss_rate"), share, true],
    ["packets sent again", of("packets.retransmitted"), whole, true], ["retransmission timeouts", of("flows.timeouts"), whole, true],
    ["pause frames", of("pfc.pause_frames"), whole, true], ["time paused, all ports", of("pfc.paused_us"), microseconds, true],
    ["longest pause", of("pfc.longest_pause_us"), microseconds, true], ["storms", of("pfc.storms"), whole, true],
    ["most bytes in one switch", of("buffer.peak_bytes"), size, true],
    ["Jain's index, flows without end", of("flows.long_lived_jain_index"), plain, false],
    ["packet-hops", of("engine.packet_hops"), whole],
  ];
  table(body, rows, runs);
  runs.forEach((run, which) => {
    body.append(make("p", `${label(runs, "Digest", which)}: ${run.answer.summary.digest}`, "digest"));
  });
}

function classes(parent, runs) {
  if (runs.every((run) => !run.answer.summary.flows.all.count)) return;
  const [small, medium] = runs[0].answer.summary.size_classes_bytes;
  const { body } = figure(parent, "Completion times by size class", `Small is below ${size(small)}, large from ${size(medium)} on. Flows that started in the measured time.`);
  if (!runs[1]) {
    const summary = runs[0].answer.summary, head = ["", "flows", "median", "99 %", "slowdown 50 %", "slowdown 99 %"];
    const there = ["all", ...CLASSES].filter((name) => summary.flows[name].count);
    grid(body, head, there.map((name) => {
      const of = summary.flows[name];
      return [name, whole(of.count), microseconds(of.fct_p50_us), microseconds(of.fct_p99_us), plain(of.slowdown_p50), plain(of.slowdown_p99)];
    }));
    return;
  }
  const rows = ["all", ...CLASSES].flatMap((name) => {
    const of = (key) => (summary) => summary.flows[name][key];
    if (runs.every((run) => !of("count")(run.answer.summary))) return [];
    return [
      [`${name}: flows`, of("count"), whole], [`${name}: median`, of("fct_p50_us"), microseconds, true],
      [`${name}: 99 %`, of("fct_p99_us"), microseconds, true], [`${name}: slowdown, median`, of("slowdown_p50"), plain, true],
      [`${name}: slowdown, 99 %`, of("slowdown_p99"), plain, true],
    ];
  });
  table(body, rows, runs);
}

// Returns the range of a logarithmic axis for some values.
function bounds(values) {
  const [low, high] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);
  const beyond = high < 4 * low ? 3 : 1.3;
  return [low / beyond, high * beyond];
}

// Adds the goodputs of flows that had not finished, such as those without end.
function unfinished(parent, runs) {
  const most = 16, of_runs = runs.map((run) => {
    const { unfinished: rows } = run.columns, { names } = run.answer;
    return new Map(Array.from(rows.source, (source, at) => [
      `${names.nodes[source]}.flow${rows.number[at]} to ${names.nodes[rows.destination[at]]}`, rows.goodput_gbps[at] * 1e9,
    ]));
  });
  const names = [...new Set(of_runs.flatMap((each) => [...each.keys()]))];
  if (!names.length) return;
  const about = names.length > most ? `The first ${most} of ${names.length}. ` : "";
  const { body } = figure(parent, "Flows that had not finished", `${about}Goodput over the measured time.`);
  const head = ["", ...(runs[1] ? ["first", "second", "second / first"] : ["goodput"])];
  grid(body, head, names.slice(0, most).map((name) => {
    const values = of_runs.map((each) => each.get(name));
    return [name, ...values.map((value) => rate(value)), ...(runs[1] ? [ratio(...values)] : [])];
  }));
}

const label = (runs, name, which) => runs[1] ? `${name}, ${which ? "second" : "first"}` : name;

function completion(parent, runs) {
  const list = [];
  runs.forEach((run, which) => {
    const { flows } = run.columns, [small, medium] = run.answer.summary.size_classes_bytes;
    const times = { small: [], medium: [], large: [] };
    flows.fct_ns.forEach((time, at) => {
      if (flows.measured[at]) times[flows.size_bytes[at] < small ? "small" : flows.size_bytes[at] < medium ? "medium" : "large"].push(time);
    });
    for (const name of CLASSES.filter((name) => times[name].length)) {
      const ordered = Float64Array.from(times[name]).sort(), steps = Math.min(ordered.length, MOST_STEPS), points = new Map();
      for (let step = 1; step <= steps; step += 1) {
        const place = Math.ceil((step * ordered.length) / steps);
        points.set(ordered[place - 1], place / ordered.length);
      }
      list.push({ label: label(runs, name, which), xs: [...points.keys()], ys: [...points.values()], colour: CLASS_COLOURS[name], dash: which ? DASH : undefined });
    }
  });
  if (!list.length) return;
  const made = figure(parent, "Completion times", "Share of the flows of a size class that are done within a time.");
  const [low, high] = bounds(list.flatMap((line) => [line.xs[0], line.xs.at(-1)]));
  lines(made, { list, x: { label: "time", format: duration, log: true, range: [low, high] }, y: { format: share, range: [0, 1.02] } });
}

// Draws a dot for each flow; a click or the list of the slowest asks why.
function slowdowns(parent, runs, ask) {
  const dots = runs.flatMap((run, which) => Array.from(run.columns.flows.slowdown, (slowdown, row) => ({ which, row, slowdown, bytes: run.columns.flows.size_bytes[row] })));
  if (!dots.length) return;
  dots.sort((one, other) => other.slowdown - one.slowdown);
  const seen = dots.slice(0, MOST_DOTS);
  const made = figure(parent, "Slowdown by size", "A dot for each flow: its completion time over that of the same flow alone. Click one to ask why it was slow.");
  const range = { x: bounds(seen.map((dot) => dot.bytes)), y: bounds(seen.map((dot) => dot.slowdown)) };
  range.y[0] = Math.min(range.y[0], 0.9);
  let chosen = null;
  const plot = draw(made, {
    x: { format: size, log: true }, y: { format: plain, log: true, size: 50 }, both: true, legend: false,
    data: [range.x, range.y], series: [{ label: "slowdown", paths: () => null, points: { show: false } }],
    drawn: (own) => {
      const { ctx, bbox } = own, ratio = devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      for (const dot of seen) {
        const x = own.valToPos(dot.bytes, "x", true), y = own.valToPos(dot.slowdown, "y", true), r = (dot === chosen ? 5 : 2.2) * ratio;
        ctx.globalAlpha = dot === chosen ? 1 : 0.6;
        ctx.fillStyle = dot.which ? PALETTE[3] : PALETTE[5];
        ctx.beginPath();
        if (dot.which) ctx.rect(x - r, y - r, 2 * r, 2 * r);
        else ctx.arc(x, y, r, 0, 7);
        ctx.fill();
      }
      ctx.restore();
    },
    clicked: (own, x, y) => {
      let best = null, least = 30;
      for (const dot of seen) {
        const far = Math.hypot(own.valToPos(dot.bytes, "x") - x, own.valToPos(dot.slowdown, "y") - y);
        if (far < least) { best = dot; least = far; }
      }
      if (best) choose(best);
    },
  });
  const choose = (dot) => { chosen = dot; plot.redraw(); ask(dot.which, dot.row); };
  if (runs[1]) made.text.textContent += " Circles are the first run, squares the second.";
  const list = make("div", null, "flows");
  list.append(make("span", "Slowest:", "soft"));
  for (const dot of dots.slice(0, 6)) {
    const { flows } = runs[dot.which].columns, { names } = runs[dot.which].answer;
    const made = make("button", `${names.nodes[flows.source[dot.row]]}.flow${flows.number[dot.row]} ${plain(dot.slowdown)}×${runs[1] ? (dot.which ? " (second)" : " (first)") : ""}`, "tool why");
    made.title = "Why was this flow slow?";
    made.addEventListener("click", () => choose(dot));
    list.append(made);
  }
  made.box.append(list);
}

// Returns the lines of a quantity, those with most first.
function series_of(run, quantity) {
  const { series } = run.columns, { names } = run.answer, found = new Map();
  series.quantity.forEach((each, at) => {
    if (each !== quantity) return;
    const key = series.name[at] * 8 + series.priority[at];
    if (!found.has(key)) found.set(key, { name: names.series[series.name[at]], priority: series.priority[at], xs: [], ys: [], most: 0 });
    const line = found.get(key), value = series.value[at];
    if (line.xs.length && line.xs.at(-1) === series.time_ns[at]) line.ys[line.ys.length - 1] = value;
    else { line.xs.push(series.time_ns[at]); line.ys.push(value); }
    if (value > line.most) line.most = value;
  });
  const many = new Set([...found.values()].map((line) => line.priority)).size > 1;
  return [...found.values()].map((line) => ({ ...line, label: many ? `${line.name} class ${line.priority}` : line.name }));
}

function over_time(parent, runs) {
  runs[0].answer.names.quantities.forEach((name, quantity) => {
    if (!QUANTITIES[name] || !runs.some((run) => run.columns.series.quantity.includes(quantity))) return;
    const [title, format, before] = QUANTITIES[name], of_runs = runs.map((run) => series_of(run, quantity));
    const most = new Map();
    for (const line of of_runs.flat()) most.set(line.label, Math.max(most.get(line.label) ?? 0, line.most));
    const high = Math.max(...most.values());
    const all = [...most].filter(([, value]) => value > 0 || !high).sort((one, other) => other[1] - one[1]).map(([label]) => label), chosen = all.slice(0, MOST_LINES);
    const list = chosen.flatMap((of, index) => of_runs.flatMap((found, which) => found.filter((line) => line.label === of)
      .map((line) => ({ ...line, label: label(runs, of, which), colour: PALETTE[index % PALETTE.length], dash: which ? DASH : undefined, before }))));
    const about = all.length > MOST_LINES ? `The ${MOST_LINES} with the highest values, of ${all.length}.` : "";
    const made = figure(parent, `${title} over time`, `${about}${runs[1] ? " Dashed lines are the second run." : ""}`.trim());
    lines(made, { list, x: time_axis, y: { format, range: (_, low, high) => [0, high > 0 ? 1.05 * high : 1] } });
  });
}

function pauses(parent, runs) {
  runs.forEach((run, which) => {
    const { pauses: rows } = run.columns, { names, summary } = run.answer;
    if (!rows.start_ns.length) return;
    const of = new Map();
    rows.start_ns.forEach((start, at) => {
      const port = rows.paused_port[at], end = Number.isNaN(rows.end_ns[at]) ? summary.end_ns : rows.end_ns[at];
      if (!of.has(port)) of.set(port, { port, bars: [], time: 0 });
      of.get(port).bars.push([start, end]);
      of.get(port).time += end - start;
    });
    const list = [...of.values()].sort((one, other) => other.time - one.time).slice(0, 14);
    const many = of.size > list.length ? `The ${list.length} ports that were paused longest, of ${of.size}.` : "";
    const made = figure(parent, label(runs, "Pauses", which), `A bar for each time that a port was paused (PFC). ${many}`);
    made.box.classList.add("whole");
    draw(made, {
      x: time_axis, legend: false, height: 70 + 20 * list.length, data: [[0, summary.end_ns], [0, 0]],
      y: { format: (value) => names.series[list[value]?.port] ?? "", range: [-0.5, list.length - 0.5], down: true, at: list.map((_, index) => index), size: 110 },
      series: [{ paths: () => null, points: { show: false } }],
      drawn: (own) => {
        const { ctx, bbox } = own, high = Math.min(11, (bbox.height / list.length) * 0.7 / devicePixelRatio) * devicePixelRatio;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        ctx.fillStyle = PALETTE[which ? 3 : 0];
        list.forEach(({ bars }, index) => {
          const y = own.valToPos(index, "y", true);
          for (const [start, end] of bars) {
            const left = own.valToPos(start, "x", true), right = own.valToPos(end, "x", true);
            ctx.fillRect(left, y - high / 2, Math.max(right - left, devicePixelRatio * 0.8), high);
          }
        });
        ctx.restore();
      },
    });
  });
}

function networks(parent, runs) {
  runs.forEach((run, which) => {
    const has = (name) => run.columns.ports.port.some((_, at) => MEASURES[name].of(run.columns.ports, at, 1) > 0);
    const made = figure(parent, label(runs, "The network", which), "Links by the busier direction, from grey over blue and orange to red. Point at one for its numbers.");
    const show = (measure) => {
      made.body.replaceChildren();
      network(made.body, run, measure);
      for (const each of made.tools.children) each.setAttribute("aria-pressed", String(each.dataset.measure === measure));
    };
    for (const [name, { title }] of Object.entries(MEASURES)) {
      if (name !== "utilization" && !has(name)) continue;
      const tool = Object.assign(make("button", title, "tool"), { type: "button" });
      tool.dataset.measure = name;
      tool.addEventListener("click", () => show(name));
      made.tools.append(tool);
    }
    show(has("paused") ? "paused" : "utilization");
    if (!runs[1]) made.box.classList.add("whole");
  });
}

// Shows one run, or two beside each other, in an element.
export function show(parent, runs) {
  forget();
  parent.replaceChildren();
  cards(parent, runs);
  const troubles = runs.flatMap((run, which) => trouble(run.answer.summary).map((told) => runs[1] ? `${which ? "Second" : "First"}: ${told}` : told));
  for (const told of troubles) parent.append(make("p", told, "soft"));
  const box = make("div", null, "figures");
  parent.append(box);
  const answer = make("div", null, "whole");
  const ask = (which, row) => why(answer, runs[which], row, runs[1] ? (which ? " of the second run" : " of the first run") : "");
  slowdowns(box, runs, ask);
  completion(box, runs);
  answer.id = "why";
  box.append(answer);
  unfinished(box, runs);
  over_time(box, runs);
  pauses(box, runs);
  networks(box, runs);
  classes(box, runs);
  numbers(box, runs);
}

function trouble(summary) {
  const told = [];
  if (summary.deadlock) told.push(`Deadlock: ${summary.deadlock_cycle.map((queue) => queue.port).join(" → ")}.`);
  else if (summary.stood_still) told.push("Stood still: nothing could move any longer, which ended the run.");
  if (summary.storms.length) told.push(`${count(summary.storms.length, "PFC storm")}: ${summary.storms[0].port} was paused for ${duration(summary.storms[0].paused_ns)} without a break.`);
  if (summary.watchdog.length) told.push(`${count(summary.watchdog.length, "intervention")} of a watchdog, first at ${summary.watchdog[0].port} after ${duration(summary.watchdog[0].detected_ns)}.`);
  if (summary.recorded_until_ns != null) told.push(`Recorded until ${duration(summary.recorded_until_ns)} only: records had taken observe.memory.`);
  return told;
}
