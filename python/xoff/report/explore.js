// Replaces the figures of a report by ones to zoom and hover in. Without JavaScript the page keeps its static figures.
(() => {
  if (typeof uPlot !== "function") return; // a browser that the library does not know keeps the static figures
  const TIMES = ["us", "ms", "s"], SIZES = ["B", "kB", "MB", "GB"];
  const PALETTE = JSON.parse(document.getElementById("palette").textContent);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--grid");
  const NEAR = 40; // pixels from the cursor within which a flow is named
  const charts = []; // panels over time
  const others = [];

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
    return times.map((time) => time ? `${+(time / 1000 ** unit).toFixed(digits)} ${TIMES[unit]}` : "0");
  }

  // Returns ticks of a logarithmic axis: at 1, 2 and 5 of each decade, at fewer of many decades, or even steps within one.
  function logarithmic(low, high, most) {
    const first = Math.floor(Math.log10(low)), decades = Math.ceil(Math.log10(high)) - first;
    const at = (digits, apart = 1) => [...Array(decades + 1).keys()].filter((decade) => decade % apart === 0)
      .flatMap((decade) => digits.map((digit) => +`${digit}e${first + decade}`)).filter((tick) => low <= tick && tick <= high);
    const found = [at([1, 2, 5]), at([1]), at([1], Math.ceil(decades / most))].find((ticks) => ticks.length <= most);
    if (found && found.length > 2) return found;
    const rough = (high - low) / Math.min(4, most), magnitude = 10 ** Math.floor(Math.log10(rough));
    const step = magnitude * [1, 2, 5, 10].find((factor) => factor * magnitude >= rough);
    const steps = Array.from({ length: 1 + Math.floor(high / step) - Math.ceil(low / step) }, (_, index) => index);
    return steps.map((index) => +((Math.ceil(low / step) + index) * step).toPrecision(12));
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
    const y = { size, values: (chart, values) => values.map((value) => value || names.size ? told(value) : "0"), ...splits };
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

  // Draws a point for each flow; a line below names the one nearest to the cursor.
  function drawFlows(figure, panel) {
    const bySize = panel.along === "size";
    const along = bySize ? panel.size : panel.start;
    const told = document.createElement("p"), spot = document.createElement("div");
    told.className = "named";
    spot.className = "spot";
    spot.hidden = true;
    const name = (flow) => `${panel.hosts[panel.source[flow]]}.flow${panel.number[flow]} to ${panel.hosts[panel.destination[flow]]}: ` +
      `${quantity(panel.size[flow], SIZES)} in ${quantity(panel.fct[flow], TIMES)}, ${+panel.slowdown[flow].toPrecision(3)} times as long as ` +
      `alone; started at ${quantity(panel.start[flow], TIMES)}; ${panel.groups[panel.group[flow]].label}`;
    const tell = (chart) => {
      const { left, top } = chart.cursor;
      let nearest = null, least = NEAR ** 2;
      for (let flow = 0; left >= 0 && flow < along.length; flow += 1) {
        if (!chart.series[1 + panel.group[flow]].show) continue;
        const x = chart.valToPos(along[flow], "x"), y = chart.valToPos(panel.slowdown[flow], "y");
        const distance = (x - left) ** 2 + (y - top) ** 2;
        if (distance < least) { least = distance; nearest = { flow, x, y }; }
      }
      spot.hidden = !nearest;
      if (nearest) { spot.style.left = `${nearest.x}px`; spot.style.top = `${nearest.y}px`; }
      told.textContent = nearest ? name(nearest.flow) : "Move to a point to name its flow.";
    };
    const near = (chart, low, high) => low == null ? [1, 10] : [low / 1.15, high * 1.15];
    const around = (chart, low, high) => high > low ? [low - 0.02 * (high - low), high + 0.02 * (high - low)] : [low - 1, high + 1];
    const axis = (label) => ({
      stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, label, labelSize: 22, labelFont: "12px system-ui, sans-serif",
    });
    const ofRatios = (label, units, pixels) => ({
      ...axis(label), filter: (chart, ticks) => ticks, values: (chart, values) => values.map((value) => quantity(value, units)),
      splits: (chart, place, low, high) => logarithmic(low, high, Math.max(2, Math.floor((place ? chart.height : chart.width) / pixels))),
    });
    const ofTimes = { ...axis("start of the flow"), values: (chart, times, place, space, step) => instants(times, step) };
    const chart = new uPlot({
      width: figure.clientWidth - 24, height: figure.clientWidth < 600 ? 280 : 340,
      scales: {
        x: bySize ? { time: false, distr: 3, range: near } : { time: false, range: around }, y: { distr: 3, range: near },
      },
      cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
      legend: { live: false },
      axes: [
        bySize ? ofRatios("flow size", SIZES, 80) : ofTimes,
        { ...ofRatios("slowdown", [""], 40), size: 50 },
      ],
      series: [{}, ...panel.groups.map(({ label, colour }) => ({
        label, stroke: PALETTE[colour], paths: () => null, points: { show: true, size: 5, width: 0, fill: `${PALETTE[colour]}a0` },
      }))],
      hooks: { setCursor: [tell], ready: [(chart) => { chart.over.append(spot); tell(chart); }] },
    }, [along, ...panel.groups.map((_, group) => panel.slowdown.map((value, flow) => panel.group[flow] === group ? value : undefined))], figure);
    figure.append(told);
    return chart;
  }

  for (const hint of document.querySelectorAll(".live-only")) hint.hidden = false;
  const found = [...document.querySelectorAll("figure script[type='application/json']")];
  const panels = found.map((script) => JSON.parse(script.textContent));
  const longest = Math.max(...panels.flatMap((panel) => (panel.rows ?? []).map((row) => row.label.length)), 8);
  const size = Math.min(230, 16 + 7 * longest);
  found.forEach((script, index) => {
    const figure = script.closest("figure");
    const narrow = figure.clientWidth < 500 ? Math.min(size, 110) : size;
    const panel = panels[index];
    if (panel.along) others.push(drawFlows(figure, panel));
    else charts.push((panel.rows ? drawRows : drawLines)(figure, panel, narrow));
    figure.classList.add("live");
  });
  addEventListener("resize", () => [...charts, ...others].forEach((chart) => {
    chart.setSize({ width: chart.root.parentElement.clientWidth - 24, height: chart.height });
  }));
})();
