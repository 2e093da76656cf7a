// A headless Chromium that a test steers over a pipe, and a server of one folder.

import { spawn } from "node:child_process";
import { readFile, rm, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".txt": "text/plain" };

// Serves a folder. Returns its address, and a function that ends it.
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)).replace(/\/$/, "/index.html");
    try {
      const body = await readFile(join(folder, path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}

// Starts Chromium. `open` makes a page of a width, dark or light.
export async function browser() {
  const home = await mkdtemp(join(tmpdir(), "xoff-page-"));
  const own = spawn(process.env.CHROMIUM ?? "chromium", [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${home}`, "about:blank",
  ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , to, from] = own.stdio, waiting = new Map(), heard = new Set();
  let last = 0, rest = "";
  from.on("data", (chunk) => {
    const parts = (rest + chunk).split("\0");
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part), one = waiting.get(message.id);
      if (!message.id) for (const hear of heard) hear(message);
      else if (message.error) one.reject(new Error(`${one.method}: ${message.error.message}`));
      else one.resolve(message.result);
      waiting.delete(message.id);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject, method });
    to.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });

  async function open(address, { width = 1440, height = 1000, dark = false } = {}) {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const ask = (method, params) => send(method, params, sessionId);
    const problems = [], requests = [];
    heard.add((message) => {
      if (message.sessionId !== sessionId) return;
      const { method, params } = message;
      if (method === "Runtime.exceptionThrown") problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === "Log.entryAdded" && params.entry.level === "error") problems.push(params.entry.text);
      if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type)) problems.push(params.args.map((each) => each.value).join(" "));
      if (method === "Network.requestWillBeSent") requests.push(params.request.url);
    });
    for (const domain of ["Runtime", "Log", "Network", "Page"]) await ask(`${domain}.enable`);
    await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await ask("Page.navigate", { url: address });

    async function run(expression) {
      const { result, exceptionDetails } = await ask("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    }
    // Waits in the page until an expression holds.
    const until = (expression, seconds = 60) => run(`new Promise((resolve, reject) => {
      const end = performance.now() + ${1000 * seconds};
      const look = () => { try { const found = ${expression}; if (found) return resolve(found); } catch {} 
        performance.now() > end ? reject(new Error("never: " + ${JSON.stringify(expression)} + "; " + document.getElementById("status")?.textContent)) : setTimeout(look, 25); };
      look();
    })`);
    const picture = async () => {
      const { cssContentSize } = await ask("Page.getLayoutMetrics");
      const { data } = await ask("Page.captureScreenshot", { captureBeyondViewport: true, clip: { x: 0, y: 0, width, height: Math.ceil(cssContentSize.height), scale: 1 } });
      return Buffer.from(data, "base64");
    };
    const key = async (name, code, modifiers = 0, text = undefined) => {
      await ask("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key: name, windowsVirtualKeyCode: code, modifiers, text });
      await ask("Input.dispatchKeyEvent", { type: "keyUp", key: name, windowsVirtualKeyCode: code, modifiers });
    };
    const click = async (x, y) => {
      for (const type of ["mousePressed", "mouseReleased"]) await ask("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    };
    return { run, until, picture, key, click, type: (text) => ask("Input.insertText", { text }), problems, requests, close: () => send("Target.closeTarget", { targetId }) };
  }

  async function close() {
    const ended = new Promise((resolve) => own.once("exit", resolve));
    await send("Browser.close").catch(() => {});
    await ended;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
  return { open, close };
}
