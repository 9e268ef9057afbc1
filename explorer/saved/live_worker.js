/* A live page's worker: Python in WebAssembly with the engine inside (live_python.mjs). It does one request after the other.

   From the page   { id, what, of, needs }   what, of: as `answer` in answers/live.py takes them; needs: vocabularies to fetch first
                   { id, file: { name, bytes } }   a visitor's own file; its path is the answer
   To the page     { id, answer }   JSON; { progress }: bytes that have come, then "ready"; { failed } if Python doesn't start */

const addresses = JSON.parse(new URL(self.location).searchParams.get("addresses"));
const pyodide = Object.values(addresses).find((each) => each.endsWith("/pyodide.mjs")).slice(0, -"pyodide.mjs".length);
const own = import(addresses["live_python.mjs"]);
const present = new Map();
let progress = 0;
let files;

/* The bytes of a file of the site, unpacked. */
async function fetched(name) {
  const response = await fetch(addresses[name]);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const counted = new TransformStream({
    transform(chunk, to) {
      progress += chunk.length;
      if (!files) self.postMessage({ progress });
      to.enqueue(chunk);
    },
  });
  return (await own).unpacked(response.body.pipeThrough(counted));
}

async function vocabulary(name) {
  const bytes = await fetched(`${name}.gz`);
  await ready;
  files.writeFile(`${(await own).APP}/vocabs/${name}`, bytes);
}

/* From the memory that the site has, if it has one. */
async function started() {
  const engine = fetched("python.bin");
  const memory = addresses["memory.bin"] ? fetched("memory.bin") : null;
  const { start } = await own;
  const python = await start(pyodide, engine, memory).catch((error) => {
    if (!memory) throw error;
    console.warn(`Python's memory isn't taken over: ${error}`);
    return start(pyodide, engine);
  });
  files = python.FS;
  return python.globals.get("answer");
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
  await Promise.all(needs.map(need));
  return answer(JSON.stringify({ what, of }));
}

/* A vocabulary, fetched once; asked for again after an error, it is fetched again. */
function need(name) {
  if (!present.has(name)) {
    present.set(name, vocabulary(name));
    present.get(name).catch(() => present.delete(name));
  }
  return present.get(name);
}

self.addEventListener("message", ({ data }) => {
  data.needs?.forEach(need); // while Python starts
  before = before.catch(() => {}).then(async () => {
    try {
      self.postMessage({ id: data.id, answer: await answered(data) });
    } catch (error) {
      self.postMessage({ id: data.id, answer: JSON.stringify({ error: String(error.message ?? error) }) });
    }
  });
});
