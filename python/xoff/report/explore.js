// Replaces the figures of a report by ones to zoom and hover in. Without JavaScript the page keeps its static figures.
(() => {
  if (typeof uPlot !== "function") return; // a browser that the library does not know keeps the static figures
  const TIMES = ["us", "ms", "s"];
  const PALETTE = JSON.parse(document.getElementById("palette").textContent);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--grid");
  const charts = [];

  // Formats a number in the first unit that leaves it below 1000.
  function quantity(value, units) {
    let unit = 0;
    while (Math.abs(value) >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
    return `${+value.toPrecision(4)} ${units[unit]}`.trim();
  }

  // Formats times so that neighbouring ones differ.
  function instants(times, step) {
    const most = Math.max(...times.map(Math.abs));
    const unit = most >= 1e6 ? 2 : most >= 1e3 ? 1 : 0;
    const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1000 ** unit)) + 1));
    return times.map((time) => `${+(time / 1000 ** unit).toFixed(digits)} ${TIMES[unit]}`);
  }

  // Returns the times of all lines, from 0 to the end, and each line's values at them; undefined where it has none.
  function joined(lines, end) {
    const times = [...new Set([0, end, ...lines.flatMap((line) => line.times)])].sort((one, other) => one - other);
    const place = new Map(times.map((time, index) => [time, index]));
    return [times, ...lines.map((line) => {
      const values = new Array(times.length).fill(undefined);
      line.times.forEach((time, index) => { values[place.get(time)] = line.values[index]; });
      return values;
    })];
  }

  // Carries the end of a pause on to the begin of the next, since the library bridges what is undefined.
  function ended(values) {
    let is_over = false;
    return values.map((value) => {
      if (value !== undefined) is_over = value === null;
      return value === undefined && is_over ? null : value;
    });
  }

  // Returns the place of the value that holds at a place: the one before, or the next if values are of the time before.
  function held(values, at, before) {
    for (let place = at; place >= 0 && place < values.length; place += before ? 1 : -1) {
      if (values[place] !== undefined) return place;
    }
    return at;
  }

  function options(figure, series, y, axis) {
    return {
      width: figure.clientWidth - 24, height: axis.height,
      scales: { x: { time: false }, y },
      cursor: {
        sync: { key: "time", scales: ["x", null] }, drag: { x: true, y: false }, points: { show: false },
        dataIdx: (chart, number, at) => number ? held(chart.data[number], at, axis.before) : at,
      },
      axes: [
        { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid },
          values: (chart, times, place, space, step) => instants(times, step) },
        { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, ...axis.y },
      ],
      series: [{ label: "time", value: (chart, time) => time == null ? "" : instants([time], 0.001)[0] }, ...series],
      hooks: { setScale: [(chart, scale) => { if (scale === "x") follow(chart); }] },
    };
  }

  // Shows the time of one chart in all others.
  let following = false;
  function follow(chart) {
    if (following) return;
    following = true;
    const { min, max } = chart.scales.x;
    for (const other of charts) if (other !== chart) other.setScale("x", { min, max });
    following = false;
  }

  function drawLines(figure, panel, size) {
    const before = panel.drawstyle === "steps-pre";
    const paths = panel.dots ? () => null : uPlot.paths.stepped({ align: before ? -1 : 1 });
    const names = new Map(panel.names.map(([name, value]) => [value, name]));
    const told = (value) => names.get(value) ?? quantity(value, panel.units);
    const series = panel.lines.map((line, index) => ({
      label: line.label, stroke: PALETTE[index % PALETTE.length], width: 1.4, paths,
      points: { show: panel.dots }, value: (chart, value) => value == null ? "-" : told(value),
    }));
    const splits = names.size ? { splits: () => [...names.keys()] } : {};
    const y = { size, values: (chart, values) => values.map(told), ...splits };
    return new uPlot(options(figure, series, { range: (chart, low, high) => [0, high > 0 ? 1.05 * high : 1] },
      { height: 280, before, y }), joined(panel.lines, panel.end), figure);
  }

  function drawRows(figure, panel, size) {
    const lines = panel.rows.map((row, index) => ({
      times: row.bars.flatMap(([start, end]) => [start, end, end + 1e-4]),
      values: row.bars.flatMap(() => [index, index, null]),
    }));
    const [times, ...rows] = joined(lines, panel.end);
    const during = (chart, value, number, at) => {
      const time = chart.data[0][at];
      const bar = value == null || at == null ? null : panel.rows[number - 1].bars.find(([start, end]) => start <= time && time <= end);
      return bar ? `paused ${quantity(bar[1] - bar[0], TIMES)}` : "-";
    };
    const series = panel.rows.map((row) => ({
      label: row.label, stroke: PALETTE[0], width: 9, cap: "butt", points: { show: false }, value: during,
    }));
    const y = { size, splits: () => panel.rows.map((row, index) => index), grid: { show: false },
      values: (chart, places) => places.map((place) => panel.rows[place]?.label ?? "") };
    return new uPlot(options(figure, series, { dir: -1, range: [-0.6, panel.rows.length - 0.4] },
      { height: 110 + 18 * panel.rows.length, before: false, y }), [times, ...rows.map(ended)], figure);
  }

  for (const hint of document.querySelectorAll(".live-only")) hint.hidden = false;
  const found = [...document.querySelectorAll("figure script[type='application/json']")];
  const panels = found.map((script) => JSON.parse(script.textContent));
  const longest = Math.max(...panels.flatMap((panel) => (panel.rows ?? []).map((row) => row.label.length)), 8);
  const size = Math.min(230, 16 + 7 * longest);
  found.forEach((script, index) => {
    const figure = script.closest("figure");
    const narrow = figure.clientWidth < 500 ? Math.min(size, 110) : size;
    charts.push((panels[index].rows ? drawRows : drawLines)(figure, panels[index], narrow));
    figure.classList.add("live");
  });
  addEventListener("resize", () => charts.forEach((chart) => {
    chart.setSize({ width: chart.root.parentElement.clientWidth - 24, height: chart.height });
  }));
})();
