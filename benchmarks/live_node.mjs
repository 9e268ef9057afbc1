/* Runs a Python file in the Python of a live Explore, in Node: node live_node.mjs SITE FILE [FOLDER=PATH…] [-- ARGUMENT…]

   SITE is what `explorer site --live` wrote; each FOLDER of this machine is at PATH there. The ids of every original, of ../shared:

   node benchmarks/live_node.mjs public ../shared/parity/check.py ../shared/vocabs=/vocabs ../shared/parity=/parity -- \\
     --vocabs /vocabs --reference /parity/reference.json.xz */

import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, file, ...rest] = process.argv.slice(2);
const cut = rest.includes("--") ? rest.indexOf("--") : rest.length;
const at = `${site}/${readdirSync(site).find((name) => name.startsWith("pyodide-"))}/`;
const { loadPyodide } = await import(pathToFileURL(`${at}pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: at });
for (const name of ["python.zip", "msgspec.zip"]) python.unpackArchive(new Uint8Array(readFileSync(`${site}/${name}`)), "zip", { extractDir: "/app" });
for (const mount of rest.slice(0, cut)) {
  const [folder, path] = mount.split("=");
  python.FS.mkdirTree(path);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, path);
}
// as live_worker.js starts it
python.runPython(`
import os, sys, time
sys.path.insert(0, "/app")
time.thread_time = time.process_time
os.geteuid = os.getuid
from explorer.opening import compiled_forms
compiled_forms.SMALLEST = 1 << 60
`);
python.globals.set("arguments", python.toPy([file, ...rest.slice(cut + 1)]));
python.globals.set("source", readFileSync(file, "utf-8"));
python.runPython(`
sys.argv = list(arguments)
try:
    exec(compile(source, sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
except SystemExit as end:
    print("exit", end.code or 0)
`);
