/* A live page's service worker: each file is fetched once, and comes from the browser after that. The page is asked for again,
   and comes from the browser where there is no network. A file's address has its hash, and this script's that of the build: a
   new build has a store of its own, and the old one goes. The page names what it took before this worker was at hand. */

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
  if (known && !isPage) return known;
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
