// A simulator in a worker, which is made anew where a run is cancelled or has failed.

let compiled = null;

// Compiles the module, once for all workers.
function module() {
  compiled ??= WebAssembly.compileStreaming(fetch(new URL("xoff.wasm", document.baseURI))).catch(async () => {
    // A server that does not know the type of the file.
    const answer = await fetch(new URL("xoff.wasm", document.baseURI));
    return WebAssembly.compile(await answer.arrayBuffer());
  });
  return compiled;
}

export class Cancelled extends Error {}

export class Simulator {
  #worker = null;
  #waiting = new Map();
  #last = 0;
  onprogress = () => {};

  // Answers a request. Throws Cancelled if `cancel` was called, and Error where the simulator fails.
  async ask(request) {
    const of = await module();
    if (!this.#worker) this.#begin(of);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  get is_busy() { return this.#waiting.size > 0; }

  cancel() { if (this.is_busy) this.#end(new Cancelled("cancelled")); }

  #begin(of) {
    this.#worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
    this.#worker.postMessage({ module: of });
    this.#worker.onerror = (event) => this.#end(new Error(event.message || "out of memory"));
    this.#worker.onmessage = ({ data }) => {
      if (data.progress) { this.onprogress(data.progress); return; }
      const { resolve } = this.#waiting.get(data.id) ?? {};
      if (data.failure) { this.#end(new Error(data.failure)); return; }
      this.#waiting.delete(data.id);
      resolve?.(data);
    };
  }

  #end(error) {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
