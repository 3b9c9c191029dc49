'use strict';
// Runs the engine beside the page, which stays usable meanwhile, and lends it the bytes of the dropped files.
const AHEAD = 8 << 20;
let engine = null, files = [], kept = { file: -1, start: 0, bytes: new Uint8Array(0) };

/** Bytes of a file, of which a piece is kept because the engine asks for small ones. */
function read(file, offset, address, length) {
  try {
    const end = kept.start + kept.bytes.length;
    if (kept.file !== file || offset < kept.start || offset >= end) {
      const piece = files[file].slice(offset, offset + Math.max(AHEAD, length));
      // The memory of the piece before is given back now, and not when the browser gets to it.
      kept.bytes.buffer.transfer?.(0);
      kept = { file, start: offset, bytes: new Uint8Array(new FileReaderSync().readAsArrayBuffer(piece)) };
    }
    const from = offset - kept.start;
    const bytes = kept.bytes.subarray(from, from + length);
    new Uint8Array(engine.memory.buffer, address >>> 0, length).set(bytes);
    return bytes.length;
  } catch {
    return -1;
  }
}

const imports = { page: { read, progress: (file, bytes) => postMessage({ progress: { file, bytes } }) } };
let module = null;

async function start() {
  // The library that reads zip could also ask for random numbers, to encrypt. Nothing calls that here.
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    if (kind === 'function') imports[from][name] ??= () => { throw new Error(`${name} is not there`); };
  }
  engine = (await WebAssembly.instantiate(module, imports)).exports;
}

function ask(question) {
  const text = new TextEncoder().encode(JSON.stringify(question));
  // Every call may let the memory grow, and then its old buffer is gone.
  const room = engine.reserve(text.length);
  new Uint8Array(engine.memory.buffer, room >>> 0, text.length).set(text);
  const address = engine.ask(), length = engine.answer_length();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, address >>> 0, length)));
}

onmessage = async ({ data: { id, wasm, question, lent } }) => {
  try {
    if (wasm) {
      module = await WebAssembly.compile(wasm);
      await start();
      postMessage({ id, answer: { answer: 'started' } });
      return;
    }
    if (lent) files = lent;
    kept = { file: -1, start: 0, bytes: new Uint8Array(0) };
    const began = performance.now();
    const answer = ask(question);
    postMessage({ id, answer, took: performance.now() - began, memory: engine.memory.buffer.byteLength });
  } catch (error) {
    // The engine ends like this where there is no memory left, and by a bug. It begins again without the files.
    if (module) await start();
    const why = error instanceof WebAssembly.RuntimeError || error instanceof RangeError ? 'not enough memory for these files, or a bug' : 'a bug';
    postMessage({ id, answer: { answer: 'error', problem: `the page stopped (${why}: ${error.message}); drop the files again, or use kubectl preempt --from`, stopped: true } });
  }
};
