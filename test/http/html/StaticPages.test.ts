import { describe, expect, it } from "vitest"
import { once } from "node:events"
import { statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { makePagesHandler, readPages } from "../../../http/html/StaticPages.ts"
import { addAnnounced, clockText, findHeard, foldCalls, titleOf } from "../../../http/pages/player/Programme.ts"
import { Ladder } from "../../../http/pages/stream/Ladder.ts"
import { playingSample } from "../../../bench/instruments/data/NowPlayingSample.ts"
import { buildPages } from "../../support/pages/PageStation.ts"

const program = new URL("../../../http/dist/main.js", import.meta.url)
const programBuiltMs = statSync(program).mtimeMs
const pages = await buildPages()
const assets = [...pages.keys()].filter((name) => name.startsWith("/assets/"))
const script = assets.find((name) => /index-.*\.js$/.test(name))!
const within = async <A>(run: (base: string) => Promise<A>): Promise<A> => {
  const handle = makePagesHandler(pages, () => "# Longwave")
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(418).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
describe("the pages", () => {
  it("are built into another folder without a change to the programs, from which stations run", () => {
    expect(statSync(program).mtimeMs).toBe(programBuiltMs)
  })

  it("contain nothing inline or from other origins", () => {
    const html = pages.get("/")!.body.toString()
    expect(html).not.toMatch(/<style|style=|onload=|<script(?![^>]*src=)|https?:\/\//)
    expect(html).toContain(script)
    expect(assets.some((name) => name.endsWith(".css"))).toBe(true)
  })

  it("are small without hls.js, which loads separately", () => {
    const weight = (wanted: (name: string) => boolean) =>
      assets
        .filter((name) => name.endsWith(".js") && wanted(name))
        .reduce((sum, name) => sum + gzipSync(pages.get(name)!.body).length, 0)
    // The listener page loads neither: hls.js follows when it plays, and the console and the reference are pages of their own.
    expect(weight((name) => !/hls|console|docs|scalar/.test(name))).toBeLessThan(52_000)
    expect(weight((name) => /hls/.test(name))).toBeGreaterThan(50_000)
    expect(pages.get("/")!.body.toString()).not.toMatch(/console/)
    expect(pages.get("/")!.body.toString()).not.toMatch(/hls/)
  })

  it("serve the console at the address of each of its rooms, before anything else answers", () =>
    within(async (base) => {
      for (const place of ["/console", "/console/reviews", "/console/people/agents/agt_01"]) {
        const page = await fetch(`${base}${place}`)
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
        expect(page.headers.get("content-security-policy")).toContain("default-src 'self'")
        expect(await page.text()).toMatch(/<title>Console<[^]*console-[\w-]+\.js/)
      }
      expect((await fetch(`${base}/consoles`)).status).toBe(418)
      const html = pages.get("/console")!.body.toString()
      expect(html).not.toMatch(/<style|style=|onload=|<script(?![^>]*src=)|https?:\/\//)
    }))

  it("link a program to the guides, and answer requests for text with text", () =>
    within(async (base) => {
      const page = await fetch(base)
      expect(page.headers.get("link")).toContain('</llms.txt>; rel="describedby"')
      expect(/<noscript[^]*<\/noscript/.exec(await page.text())![0]).toContain("/llms.txt")
      const text = await fetch(base, { headers: { accept: "text/markdown" } })
      expect([text.headers.get("content-type"), await text.text()]).toEqual([
        "text/markdown; charset=utf-8",
        "# Longwave"
      ])
      const browser = await fetch(base, { headers: { accept: "text/html,text/markdown;q=0.5" } })
      expect(browser.headers.get("content-type")).toBe("text/html; charset=utf-8")
    }))

  it("have a strict policy and an ETag, and are immutable if their name holds their hash", () =>
    within(async (base) => {
      const page = await fetch(base)
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(page.headers.get("content-security-policy")).toMatch(
        /^default-src 'self'; media-src 'self' blob:; worker-src 'self' blob:;/
      )
      expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:/)
      expect(page.headers.get("x-content-type-options")).toBe("nosniff")
      expect(page.headers.get("cache-control")).toBe("no-cache")
      const again = await fetch(base, { headers: { "if-none-match": page.headers.get("etag")! } })
      expect([again.status, await again.text()]).toEqual([304, ""])
      const asset = await fetch(base + script)
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(asset.headers.get("content-encoding")).toBe("gzip")
      expect(await asset.text()).toBe(pages.get(script)!.body.toString())
      const plain = await fetch(base + script, { method: "HEAD", headers: { "accept-encoding": "identity" } })
      expect([plain.status, Number(plain.headers.get("content-length"))]).toEqual([200, pages.get(script)!.body.length])
    }))

  it("serve the reference's script as the build packed it, and read it at its first request only", () =>
    within(async (base) => {
      const path = assets.find((name) => /scalar-.*\.js$/.test(name))!
      expect(pages.get("/")!.body.toString()).not.toContain(path)
      const packed = await fetch(base + path)
      expect([packed.headers.get("content-encoding"), packed.headers.get("cache-control")]).toEqual([
        "gzip",
        "public, max-age=31536000, immutable"
      ])
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(1_000_000)
      expect(await packed.text()).toMatch(/createApiReference/)
      expect(pages.has(`${path}.gz`)).toBe(false)
      const again = await fetch(base + path, { headers: { "if-none-match": packed.headers.get("etag")! } })
      expect(again.status).toBe(304)
    }))

  it("can be installed: a manifest with icons, and a worker at a stable address that caches only the shell", () =>
    within(async (base) => {
      const manifest = await fetch(`${base}/manifest.webmanifest`)
      expect(manifest.headers.get("content-type")).toBe("application/manifest+json")
      const { icons } = (await manifest.json()) as { readonly icons: ReadonlyArray<{ readonly src: string }> }
      for (const { src } of icons)
        expect([src, (await fetch(base + src)).headers.get("content-type")]).toEqual([src, "image/png"])
      const worker = await fetch(`${base}/worker.js`)
      expect([worker.headers.get("content-type"), worker.headers.get("cache-control")]).toEqual([
        "text/javascript; charset=utf-8",
        "no-cache"
      ])
      const { files } = JSON.parse(/const SHELL=(\{.*?\});/.exec(await worker.text())![1]!) as {
        readonly files: ReadonlyArray<string>
      }
      expect(files).toContain(script)
      for (const file of files) expect([file, pages.has(file)]).toEqual([file, true])
      expect(files.filter((file) => /live|api|claim/.test(file) && !/hls\.light/.test(file))).toEqual([])
    }))

  it("leave other paths to other handlers", () =>
    within(async (base) => {
      for (const path of [
        "/api/station",
        "/assets/none.js",
        "/assets/../index.html",
        "/assets/%2e%2e/index.html",
        "/index.html"
      ])
        expect((await fetch(base + path)).status).toBe(418)
      expect((await fetch(base, { method: "POST" })).status).toBe(418)
      expect(readPages("/nowhere").size).toBe(0)
    }))
})
describe("the page's handling of events", () => {
  const at = (id: string, startMs: number, lengthMs = 10_000) => playingSample({ id, title: id, startMs, lengthMs })
  it("shows the heard item, not the latest message", () => {
    const known = [at("a", 0), at("b", 10_000), at("c", 20_000)].reduce(addAnnounced, [])
    expect([0, 9_999, 10_000, 19_999, 25_000].map((ms) => findHeard(known, ms)!.playing.item.id)).toEqual([
      "a",
      "a",
      "b",
      "b",
      "c"
    ])
    expect(findHeard(known, -1)!.playing.item.id).toBe("a")
    expect(findHeard([], 0)).toBeNull()
  })

  it("replaces a dropped plan by the new one, and an item by its update", () => {
    const known = [at("a", 0), at("b", 10_000), at("c", 8_000), at("c", 8_000, 20_000)].reduce(addAnnounced, [])
    expect(known.map(({ playing: { item } }) => item.id)).toEqual(["a", "c"])
    expect(known[1]!.endMs).toBe(28_000)
    expect(Array.from({ length: 90 }, (_, i) => at(`i${i}`, i * 1000)).reduce(addAnnounced, []).length).toBe(64)
  })

  it("folds the station's calls that follow each other, and nothing else", () => {
    const kinds = ["station_id", "other", "music", "music", "segment", "station_id", "segment"] as const
    expect(foldCalls(kinds.map((kind) => ({ kind }))).map((group) => group.map(({ kind }) => kind))).toEqual([
      ["station_id", "other"],
      ["music"],
      ["music"],
      ["segment"],
      ["station_id"],
      ["segment"]
    ])
  })

  it("shows the station's name without a title", () => {
    expect(titleOf(playingSample({ id: "a", title: "Velvet Lighthouse", startMs: 0, lengthMs: 1 }), "Longwave")).toBe(
      "Velvet Lighthouse"
    )
    expect(
      titleOf(
        { ...playingSample({ id: "a", title: "", startMs: 0, lengthMs: 1 }), track: null, displayText: "" },
        "Longwave"
      )
    ).toBe("Longwave")
  })

  it("formats times for people", () => {
    expect([0, 59_999, 60_000, 3_599_000, 3_600_000, -5].map(clockText)).toEqual([
      "0:00",
      "0:59",
      "1:00",
      "59:59",
      "1:00:00",
      "0:00"
    ])
  })

  it("falls back to MP3 after three consecutive failures, and forgets old ones", () => {
    const ladder = new Ladder("hls")
    ladder.noteFailure()
    ladder.noteFailure()
    ladder.notePlaying(0)
    ladder.notePlaying(29_999)
    expect(ladder.source).toBe("hls")
    ladder.noteFailure()
    expect(ladder.source).toBe("mp3")
    const steady = new Ladder("native")
    steady.noteFailure()
    steady.noteFailure()
    steady.notePlaying(0)
    steady.notePlaying(30_000)
    steady.noteFailure()
    expect(steady.source).toBe("native")
  })
})
