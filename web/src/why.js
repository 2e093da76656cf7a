// Why a flow was slow: the parts of its completion time, from its critical path.

import { grid, make } from "./elements.js";
import { figure, PALETTE } from "./plots.js";
import { duration, plain, share, size } from "./units.js";

const COLOURS = {
  transmission: PALETTE[2], propagation: "#9fb3c8", queueing: PALETTE[1], paused: PALETTE[3], link_down: "#5c3c92", host: PALETTE[6],
  rate: PALETTE[0], credit: PALETTE[5], delayed_acknowledgement: PALETTE[4], recovery: "#b3261e", timeout: "#7a0f0a", start: PALETTE[7],
};

let last = 0;

// Asks about a flow of a run, and shows the answer in an element.
export async function why(parent, run, row, of_run) {
  const own = ++last, { flows } = run.columns, { names } = run.answer;
  const name = `${names.nodes[flows.source[row]]}.flow${flows.number[row]}`;
  const about = `${size(flows.size_bytes[row])} to ${names.nodes[flows.destination[row]]}, done in ${duration(flows.fct_ns[row])}: ${plain(flows.slowdown[row])} times what it takes alone.`;
  parent.replaceChildren();
  const made = figure(parent, `Why was ${name}${of_run} slow?`, about);
  const told = make("p", "Running it again with this flow's packets recorded…", "soft");
  told.setAttribute("role", "status");
  made.body.append(told);
  parent.scrollIntoView({ block: "nearest" });
  let answer;
  try {
    ({ answer } = await run.simulator.ask({ ask: "why", row }));
  } catch (error) {
    told.textContent = error.message;
    return;
  }
  if (own !== last) return;
  if (answer.error) {
    told.textContent = answer.error.told;
    return;
  }
  const bar = make("div", null, "parts"), rows = [];
  for (const part of answer.parts) {
    const piece = make("span"), cause = make("span"), key = make("span", null, "key");
    piece.style.flexGrow = String(part.share);
    piece.style.background = key.style.background = COLOURS[part.cause];
    piece.title = `${part.words}: ${share(part.share)}`;
    bar.append(piece);
    cause.append(key, part.words + (part.reason ? ` (${part.reason.replaceAll("_", " ")})` : ""));
    rows.push([cause, part.place ?? "", duration(part.time_ns), share(part.share)]);
  }
  const begin = answer.stretches[0].since_ns, whole = answer.stretches.at(-1).until_ns - begin;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 1000 26");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "strip");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "The causes in the order of time");
  for (const stretch of answer.stretches) {
    const piece = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const attributes = { x: (1000 * (stretch.since_ns - begin)) / whole, y: 0, width: Math.max((1000 * (stretch.until_ns - stretch.since_ns)) / whole, 0.3), height: 26, fill: COLOURS[stretch.cause] };
    for (const [key, value] of Object.entries(attributes)) piece.setAttribute(key, value);
    svg.append(piece);
  }
  told.textContent = `Waited for ${answer.round_trips} acknowledgement${answer.round_trips === 1 ? "" : "s"}, one after another. All parts together, the largest first, then in the order of time:`;
  made.body.append(bar, svg);
  grid(made.body, ["cause", "place", "time", "share"], rows);
}
