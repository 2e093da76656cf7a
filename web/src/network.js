// The network with its links coloured.

import { PALETTE } from "./plots.js";
import { count, duration, rate, share } from "./units.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST_HOSTS = 256;

// What links are coloured by, with the value of a port, how it is told, and the value of full colour.
export const MEASURES = {
  utilization: { title: "bits carried", of: (ports, at) => ports.utilization[at], told: share, full: 1 },
  paused: { title: "time paused", of: (ports, at, end) => ports.paused_ns[at] / end, told: (value, end) => duration(value * end) },
  dropped: { title: "packets dropped", of: (ports, at) => ports.dropped[at], told: (value) => count(value, "packet") },
  marked: { title: "packets marked", of: (ports, at) => ports.marked[at], told: (value) => count(value, "packet") },
};

// Returns the tier of every node: 0 for hosts, one more for switches than for the nearest node below.
function tiers(nodes, hosts, links) {
  const tier = new Array(nodes).fill(-1), near = Array.from({ length: nodes }, () => []);
  for (const [one, other] of links) { near[one].push(other); near[other].push(one); }
  let front = [];
  for (let node = 0; node < hosts; node += 1) { tier[node] = 0; front.push(node); }
  while (front.length) {
    const next = [];
    for (const node of front) for (const other of near[node]) if (tier[other] < 0) { tier[other] = tier[node] + 1; next.push(other); }
    front = next;
  }
  return { tier: tier.map((each) => Math.max(each, 0)), near };
}

// Returns the places of nodes, hosts below: each switch over the middle of what it joins one tier below.
function places(nodes, hosts, links, shows_hosts) {
  const { tier, near } = tiers(nodes, hosts, links), rows = Math.max(...tier) + 1;
  const at = new Map(), order = Array.from({ length: rows }, () => []);
  for (let node = 0; node < nodes; node += 1) order[tier[node]].push(node);
  const first = Math.max(...order.filter((_, row) => row || shows_hosts).map((row) => row.length));
  const width = Math.max(480, 15 * first + 40), height = 70 + 100 * (rows - (shows_hosts ? 1 : 2));
  order.forEach((row, level) => {
    const middle = (node) => {
      const below = near[node].filter((other) => tier[other] < level).map((other) => at.get(other)?.[0] ?? 0);
      return below.length ? below.reduce((sum, x) => sum + x, 0) / below.length : 0;
    };
    if (level) row.sort((one, other) => middle(one) - middle(other) || one - other);
    row.forEach((node, index) => {
      at.set(node, [20 + ((index + 0.5) * (width - 40)) / row.length, height - 34 - 100 * (level - (shows_hosts ? 0 : 1))]);
    });
  });
  return { at, tier, width, height };
}

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

// Returns the colour of a share of what is full, from a quiet grey over blue and orange to red.
function heat(value) {
  if (!(value > 0)) return "var(--line)";
  const steps = ["#7fb3d5", PALETTE[0], PALETTE[1], PALETTE[3]];
  return steps[Math.min(steps.length - 1, Math.floor(value * steps.length))];
}

// Draws the network of a run into an element, with links coloured by a measure.
export function network(parent, run, measure) {
  const { ports } = run.columns, { names, hosts, summary } = run.answer, of = MEASURES[measure];
  const row_of = new Map(Array.from(ports.port, (port, at) => [port, at])), links = [];
  for (let at = 0; at < ports.port.length; at += 1) {
    const other = row_of.get(ports.peer[at]);
    if (other > at) links.push({ ends: [ports.device[at], ports.device[other]], at: [at, other] });
  }
  const shows_hosts = hosts <= MOST_HOSTS;
  const { at, tier, width, height } = places(names.nodes.length, hosts, links.map((link) => link.ends), shows_hosts);
  const values = Array.from(ports.port, (_, place) => of.of(ports, place, summary.end_ns));
  const most = of.full ?? Math.max(...values.filter(Number.isFinite), 0);
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Network with links coloured by ${of.title}; the table below has the first of them` });
  const told = (place) => `${names.series[ports.port[place]]} to ${names.series[ports.peer[place]]}, ${rate(ports.rate_bps[place])}: ${of.told(values[place], summary.end_ns)} ${measure === "utilization" ? "of its rate" : measure === "paused" ? "paused" : of.title.split(" ")[1]}`;
  const drawn = links.filter((link) => link.ends.every((end) => at.has(end) && (shows_hosts || tier[end])));
  const value_of = (link) => Math.max(...link.at.map((place) => values[place] || 0));
  const seen = new Map();
  for (const link of drawn.sort((one, other) => value_of(one) - value_of(other))) {
    const [[x1, y1], [x2, y2]] = link.ends.map((end) => at.get(end)), key = link.ends.join(" ");
    const again = seen.get(key) ?? 0, value = value_of(link);
    seen.set(key, again + 1);
    const line = element("line", { x1: x1 + 4 * again, y1, x2: x2 + 4 * again, y2, stroke: heat(most ? value / most : 0), "stroke-width": value ? 2.2 : 1.2 }, svg);
    element("title", {}, line).textContent = link.at.map(told).join("\n");
  }
  for (const [node, [x, y]] of at) {
    if (!shows_hosts && !tier[node]) continue;
    const dot = tier[node] ? element("rect", { x: x - 8, y: y - 5, width: 16, height: 10, rx: 3, class: "switch" }, svg)
      : element("circle", { cx: x, cy: y, r: 3.5, class: "host" }, svg);
    element("title", {}, dot).textContent = names.nodes[node];
    const crowd = [...at.keys()].filter((other) => tier[other] === tier[node]).length;
    if (tier[node] ? crowd * 62 < width : crowd * 48 < width) {
      element("text", { x, y: tier[node] ? y - 10 : y + 17, "text-anchor": "middle", class: "label" }, svg).textContent = names.nodes[node];
    }
  }
  parent.append(svg);
  const first = values.map((value, place) => [value, place]).filter(([value]) => value > 0).sort((one, other) => other[0] - one[0]).slice(0, 5);
  const list = document.createElement("ol");
  list.className = "ports";
  for (const [, place] of first) {
    const item = document.createElement("li");
    item.textContent = told(place);
    list.append(item);
  }
  if (!first.length) list.append(Object.assign(document.createElement("li"), { textContent: `No port has ${of.title}.`, className: "soft none" }));
  parent.append(list);
}
