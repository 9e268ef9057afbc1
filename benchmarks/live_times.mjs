/* What a visitor of a live Explore waits for: node live_times.mjs SITE chromium|firefox [EXECUTABLE]

   Needs puppeteer-core (npm) in the current folder. SITE is what `explorer site --live` wrote; a server of this script sends
   it, compressed as a host would, and counts. Prints bytes, seconds to the first paint, to live and to the ids of the address's
   text, of a first visit and of the second without a network, milliseconds a key (from the key to the ids, the median of 20) at
   60 and 1,000 characters, and the memory of all processes of the browser (PSS). GPT-2, a window of 1280 × 800. */

import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const [site, browserName, executablePath = { chromium: "/usr/bin/chromium", firefox: "/usr/bin/firefox-esr" }[browserName]] = process.argv.slice(2);
const puppeteer = createRequire(`${process.cwd()}/x.js`)("puppeteer-core");
const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm", json: "application/json" };
let sent = 0;
let open = true;
const packed = new Map();
const server = createServer((request, response) => {
  if (!open) return request.socket.destroy();
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  const type = TYPES[path.split(".").pop()];
  try {
    if (!packed.has(path)) packed.set(path, type ? gzipSync(readFileSync(site + path)) : readFileSync(site + path));
  } catch {
    response.writeHead(404).end();
    return;
  }
  const body = packed.get(path);
  sent += body.length;
  response.writeHead(200, { "content-type": type ?? "application/octet-stream", "content-length": body.length, "cache-control": "max-age=600", ...(type && { "content-encoding": "gzip" }) });
  response.end(body);
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const address = `http://127.0.0.1:${server.address().port}/explore.html?m=gpt-2&text=`;
for (const name of execSync(`cd ${site} && find . -name "*.mjs" -o -name "*.wasm" -o -name "live*.js"`).toString().trim().split("\n")) packed.set(name.slice(1), gzipSync(readFileSync(`${site}/${name}`)));

const browser = await puppeteer.launch({ browser: browserName === "firefox" ? "firefox" : "chrome", executablePath, headless: true, protocolTimeout: 600_000, args: browserName === "firefox" ? [] : ["--no-sandbox"] });
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 800 });

async function visit(text) {
  const start = Date.now();
  await page.goto(address + encodeURIComponent(text), { waitUntil: "domcontentloaded" });
  await page.waitForSelector("html[data-live]", { timeout: 300_000 });
  const live = (Date.now() - start) / 1000;
  await page.waitForSelector(".live-stages:not([aria-busy])", { timeout: 300_000 });
  const answered = (Date.now() - start) / 1000;
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.getEntriesByType("paint")[0]?.startTime ?? null);
  return { paint: paint === null ? "?" : (paint / 1000).toFixed(2), live: live.toFixed(1), answered: answered.toFixed(1) };
}

function memory() {
  const all = execSync("ps -eo pid,ppid").toString().trim().split("\n").slice(1).map((line) => line.trim().split(/\s+/).map(Number));
  const mine = new Set([browser.process().pid]);
  for (let more = true; more; ) {
    more = false;
    for (const [pid, parent] of all) if (mine.has(parent) && !mine.has(pid)) more = Boolean(mine.add(pid));
  }
  let kilobytes = 0;
  for (const pid of mine) {
    try {
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf-8"))[1]);
    } catch {}
  }
  return Math.round(kilobytes / 1000);
}

/* Types a letter at the end, and waits until the number of characters and the ids are those of the new text. */
async function perKey(length) {
  const times = await page.evaluate(async (length) => {
    const find = (root, selector) => {
      for (const each of root.querySelectorAll("*")) {
        if (each.matches(selector)) return each;
        const inside = each.shadowRoot && find(each.shadowRoot, selector);
        if (inside) return inside;
      }
    };
    const field = find(document, "textarea");
    const type = (text) => {
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    };
    const ids = () => document.querySelector(".of-overview").shadowRoot.textContent;
    const changed = async (text) => {
      const before = ids();
      const start = performance.now();
      type(text);
      while (ids() === before) await new Promise(requestAnimationFrame);
      return performance.now() - start;
    };
    const words = "A tokenizer cuts a text into the pieces that a language model reads. ".repeat(20).slice(0, length);
    await changed(`${words} `);
    const times = [];
    for (let at = 0; at < 20; at += 1) {
      await new Promise((done) => setTimeout(done, 300));
      times.push(await changed(words + " xqzkjv"[(at % 6) + 1].repeat((at % 3) + 1) + at));
    }
    return times;
  }, length);
  return Math.round(times.sort((a, b) => a - b)[10]);
}

console.log(await browser.version());
const first = await visit("Hello there");
await new Promise((done) => setTimeout(done, 8000));
console.log(`first visit: ${(sent / 1e6).toFixed(1)} MB, paint ${first.paint} s, live ${first.live} s, this text ${first.answered} s`);
console.log(`a key: ${await perKey(60)} ms at 60 characters, ${await perKey(1000)} ms at 1,000; memory ${memory()} MB`);
open = false;
const again = await visit("Hello there");
console.log(`second visit, no network: paint ${again.paint} s, live ${again.live} s, this text ${again.answered} s`);
await browser.close();
server.close();
