// Builds the page into one folder of static files: node build.mjs OUT WASM.

import { copyFile, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [out, wasm] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  entryPoints: [here("src/page.js"), here("src/worker.js"), here("src/page.css")],
  outdir: out, bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "linked",
  loader: { ".toml": "text" }, logLevel: "warning",
});
await copyFile(here("index.html"), `${out}/index.html`);
await copyFile(wasm, `${out}/xoff.wasm`);
