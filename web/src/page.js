// The page: a scenario, what is changed in it, and what running it shows.

import { editor, explain } from "./editor.js";
import { PRESETS } from "./presets.js";
import { show } from "./results.js";
import { command, from_fragment, to_fragment } from "./sharing.js";
import { Cancelled, Simulator } from "./simulator.js";
import { count, duration, large, size } from "./units.js";

const MOST_SECONDS = 60; // of one core, at most, that a run in a page may take
const $ = (id) => document.getElementById(id);
const status = $("status"), second_status = $("second-status"), progress = $("progress");

const checker = new Simulator(), runners = [new Simulator(), new Simulator()];
let preset = PRESETS[0], moved = new Map(), digests = [null, null], checking = 0, running = 0, valid = false;

const changes_of_sliders = () => [...moved].map(([key, value]) => `${key}=${typeof value === "number" || /^[\d.]+$/.test(value) ? value : `"${value}"`}`);
const lines_of_second = () => $("changes").value.split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
const compares = () => $("second").open && lines_of_second().length > 0;
const changes = (which) => which ? [...changes_of_sliders(), ...lines_of_second()] : changes_of_sliders();

function say(text, bad = false, element = status) {
  element.textContent = text;
  element.classList.toggle("bad", bad);
}

const scenario = editor($("editor"), { changed: edited, run });

// Says in one line why a run is refused here, and what to do; none if it is not.
function refusal(answer) {
  const [least, most] = answer.cpu_seconds;
  if (most <= MOST_SECONDS) return null;
  return `Too large for a page: about ${large(answer.packet_hops)} packet-hops, ${seconds(least)} to ${seconds(most)} on a core. Run it on your own machine: “Copy command” has what it takes.`;
}

const seconds = (value) => duration(+value.toPrecision(2) * 1e9);

// Checks both scenarios, and shows what is wrong where it stands.
async function check() {
  const own = ++checking, text = scenario.text;
  const ask = (which) => checker.ask({ ask: "check", text, changes: changes(which) });
  let first, second;
  try {
    first = (await ask(0)).answer;
    second = compares() ? (await ask(1)).answer : null;
  } catch (error) {
    if (own === checking) say(`${error.message}: this scenario is too large for a page`, true);
    return;
  }
  if (own !== checking) return;
  scenario.show(first.error);
  const refused = first.error ? null : refusal(first);
  const of_second = second && (second.error ? second.error.told : refusal(second));
  valid = !first.error && !refused && !of_second;
  $("run").disabled = !valid;
  if (!running) {
    if (first.error) say(first.error.told, true);
    else say(refused ?? `${count(first.flows, "flow")} of ${size(first.bytes)} together: about ${large(first.packet_hops)} packet-hops.`, Boolean(refused));
  }
  $("notes").replaceChildren(...(first.notes ?? []).slice(0, 4).map((note) => Object.assign(document.createElement("li"), { textContent: note })));
  say(of_second ?? "", true, second_status);
}

let later = 0;
function edited() {
  digests = [null, null];
  clearTimeout(later);
  later = setTimeout(check, 200);
}

async function run() {
  clearTimeout(later);
  await check();
  if (!valid) return;
  cancel();
  const own = ++running, begun = performance.now(), text = scenario.text, which = compares() ? [0, 1] : [0], far = [0, 0];
  $("run").disabled = true;
  $("cancel").hidden = false;
  progress.classList.add("on");
  progress.removeAttribute("value");
  say("Running…");
  for (const number of which) {
    runners[number].onprogress = ({ now_ns, end_ns, started, finished }) => {
      if (own !== running) return;
      far[number] = end_ns > 0 ? Math.min(now_ns / end_ns, 1) : 0;
      const of_all = Math.min(...which.map((each) => far[each]));
      if (of_all > 0) progress.value = of_all;
      say(`Running: ${duration(now_ns)} simulated, ${count(finished, "flow")} of ${Math.round(started).toLocaleString("en")} finished.`);
    };
  }
  try {
    const runs = await Promise.all(which.map(async (number) => {
      const found = await runners[number].ask({ ask: "run", text, changes: changes(number) });
      return { ...found, simulator: runners[number] };
    }));
    if (own !== running) return;
    const failed = runs.find((each) => each.answer.error);
    if (failed) { say(failed.answer.error.told, true); return; }
    digests = which.map((number) => runs[number].answer.summary.digest);
    $("results").dataset.digest = digests.join(" ");
    show($("results"), runs);
    const hops = runs.reduce((sum, each) => sum + each.answer.summary.engine.packet_hops, 0);
    say(`Done in ${duration((performance.now() - begun) * 1e6)}: ${large(hops)} packet-hops, digest ${digests[0].slice(0, 12)}${digests[1] ? ` and ${digests[1].slice(0, 12)}` : ""}.`);
    history.replaceState(null, "", `#${await to_fragment(state())}`);
  } catch (error) {
    if (own !== running) return;
    if (error instanceof Cancelled) say("Cancelled.");
    else say(/memory/.test(error.message) ? "Out of memory: let fewer packets or flows be under way, record less, or copy the command and run it on your own machine." : error.message, true);
  } finally {
    if (own === running) {
      running = 0;
      $("cancel").hidden = true;
      $("run").disabled = !valid;
      progress.classList.remove("on");
    }
  }
}

function cancel() { for (const runner of runners) runner.cancel(); }

const state = () => ({
  preset: preset.name, text: scenario.text, moved: Object.fromEntries(moved), changes: $("changes").value, compare: $("second").open,
});

function sliders() {
  const made = preset.sliders.map((slider) => {
    const row = document.createElement("div"), name = document.createElement("label"), input = document.createElement("input"), output = document.createElement("output");
    row.className = "slider";
    name.textContent = slider.label;
    name.title = slider.key;
    const first = slider.values.indexOf(slider.at), now = moved.has(slider.key) ? slider.values.map(String).indexOf(String(moved.get(slider.key))) : first;
    Object.assign(input, { type: "range", min: 0, max: slider.values.length - 1, step: 1, value: Math.max(now, 0), id: `slider-${slider.key}` });
    name.htmlFor = input.id;
    const tell = () => {
      const value = slider.values[input.value];
      output.textContent = String(value);
      input.setAttribute("aria-valuetext", String(value));
      row.classList.toggle("moved", moved.has(slider.key));
    };
    let later = 0;
    input.addEventListener("input", () => {
      if (+input.value === first) moved.delete(slider.key);
      else moved.set(slider.key, slider.values[input.value]);
      tell();
      clearTimeout(later);
      later = setTimeout(run, 120);
    });
    tell();
    row.append(name, input, output);
    return row;
  });
  $("sliders").replaceChildren(...made);
}

// Puts a preset or a shared state onto the page.
function put({ text, changes: of_second, compare = false, moved: values = {} }) {
  moved = new Map(Object.entries(values));
  $("preset").value = preset.name;
  $("look").textContent = preset.look;
  $("changes").value = of_second;
  $("second").open = compare;
  sliders();
  scenario.text = text;
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say(`${what} could not be copied: the browser forbids it here.`, true);
  }
}

for (const name of ["Networks", "Papers"]) {
  const group = Object.assign(document.createElement("optgroup"), { label: name });
  for (const each of PRESETS.filter((each) => each.group === name)) group.append(new Option(each.title, each.name));
  $("preset").append(group);
}
$("preset").addEventListener("change", () => {
  preset = PRESETS.find((each) => each.name === $("preset").value);
  put({ ...preset, compare: $("second").open });
  run();
});
$("run").addEventListener("click", run);
$("cancel").addEventListener("click", cancel);
$("second").addEventListener("toggle", edited);
$("changes").addEventListener("input", edited);
$("changes").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(); });
$("copy-link").addEventListener("click", async () => {
  const fragment = await to_fragment(state());
  history.replaceState(null, "", `#${fragment}`);
  copy(location.href, "Link");
});
$("copy-command").addEventListener("click", () => {
  const runs = (compares() ? [0, 1] : [0]).map((which) => ({ changes: changes(which), digest: digests[which] }));
  copy(command(scenario.text, runs), "Command");
});
addEventListener("hashchange", async () => { if (await arrive()) run(); });

async function arrive() {
  const shared = await from_fragment(location.hash);
  if (shared) preset = PRESETS.find((each) => each.name === shared.preset) ?? preset;
  put(shared ?? preset);
  return Boolean(shared);
}

try {
  await arrive();
  explain((await checker.ask({ ask: "catalogue" })).answer);
  await run();
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  say(`The simulator cannot be loaded: ${error.message}`, true);
}
