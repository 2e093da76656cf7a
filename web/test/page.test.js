// The built page in a browser: what people see, click, type and share.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { access, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { browser, serve } from "./browser.js";

const folder = fileURLToPath(new URL("../../build/page", import.meta.url));
const commands = process.env.XOFF_BIN ?? fileURLToPath(new URL("../../.venv/bin", import.meta.url));
const MOST_BYTES = 3e6, FIRST_PAINT_MS = 1000;

let server, chrome;
before(async () => { server = await serve(folder); chrome = await browser(); });
after(async () => { await chrome?.close(); server?.close(); });

const STATUS = `document.getElementById("status").textContent`;
const set = (id, value, event) => `(() => { const e = document.getElementById(${JSON.stringify(id)}); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event(${JSON.stringify(event)}, { bubbles: true })); })()`;
const click = (id) => `document.getElementById(${JSON.stringify(id)}).click()`;
const digests = (page) => page.run(`document.getElementById("results").dataset.digest ?? ""`);

// Opens the page, and ends with a look at what no page may have: errors, requests to elsewhere, more than its width.
async function with_page(options, act, fragment = "") {
  const page = await chrome.open(server.address + fragment, options);
  await page.until("document.documentElement.dataset.ready");
  await act(page);
  assert.deepEqual(page.problems, []);
  assert.deepEqual(page.requests.filter((url) => !url.startsWith(server.address) && !url.startsWith("data:")), []);
  assert.equal(await page.run("document.documentElement.scrollWidth - innerWidth"), 0, "wider than its window");
  await page.close();
}

async function choose(page, preset) {
  await runs(page, set("preset", preset, "change"));
}

// Does what makes a scenario run, and waits until it has run.
async function runs(page, act) {
  await page.run(`delete document.getElementById("results").dataset.digest; ${act}`);
  await page.until(`document.getElementById("results").dataset.digest && ${STATUS}.startsWith("Done")`);
}

test("the folder is small enough", async () => {
  const files = await readdir(folder), sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(join(folder, name))).length));
  assert.ok(files.includes("index.html") && sizes.reduce((sum, size) => sum + size, 0) < MOST_BYTES, `${sizes}`);
});

for (const options of [{ width: 1440, height: 900 }, { width: 390, height: 844, dark: true }]) {
  test(`a preset and a second scenario run at ${options.width} px`, () => with_page(options, async (page) => {
    const paint = await page.run(`performance.getEntriesByName("first-contentful-paint")[0].startTime`);
    assert.ok(paint < FIRST_PAINT_MS, `first paint after ${paint} ms`);
    await page.run(`document.getElementById("second").open = true`);
    await choose(page, "incast");
    const [first, second] = (await digests(page)).split(" ");
    assert.ok(first !== second && second.length === 64);
    const titles = await page.run(`[...document.querySelectorAll("figure h3")].map((title) => title.textContent)`);
    for (const title of ["Slowdown by size", "Completion times", "Queues over time", "The network, second", "Completion times by size class", "Numbers of the summary"]) {
      assert.ok(titles.includes(title), title);
    }
    await page.run(`document.querySelector("button.why").click()`);
    await page.until(`document.querySelector("#why tbody tr")`);
    assert.match(await page.run(`document.getElementById("why").textContent`), /retransmission timeout \(threshold\)switch0\.port0/);
  }));
}

test("the copied command gives the same digests elsewhere", async (t) => {
  if (!await access(join(commands, "xoff")).then(() => true, () => false)) return t.skip("there is no xoff");
  await with_page({}, async (page) => {
    await page.run(`document.getElementById("second").open = true`);
    await choose(page, "dctcp");
    await runs(page, set("slider-switch.marking.queue.threshold", "2", "input"));
    const shown = (await digests(page)).split(" ");
    const text = await page.run(`(async () => { let told; navigator.clipboard.writeText = async (text) => { told = text; }; ${click("copy-command")}; while (!told) await new Promise(requestAnimationFrame); return told; })()`);
    const home = await mkdtemp(join(tmpdir(), "xoff-command-"));
    const script = text.replaceAll("xoff run scenario.toml", "xoff run scenario.toml --json");
    const lines = execFileSync("bash", ["-euc", script], { cwd: home, env: { ...process.env, PATH: `${commands}:${process.env.PATH}` }, encoding: "utf8" });
    const found = [...lines.matchAll(/"digest": "(\w+)"/g)].map(([, digest]) => digest);
    await rm(home, { recursive: true });
    assert.deepEqual(found, shown);
    assert.deepEqual([...text.matchAll(/# digest (\w+)/g)].map(([, digest]) => digest), shown);
  });
});

test("a link brings back text, sliders and second scenario", async () => {
  let link, expected;
  await with_page({}, async (page) => {
    await page.run(`document.getElementById("second").open = true`);
    await choose(page, "dctcp");
    await page.run(set("changes", "seed = 2\nstop.at = 5ms", "input"));
    await runs(page, set("slider-switch.marking.queue.threshold", "3", "input"));
    expected = await digests(page);
    link = await page.run("location.hash");
  });
  await with_page({}, async (page) => {
    assert.equal(await page.run(`document.querySelector(".slider output").textContent`), "20kB");
    assert.equal(await page.run(`document.getElementById("changes").value`), "seed = 2\nstop.at = 5ms");
    assert.equal(await digests(page), expected, "it has run by itself");
    await runs(page, click("run"));
    assert.equal(await digests(page), expected);
  }, link);
  await with_page({}, async (page) => {
    assert.match(await page.run(`document.querySelector(".cm-content").textContent`), /Web search/);
  }, "#s=damaged");
});

test("an error stands where its key does, with a remedy, and keeps a scenario from running", () => with_page({}, async (page) => {
  await page.run(`document.querySelector(".cm-content").focus()`);
  await page.key("Home", 36, 2);
  await page.type("sead = 2\n");
  await page.until(`${STATUS}.startsWith("sead: unknown key \`sead\`; did you mean \`seed\`?")`);
  await page.until(`document.querySelector(".cm-lintRange-error")?.textContent === "sead"`);
  assert.ok(await page.run(`document.getElementById("run").disabled`));
}));

test("keys are completed from the schema", () => with_page({}, async (page) => {
  await page.run(`document.querySelector(".cm-content").focus()`);
  await page.key("End", 35, 2);
  await page.type("\n[switch.pfc]\nxo");
  await page.until(`[...document.querySelectorAll(".cm-tooltip-autocomplete li")].some((line) => line.textContent.startsWith("xoff"))`);
  await page.key("Escape", 27);
}));

test("a run is cancelled, and the next one runs", () => with_page({}, async (page) => {
  await page.run(set("changes", "stop.arrivals_end = 30ms", "input"));
  await page.run(`document.getElementById("second").open = true`);
  await page.run(click("run"));
  await page.until(`${STATUS}.startsWith("Running: ")`);
  await page.run(click("cancel"));
  await page.until(`${STATUS} === "Cancelled." && document.getElementById("cancel").hidden`);
  await choose(page, "incast");
}));

test("what is too large is refused with what it would take", () => with_page({}, async (page) => {
  await page.run(`document.querySelector(".cm-content").focus()`);
  await page.key("End", 35, 2);
  await page.type("\n[measure]\nstart = \"1ms\"\n");
  await page.run(set("changes", "stop.arrivals_end = 2s", "input"));
  await page.run(`document.getElementById("second").open = true`);
  await page.until(`document.getElementById("second-status").textContent.startsWith("Too large for a page: about 1.")`);
  assert.match(await page.run(`document.getElementById("second-status").textContent`), /billion packet-hops, \d+ s to .* on a core\. Run it on your own machine/);
  assert.ok(await page.run(`document.getElementById("run").disabled`));
}));

test("all of it works by keyboard", () => with_page({}, async (page) => {
  await page.run(`document.querySelector(".cm-content").focus()`);
  await page.run(`delete document.getElementById("results").dataset.digest`);
  await page.key("Enter", 13, 2);
  await page.until(`document.getElementById("results").dataset.digest && ${STATUS}.startsWith("Done")`);
  await page.run(`document.querySelector("figure [role=img][tabindex]").focus()`);
  const ticks = `document.querySelector("figure canvas").toDataURL()`;
  const before = await page.run(ticks);
  await page.key("+", 187, 0, "+");
  await page.until(`${ticks} !== ${JSON.stringify(before)}`);
  const unnamed = await page.run(`[...document.querySelectorAll("button, input, select, textarea")].filter((each) => !(each.labels?.length || each.textContent.trim() || each.ariaLabel)).length`);
  assert.equal(unnamed, 0);
}));
