/* Python in WebAssembly with the engine inside, for a live page's worker (live_worker.js) and for Node, which writes down its
   memory (live_memory.mjs): started anew, which takes as long as all imports, or from that memory.

   What the memory points to must be where it was, though another engine may run it. A library in WebAssembly is loaded before
   Python runs, first thing in both cases, to the same address and table. How Python calls a function whose arguments are not
   of the type it expects depends on the engine, and is kept from before. */

export const APP = "/app";
const ROUND = 1 << 16;
const START = `
import os, sys, time
sys.path.insert(0, "${APP}")
time.thread_time = time.process_time  # a browser has one thread
os.geteuid = os.getuid
from explorer.opening import compiled_forms
compiled_forms.SMALLEST = 1 << 60  # nothing is kept here between visits but the files themselves
from explorer.answers.live import answer
from explorer.answers.questions import LOCAL, AnswerCaches
LOCAL.caches = AnswerCaches(results=5_000_000, material=40_000_000, tokenizers=300_000_000)  # bytes: a tab has less than a server
`;

/* What a stream of gzip holds; the stream's own bytes where the host has unpacked them. */
export async function unpacked(stream) {
  const reader = stream.getReader();
  const { value: first } = await reader.read();
  const whole = new ReadableStream({
    start: (to) => to.enqueue(first),
    async pull(to) {
      const { done, value } = await reader.read();
      if (done) to.close();
      else to.enqueue(value);
    },
  });
  const isPacked = first[0] === 0x1f && first[1] === 0x8b;
  return new Uint8Array(await new Response(isPacked ? whole.pipeThrough(new DecompressionStream("gzip")) : whole).arrayBuffer());
}

/* Files as live.py packs them. */
function* filesOf(bytes) {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = 4 + size;
  for (const [path, length] of Object.entries(JSON.parse(new TextDecoder().decode(bytes.subarray(4, at))))) {
    yield [`${APP}/${path}`, bytes.subarray(at, at + length)];
    at += length;
  }
}

/* Pyodide, whose global `answer` is that of answers/live.py. at: where Pyodide's files are. engine: its files, packed, as a
   promise. memory: what `makeMemorySnapshot` gave after a start, as a promise; null for none. settings: more for `loadPyodide`. */
export async function start(at, engine, memory = null, settings = {}) {
  const [{ loadPyodide }, { default: create }] = await Promise.all(["pyodide.mjs", "pyodide.asm.mjs"].map((name) => import(at + name)));
  const files = engine.then((bytes) => [...filesOf(bytes)]);
  const python = await loadPyodide({
    indexURL: at,
    ...settings,
    async fsInit(system) {
      for (const [path, bytes] of await files) {
        system.mkdirTree(path.slice(0, path.lastIndexOf("/")));
        system.writeFile(path, bytes, { canOwn: true });
      }
    },
    async createPyodideModule(module) {
      const libraries = (await files).map(([path]) => path).filter((path) => path.endsWith(".so"));
      module.onRuntimeInitialized = () => {
        // engines differ in what is there: the library begins at a round number, in memory as in the table
        const end = module._malloc(ROUND);
        module._free(end);
        module._malloc(ROUND - (end % ROUND));
        module.wasmTable.grow(ROUND - (module.wasmTable.length % ROUND));
        for (const each of libraries) module.loadDynamicLibrary(each, { global: false, nodelete: true }, {});
      };
      const [created, kept] = await Promise.all([create(module), memory]);
      if (kept) {
        created.growMemory(kept.length); // it begins smaller
        const calls = (created.__PyRuntime + created.HEAP32[created.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4]) / 4;
        const own = created.HEAP32[calls];
        const { restoreSnapshot } = created.API;
        created.API.restoreSnapshot = () => {
          const state = restoreSnapshot(kept); // not before WebAssembly is compiled
          created.HEAP32[calls] = own;
          return state;
        };
      }
      return created;
    },
    ...(memory && { _loadSnapshot: new Uint8Array() }),
  });
  if (!memory) python.runPython(START);
  return python;
}
