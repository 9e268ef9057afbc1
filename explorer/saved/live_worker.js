/* A live page's worker: Python in WebAssembly with the engine inside. It does one request after the other.

   From the page   { id, what, of, needs }   what, of: as `answer` in answers/live.py takes them; needs: vocabularies to fetch first
                   { id, file: { name, bytes } }   a visitor's own file; its path is the answer
   To the page     { id, answer }   JSON; { progress: { done, of } } until the first answer; { failed } if Python doesn't start */

const APP = "/app";
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
answer
`;
const { pyodide, addresses } = JSON.parse(new URL(self.location).searchParams.get("site"));
const present = new Map();
let files;

/* The bytes of a file of the site. */
async function fetched(name) {
  const response = await fetch(addresses[name]);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function unzipped(bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

async function vocabulary(name) {
  const bytes = await fetched(`${name}.gz`);
  // some hosts unpack a .gz themselves
  files.writeFile(`${APP}/vocabs/${name}`, bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzipped(bytes) : bytes);
}

async function started() {
  const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
  const [python, ...packed] = await Promise.all([loadPyodide({ indexURL: pyodide }), ...["python.zip", "msgspec.zip"].map(fetched)]);
  self.postMessage({ progress: "unpacked" });
  for (const each of packed) python.unpackArchive(each, "zip", { extractDir: APP });
  files = python.FS;
  return python.runPython(START);
}

const ready = started();
ready.then(() => self.postMessage({ progress: "ready" }), (error) => self.postMessage({ failed: String(error) }));
let before = ready;

async function answered({ what, of, needs = [], file }) {
  const answer = await ready;
  if (file) {
    const path = `/own/${file.name}`;
    files.mkdirTree("/own");
    files.writeFile(path, file.bytes);
    return JSON.stringify({ is: path });
  }
  for (const name of needs) {
    if (!present.has(name)) present.set(name, vocabulary(name));
    await present.get(name).catch((error) => {
      present.delete(name); // asked again, it is fetched again
      throw error;
    });
  }
  return answer(JSON.stringify({ what, of }));
}

self.addEventListener("message", ({ data }) => {
  before = before.catch(() => {}).then(async () => {
    try {
      self.postMessage({ id: data.id, answer: await answered(data) });
    } catch (error) {
      self.postMessage({ id: data.id, answer: JSON.stringify({ error: String(error.message ?? error) }) });
    }
  });
});
