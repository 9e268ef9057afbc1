/* A live page's service worker: a file whose address has a hash or a version is fetched once, and comes from the browser after
   that. All else, such as the pages of the same site, is asked for again, and comes from the browser where there is no network.
   This script's address has a hash of the build: a new build has a store of its own, and the old one goes. The page names what
   it took before this worker was at hand. */

const FIXED = /\?[0-9a-f]{16}\b|\/pyodide-[\d.]+\//;
const KEPT = `tokenizer-explorer ${self.location.search}`;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("tokenizer-explorer") && name !== KEPT) await caches.delete(name);
  await self.clients.claim();
})()));

async function answer(request) {
  const cache = await caches.open(KEPT);
  const isPage = request.mode === "navigate";
  const known = await cache.match(request, { ignoreSearch: isPage });
  if (known && FIXED.test(request.url)) return known;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(isPage ? new URL(request.url).pathname : request, response.clone());
    return response;
  } catch (error) {
    if (known) return known;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin) event.respondWith(answer(request));
});

self.addEventListener("message", (event) => event.waitUntil((async () => {
  const cache = await caches.open(KEPT);
  for (const each of event.data) if (!(await cache.match(each))) await cache.add(each).catch(() => {});
})()));
