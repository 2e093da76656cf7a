// Numbers with units, as people read them.

const TIMES = ["ns", "us", "ms", "s"], SIZES = ["B", "kB", "MB", "GB", "TB"], RATES = ["bps", "kbps", "Mbps", "Gbps", "Tbps"];

function quantity(value, units) {
  if (value == null || Number.isNaN(value)) return "–";
  let unit = 0;
  while (Math.abs(value) >= 999.95 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${+value.toPrecision(4)} ${units[unit]}`;
}

export const duration = (ns) => quantity(ns, TIMES);
export const size = (bytes) => quantity(bytes, SIZES);
export const rate = (bps) => quantity(bps, RATES);
export const plain = (value) => value == null || Number.isNaN(value) ? "–" : (+value.toPrecision(4)).toLocaleString("en");
export const share = (value) => value == null || Number.isNaN(value) ? "–" : `${+(100 * value).toPrecision(3)} %`;
export const count = (value, noun) => `${Math.round(value).toLocaleString("en")} ${noun}${Math.round(value) === 1 ? "" : "s"}`;

export function large(value) {
  if (value >= 1e9) return `${+(value / 1e9).toPrecision(3)} billion`;
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} million`;
  return Math.round(value).toLocaleString("en");
}
