// The simulator of the page gives the digests of the command: those that the simulator's own tests hold.

import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import test from "node:test";
import { Failure, simulator } from "../src/border.js";

const root = new URL("../../", import.meta.url);
const read = (path) => readFile(new URL(path, root), "utf8");
const module = await WebAssembly.compile(await readFile(new URL("build/page/xoff.wasm", root)));
const PAGE = 65536; // bytes

// Returns a scenario that is shipped, with the changes that cut it short and the files that it names.
async function shipped(name, changes = []) {
  const is_there = (path) => access(new URL(path, root)).then(() => true, () => false);
  const folder = await is_there(`scenarios/${name}.toml`) ? "scenarios" : "scenarios/bench";
  const text = await read(`${folder}/${name}.toml`), files = {};
  for (const [, file] of text.matchAll(/\bfile = "([^"]+)"/g)) files[file] = await read(`${folder}/${file}`);
  return { text, files, changes };
}

test("every golden scenario has its digest", async (t) => {
  const lines = (await read("crates/xoff/tests/golden_digests.txt")).trim().split("\n");
  assert.ok(lines.length > 30);
  for (const [name, digest, ...changes] of lines.map((line) => line.split(" "))) {
    await t.test(name, async () => {
      const own = await simulator(module);
      const { summary, error } = own.ask({ ask: "run", ...await shipped(name, changes) });
      assert.equal(error, undefined);
      assert.equal(summary.digest, digest);
    });
  }
});

test("a mistake is an answer with key and remedy", async () => {
  const own = await simulator(module);
  const { error } = own.ask({ ask: "run", text: "[topology]\nkind = 'star'\n" });
  assert.deepEqual([error.kind, error.key], ["missing_key", "topology.hosts"]);
  assert.ok(own.ask({ ask: "sing" }).error.told);
});

test("a module without memory fails in one line", async () => {
  const own = await simulator(module);
  own.memory.grow(PAGE - own.memory.buffer.byteLength / PAGE); // all that addresses reach
  const run = await shipped("web_search");
  assert.throws(() => own.ask({ ask: "run", ...run }), (error) => error instanceof Failure && error.message === "out of memory");
});
