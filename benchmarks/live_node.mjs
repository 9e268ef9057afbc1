/* Runs a Python file in the Python of a live Explore, in Node: node live_node.mjs SITE FILE [FOLDER=PATH…] [-- ARGUMENT…]

   SITE is what `explorer site --live` wrote, and Python goes on from the memory there, if it has one. Each FOLDER of this
   machine is at PATH there. The ids of every original, of ../shared:

   node benchmarks/live_node.mjs public ../shared/parity/check.py ../shared/vocabs=/vocabs ../shared/parity=/parity -- \\
     --vocabs /vocabs --reference /parity/reference.json.xz */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [site, file, ...rest] = process.argv.slice(2);
const cut = rest.includes("--") ? rest.indexOf("--") : rest.length;
const { start, unpacked } = await import(pathToFileURL(resolve(site, "live_python.mjs")).href);
const pyodide = readdirSync(site).find((name) => name.startsWith("pyodide-"));
const bytes = (name) => unpacked(new Blob([readFileSync(`${site}/${name}`)]).stream());
const before = performance.now();
const python = await start(`${resolve(site, pyodide)}/`, bytes("python.bin"), existsSync(`${site}/memory.bin`) ? bytes("memory.bin") : null);
console.log(`Python runs after ${((performance.now() - before) / 1000).toFixed(1)} s`);
for (const mount of rest.slice(0, cut)) {
  const [folder, path] = mount.split("=");
  python.FS.mkdirTree(path);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: resolve(folder) }, path);
}
python.globals.set("arguments", python.toPy([file, ...rest.slice(cut + 1)]));
python.globals.set("source", readFileSync(file, "utf-8"));
python.runPython(`
import sys
sys.argv = list(arguments)
try:
    exec(compile(source, sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
except SystemExit as end:
    print("exit", end.code or 0)
`);
