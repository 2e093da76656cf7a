// Presets: every number that can be slid to and every second scenario can run, and small enough for a page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { build } from "esbuild";
import { simulator } from "../src/border.js";

const here = (path) => new URL(path, import.meta.url);
const [bundle] = (await build({ entryPoints: [here("../src/presets.js").pathname], bundle: true, format: "esm", write: false, loader: { ".toml": "text" } })).outputFiles;
const { PRESETS } = await import(`data:text/javascript;base64,${Buffer.from(bundle.text).toString("base64")}`);
const module = await WebAssembly.compile(await readFile(here("../../build/page/xoff.wasm")));

for (const preset of PRESETS) {
  test(preset.name, async () => {
    const own = await simulator(module), lines = preset.changes.split("\n");
    const change = (key, value) => `${key}=${/^[\d.]+$/.test(value) ? value : `"${value}"`}`;
    const cases = [[], lines, ...preset.sliders.flatMap(({ key, values }) => values.map((value) => [change(key, String(value))]))];
    const as_it_is = own.ask({ ask: "check", text: preset.text });
    for (const changes of cases) {
      const { error, cpu_seconds } = own.ask({ ask: "check", text: preset.text, changes });
      assert.equal(error, undefined, `${changes}: ${error?.told}`);
      assert.ok(cpu_seconds[1] < 10, `${changes} takes up to ${cpu_seconds[1]} s`);
    }
    for (const { key, at, values } of preset.sliders) {
      assert.ok(values.includes(at), key);
      const { cpu_seconds } = own.ask({ ask: "check", text: preset.text, changes: [change(key, String(at))] });
      assert.deepEqual(cpu_seconds, as_it_is.cpu_seconds, `${key} begins where the text has it`);
    }
    assert.equal(preset.look.match(/\.( |$)/g).length, 3, "three sentences");
  });
}
