/// <reference lib="webworker" />
declare const self: ServiceWorkerGlobalScope

/** Files of this build, inserted by the build: a new build makes a new worker. */
declare const SHELL: { readonly version: string; readonly files: ReadonlyArray<string> }

const cacheName = `shell-${SHELL.version}`

const isShell = ({ pathname }: URL): boolean => pathname === "/" || SHELL.files.includes(pathname)

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(["/", ...SHELL.files].map((path) => new Request(path, { cache: "no-cache" }))))
  )
})

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name !== cacheName) await caches.delete(name)
      await self.clients.claim()
    })()
  )
})

self.addEventListener("message", ({ data }) => data === "take over" && void self.skipWaiting())

/** Pages that the server makes whole; the others are places that the front page can show. */
const isMadeByServer = ({ pathname }: URL): boolean =>
  /^\/(api|console|claim|account|login|lost-key|appeal|not-me|docs|problems|terms|privacy|contact|media|live)\b|\.\w+$/.test(
    pathname
  )

/** Serves the page and its files; other requests pass through. A place that can't be reached is drawn by the kept page. */
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request
  const address = new URL(url)
  if (method !== "GET" || address.origin !== location.origin) return
  if (mode === "navigate" && !isShell(address) && !isMadeByServer(address))
    return event.respondWith(
      fetch(event.request).catch(async (fault: unknown) => (await caches.match("/")) ?? Promise.reject(fault))
    )
  if (!isShell(address)) return
  event.respondWith(
    caches.open(cacheName).then(async (cache) => (await cache.match(address.pathname)) ?? (await fetch(event.request)))
  )
})
