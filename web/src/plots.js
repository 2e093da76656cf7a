// Plots to zoom in, by mouse, touch or keyboard.

import uPlot from "uplot";
import { duration } from "./units.js";

export const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c8c8c", "#7a5195"];

let shown = []; // plots on the page, which follow its width and its colours

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function forget() {
  for (const { plot } of shown) plot.destroy();
  shown = [];
}

function button(text, title, act) {
  const made = document.createElement("button");
  Object.assign(made, { textContent: text, title, type: "button", className: "tool" });
  made.setAttribute("aria-label", title);
  made.addEventListener("click", act);
  return made;
}

// Adds a figure with a title and a line about it. Returns its element, and the one for the plot.
export function figure(parent, title, about = "") {
  const box = document.createElement("figure"), caption = document.createElement("figcaption");
  const head = document.createElement("h3"), text = document.createElement("p"), tools = document.createElement("div");
  head.textContent = title; text.textContent = about; text.className = "soft"; tools.className = "tools";
  caption.append(head, tools, text);
  const body = document.createElement("div");
  box.append(caption, body);
  parent.append(box);
  return { box, body, tools, text };
}

function axis(format, size = 50) {
  return {
    stroke: () => style("--soft"), size, font: "12px system-ui, sans-serif",
    grid: { stroke: () => style("--grid"), width: 1 }, ticks: { stroke: () => style("--grid"), width: 1 },
    values: (plot, values) => values.map((value) => value == null ? "" : format(value)),
  };
}

// Ticks at 1, 2 and 5 of each decade, or at fewer of many decades.
function decades(plot, which, low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const of = last - first > 4 ? [1] : last - first > 1 ? [1, 3] : [1, 2, 5];
  const found = [];
  for (let decade = first; decade <= last; decade += 1) for (const digit of of) found.push(+`${digit}e${decade}`);
  return found.filter((tick) => low <= tick && tick <= high);
}

const of_axis = ({ format, log = false, size, at }) => ({
  ...axis(format, size), ...(log ? { splits: decades } : at ? { splits: () => at, grid: { show: false } } : {}),
});
const of_scale = ({ log = false, range, down = false }) => ({ time: false, distr: log ? 3 : 1, dir: down ? -1 : 1, ...(range ? { range } : {}) });

// Draws a plot into a figure: `x` and `y` with format, log, range, places of ticks (`at`) and whether they run down; series as
// uPlot has them.
export function draw(of_figure, { x, y, series, data, height = 240, drawn = null, clicked = null, both = false, legend = true }) {
  const { body, tools } = of_figure;
  const plot = new uPlot({
    width: Math.max(body.clientWidth, 200), height,
    scales: { x: of_scale(x), y: of_scale(y) },
    axes: [{ ...of_axis(x), size: 34 }, of_axis({ size: 72, ...y })],
    series: [{ label: x.label ?? "", value: (_, value) => value == null ? "" : x.format(value) }, ...series],
    legend: { show: legend, live: true },
    cursor: { drag: { x: true, y: both, uni: 30 }, focus: { prox: 20 } },
    hooks: drawn ? { draw: [(own) => drawn(own)] } : {},
  }, data, body);
  const whole = () => ["x", "y"].map((name) => [name, { min: plot.scales[name].min, max: plot.scales[name].max }]);
  const first = whole();
  // Zooms about the middle; `share` of the width is left, and `along` of it moved.
  const zoom = (share, along = 0) => {
    const { min, max } = plot.scales.x, log = x.log;
    const [low, high] = log ? [Math.log10(min), Math.log10(max)] : [min, max];
    const middle = (low + high) / 2 + along * (high - low), half = ((high - low) / 2) * share;
    const back = (value) => log ? 10 ** value : value;
    plot.setScale("x", { min: back(middle - half), max: back(middle + half) });
  };
  const reset = () => { for (const [name, range] of first) plot.setScale(name, range); };
  tools.append(button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("reset", "Show everything", reset));
  body.tabIndex = 0;
  body.setAttribute("role", "img");
  body.setAttribute("aria-label", `${of_figure.box.querySelector("h3").textContent}. ${of_figure.text.textContent} Plus and minus zoom, arrows move, 0 shows everything.`);
  body.addEventListener("keydown", (event) => {
    const act = { "+": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => zoom(1, -0.2), ArrowRight: () => zoom(1, 0.2), 0: reset }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  if (clicked) {
    let down = null;
    plot.over.addEventListener("mousedown", (event) => { down = [event.clientX, event.clientY]; });
    plot.over.addEventListener("click", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return; // a zoom
      const box = plot.over.getBoundingClientRect();
      clicked(plot, event.clientX - box.left, event.clientY - box.top);
    });
  }
  shown.push({ plot, body, height });
  return plot;
}

// Draws lines of different times as one plot. A line has label, xs, ys, colour, dash, and `before` if values are of the time before.
export function lines(of_figure, { list, x, y, step = true }) {
  const tables = list.map((line) => [line.xs, line.ys]);
  const data = tables.length ? uPlot.join(tables) : [[], []];
  const series = list.map((line) => ({
    label: line.label, stroke: line.colour, dash: line.dash, width: 1.5, spanGaps: true, points: { show: line.xs.length < 3 },
    ...(step ? { paths: uPlot.paths.stepped({ align: line.before ? -1 : 1 }) } : {}),
    value: (_, value) => value == null ? "" : y.format(value),
  }));
  return draw(of_figure, { x, y, series, data });
}

export const time_axis = { label: "time", format: duration };

addEventListener("resize", () => {
  for (const { plot, body, height } of shown) plot.setSize({ width: Math.max(body.clientWidth, 200), height });
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const { plot } of shown) plot.redraw(); });
