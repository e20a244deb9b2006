import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request as ask, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Browser } from "playwright-core"
import { build } from "vite"
import { makePagesHandler, readPages, readTemplate } from "../../../http/html/StaticPages.ts"
import type { NowPlaying } from "../../../schema/air/Station.ts"

/** A browser of this machine; null if there is none. */
export const chromiumPath: string | null =
  ["chromium", "chromium-browser", "google-chrome"]
    .map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim())
    .find((path) => path !== "") ?? null
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    args: [
      "--headless",
      "--no-sandbox",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })
/** The present pages, built into a folder of their own. */
export const buildPages = async () => (await buildSite()).pages
/** With the claim page, which the station fills in. */
export const buildSite = async () => {
  const folder = mkdtempSync(join(tmpdir(), "longwave-pages-"))
  await build({ logLevel: "silent", build: { outDir: folder, emptyOutDir: true } })
  const site = {
    pages: readPages(folder),
    claim: readTemplate("claim", folder)!,
    account: readTemplate("account", folder)!
  }
  // Files that the build has packed are read when they are first asked for.
  for (const file of site.pages.values()) if (file.packed !== null) void file.body
  rmSync(folder, { recursive: true })
  return site
}
export interface PageStation {
  readonly url: string
  readonly asked: ReadonlyArray<string>
  readonly announce: (now: NowPlaying) => void
  readonly count: (listeners: number) => void
  /** Sets the API's answer at a path from now on. */
  readonly answer: (path: string, body: unknown) => void
  /** Cuts the connection: nothing answers any more. */
  readonly cut: (off: boolean) => void
  /** The playlists exist and are invalid. */
  readonly spoil: (spoilt: boolean) => void
  readonly close: () => void
}
/** The pages in front of a real air chain, with programme events that the test sends and a connection that it can cut. */
export const startPageStation = async (live: string, pages: ReturnType<typeof readPages>): Promise<PageStation> => {
  const asked: Array<string> = []
  const answers = new Map<string, unknown>()
  const ears = new Set<ServerResponse>()
  const page = makePagesHandler(pages)
  let now: NowPlaying | null = null
  let off = false
  let spoilt = false
  const server = createServer((request, response) => {
    asked.push(request.url!)
    if (page(request, response)) return
    const { pathname } = new URL(request.url!, "http://localhost")
    if (pathname === "/api/station") {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ name: "Longwave", tagline: "One station, on the air.", signIn: [] }))
    } else if (pathname.startsWith("/api/") && answers.has(pathname)) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers.get(pathname)))
    } else if (pathname.startsWith("/api/") && pathname !== "/api/now-playing") {
      response
        .writeHead(404, { "content-type": "application/problem+json" })
        .end(JSON.stringify({ code: "NOT_FOUND", detail: "There is no such address." }))
    } else if (pathname === "/api/now-playing") {
      response.writeHead(200, { "content-type": "text/event-stream" })
      ears.add(response)
      response.on("close", () => ears.delete(response))
      response.write(now === null ? ": nothing yet\n\n" : `event: now-playing\ndata: ${JSON.stringify(now)}\n\n`)
    } else if (spoilt && pathname.endsWith(".m3u8")) {
      response.writeHead(200, { "content-type": "application/vnd.apple.mpegurl" }).end("this is no playlist")
    } else {
      const from = ask(`${live}${request.url}`, { headers: { accept: "*/*" } }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      from.on("error", () => response.destroy())
      response.on("close", () => from.destroy())
      from.end()
    }
  })
  server.on("connection", (socket) => off && socket.destroy())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const tell = (event: string, data: object) => {
    for (const ear of ears) ear.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    announce: (news) => {
      now = news
      tell("now-playing", news)
    },
    count: (listenerCount) => tell("tick", { itemId: now?.item.id ?? null, positionSec: 0, listenerCount }),
    answer: (path, body) => void answers.set(path, body),
    cut: (cutOff) => {
      off = cutOff
      if (off) server.closeAllConnections()
    },
    spoil: (yes) => {
      spoilt = yes
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
