/* Python's memory after a start, packed: node live_memory.mjs PYODIDE > memory.bin. PYODIDE is that folder of a site, beside
   python.bin and live_python.mjs. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const pyodide = resolve(process.argv[2]);
const beside = (name) => resolve(pyodide, "..", name);
const { start, unpacked } = await import(pathToFileURL(beside("live_python.mjs")).href);
const python = await start(`${pyodide}/`, unpacked(new Blob([readFileSync(beside("python.bin"))]).stream()), null, { _makeSnapshot: true });
process.stdout.write(gzipSync(python.makeMemorySnapshot(), { level: 9 }));
