// Places in TOML texts that the editor shows errors at, and paths that it completes.

import assert from "node:assert/strict";
import test from "node:test";
import { catalogued, place, walk } from "../src/toml.js";

const TEXT = `seed = 1 # first
[topology]
host_link = { rate = "100Gbps", delay = "1us" }
[[class]]
priority = 3
[[class]]
priority = 7
[[switch]]
total = "16MB"
[switch.pfc]
xoff = { policy = "dynamic_threshold", alpha = 1 }
[transport.dctcp]
kind = "tcp"
workload_like = '''
[not.a.table]
'''
[[workload]]
pairs = [
  ["host0", "host1"],
]
`;
const at = (key) => { const found = place(TEXT, key); return found && TEXT.slice(...found); };

test("an error's key is found where it stands", () => {
  assert.equal(at("seed"), "seed");
  assert.equal(at("topology.host_link.delay"), "delay");
  assert.equal(TEXT.slice(0, place(TEXT, "class[1].priority")[0]).split("\n").length, 7);
  assert.equal(at("switch[0].pfc.xoff.alpha"), "alpha");
  assert.equal(at("switch.total"), "total");
  assert.equal(at("workload[0].pairs"), "pairs");
  assert.equal(at("line 3"), TEXT.split("\n")[2]);
});

test("a key that is missing is shown at its table, and one without a table nowhere", () => {
  assert.equal(at("transport.dctcp.congestion_control"), "[transport.dctcp]");
  assert.equal(at("workload[0].size"), "[[workload]]");
  assert.equal(at("stop.at"), null);
});

test("a place knows its table, and the key whose value is being written", () => {
  const until = (end) => walk(TEXT, TEXT.indexOf(end) + end.length);
  assert.deepEqual(until("policy = \"dynamic_threshold\", al").table, ["switch[0]", "pfc", "xoff"]);
  assert.deepEqual(until("rate = ").key, ["topology", "host_link", "rate"]);
  assert.ok(until("rate = \"100").in_string > 0 && until("# fi").in_comment && until("[transport.dc").in_header > 0);
  assert.deepEqual(until("kind = \"tcp\"\n").table, ["transport", "dctcp"]);
});

test("names that users give are no part of a key in the catalogue", () => {
  const prefixes = new Set(["transport", "transport.kind", "switch", "switch.pfc", "switch.pfc.xoff"]);
  assert.equal(catalogued(["transport", "dctcp", "kind"], prefixes), "transport.kind");
  assert.equal(catalogued(["switch[0]", "pfc", "xoff"], prefixes), "switch.pfc.xoff");
  assert.equal(catalogued(["nothing"], prefixes), null);
});
