// The simulator behind its border: requests in JSON, answers in JSON or columns of numbers.

const encoder = new TextEncoder(), decoder = new TextDecoder();

export class Failure extends Error {}

// Makes a simulator of a compiled module. `progress` hears how far a run is.
export async function simulator(module, progress = () => {}) {
  let exports = null;
  const bytes = (address, length) => new Uint8Array(exports.memory.buffer, address, length);
  const imports = { page: {
    progress,
    fail: (address, length) => { throw new Failure(decoder.decode(bytes(address, length))); },
  } };
  ({ exports } = await WebAssembly.instantiate(module, imports));
  exports.prepare();

  function answer(request) {
    const text = encoder.encode(JSON.stringify(request));
    bytes(exports.room(text.length) >>> 0, text.length).set(text);
    const length = exports.ask() >>> 0;
    return bytes(exports.answer() >>> 0, length);
  }

  return {
    ask: (request) => JSON.parse(decoder.decode(answer(request))),
    column: (table, name) => new Float64Array(answer({ ask: "column", table, name }).slice().buffer),
    memory: exports.memory,
  };
}
