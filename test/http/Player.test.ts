import { Effect, Fiber, Layer } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Live } from "../../engine/ports/Live.ts"
import { airLayer } from "../../media/Air.ts"
import { ffmpegLayer } from "../../media/Ffmpeg.ts"
import { serveLive } from "../support/LiveServer.ts"
import { buildPages, chromiumPath, openBrowser, type PageStation, playing, startPageStation } from "../support/PageStation.ts"
import { bundledFfmpeg } from "../support/Sound.ts"

if (chromiumPath === null) console.warn("Player.test skipped: there is no chromium, chromium-browser or google-chrome on this machine.")

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Moved {
  readonly node: HTMLElement | null
  readonly previousRect: DOMRect
  readonly currentRect: DOMRect
}

/** In the page, before any of its scripts: what moved, what was said when, and the audio element it plays by. */
const witness = () => {
  const seen = { moved: [] as Array<string>, titles: [] as Array<readonly [string, number]>, seconds: [] as Array<readonly [number, number]> }
  Object.assign(globalThis, { seen })
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries() as unknown as ReadonlyArray<{ readonly sources: ReadonlyArray<Moved> }>) {
      for (const { currentRect, node, previousRect } of sources) seen.moved.push(`${node?.className ?? node?.nodeName} ${previousRect.x},${previousRect.y} to ${currentRect.x},${currentRect.y}`)
    }
  }).observe({ type: "layout-shift", buffered: true })
  new MutationObserver(() => {
    const title = document.querySelector("h1")?.textContent ?? ""
    if (title !== seen.titles.at(-1)?.[0]) seen.titles.push([title, Date.now()])
    const second = Number(document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow"))
    if (second !== seen.seconds.at(-1)?.[0]) seen.seconds.push([second, Date.now()])
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
}

type Seen = { readonly moved: ReadonlyArray<string>; readonly titles: ReadonlyArray<readonly [string, number]>; readonly seconds: ReadonlyArray<readonly [number, number]> }
const seenBy = (page: Page): Promise<Seen> => page.evaluate("globalThis.seen")

describe.skipIf(chromiumPath === null)("the player in a browser", () => {
  let browser: Browser
  let station: PageStation
  let end: () => Promise<unknown>

  beforeAll(async () => {
    const [pages, served] = await Promise.all([buildPages(), new Promise<Awaited<ReturnType<typeof serveLive>>>((resolve, reject) => {
      const chain = Effect.runFork(Effect.gen(function*() {
        const live = yield* Live
        resolve(yield* Effect.promise(() => serveLive(live)))
        yield* Effect.never
      }).pipe(Effect.provide(airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(bundledFfmpeg)))), Effect.tapCause((cause) => Effect.sync(() => reject(new Error(String(cause)))))))
      end = () => Effect.runPromise(Fiber.interrupt(chain))
    })])
    station = await startPageStation(served.url, pages)
    browser = await openBrowser()
    // A playlist may be entered once it has a whole segment.
    for (let text = ""; !text.includes(".m4s\n"); text = await (await fetch(`${served.url}/live/aac128/index.m3u8`)).text()) await pause(100)
  })
  afterAll(async () => {
    await browser?.close()
    station?.close()
    await end?.()
  })

  const visit = async (options: BrowserContextOptions, run: (page: Page, trouble: Array<string>) => Promise<void>) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const trouble: Array<string> = []
    page.on("pageerror", (error) => trouble.push(error.message))
    page.on("console", (message) => /Content Security Policy|Uncaught/.test(message.text()) && trouble.push(message.text()))
    page.on("request", (request) => !request.url().startsWith(station.url) && !/^(blob|data):/.test(request.url()) && trouble.push(request.url()))
    await page.addInitScript(witness)
    await page.goto(station.url)
    try {
      await run(page, trouble)
    } finally {
      await context.close()
    }
  }
  const says = (page: Page, state: string, timeout = 15_000) => page.waitForFunction((wanted) => document.querySelector(".play-state")?.textContent === wanted, state, { timeout, polling: 50 })

  it("plays at one tap, changes when the sound does, and nothing moves on the page", () => visit({ viewport: { width: 1280, height: 800 } }, async (page, trouble) => {
    const startMs = Date.now() - 20_000
    station.announce(playing({ id: "one", title: "Velvet Lighthouse", startMs, lengthMs: 200_000 }))
    await page.waitForSelector("text=Velvet Lighthouse")
    station.count(3)
    await page.waitForSelector("text=3 listening")
    expect(await page.textContent(".play-state")).toBe("Tap to listen")
    expect(station.asked.some((path) => path.startsWith("/live/"))).toBe(false)
    await page.keyboard.press("Tab")
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to On now")
    await page.focus(".play-button")
    await page.keyboard.press("Enter")
    await says(page, "On air")
    await pause(2_500)
    // Whole seconds of the item as they pass tell how far behind the station's clock this listener is.
    const behind = async () => {
      const delays = (await seenBy(page)).seconds.slice(-4).map(([second, atMs]) => atMs - (startMs + second * 1000))
      return delays.reduce((sum, delay) => sum + delay, 0) / delays.length
    }
    const lateMs = await behind()
    expect(lateMs).toBeGreaterThan(300)
    expect(lateMs).toBeLessThan(8_000)
    const changeMs = Date.now()
    station.announce(playing({ id: "two", title: "Copper Estuary on a Long Night without a Map", artist: "Ferry Trio", startMs: changeMs, lengthMs: 90_000 }))
    expect(await page.textContent("h1")).toBe("Velvet Lighthouse")
    await page.waitForSelector("text=Copper Estuary")
    const seen = await seenBy(page)
    const heardMs = seen.titles.at(-1)![1] - changeMs
    expect(Math.abs(heardMs - lateMs), `changed after ${heardMs} ms, heard ${lateMs} ms late`).toBeLessThanOrEqual(250)
    expect(await page.title()).toContain("Copper Estuary")
    expect(await page.evaluate(() => navigator.mediaSession.metadata?.artist)).toBe("Ferry Trio")
    expect(seen.moved).toEqual([])
    expect(trouble).toEqual([])
    await page.click(".play-button")
    expect(await page.textContent(".play-state")).toBe("Tap to listen")
  }), 40_000)

  it("comes back by itself after the line was cut, without a tap", () => visit({ viewport: { width: 390, height: 844 }, reducedMotion: "reduce" }, async (page, trouble) => {
    await page.click(".play-button")
    await says(page, "On air")
    await pause(1_500)
    station.cut(true)
    await says(page, "Reconnecting", 20_000)
    await pause(4_000)
    station.cut(false)
    const backMs = Date.now()
    await says(page, "On air", 10_000)
    expect(Date.now() - backMs).toBeLessThan(5_000)
    expect(station.asked.some((path) => path.startsWith("/live.mp3"))).toBe(false)
    expect(trouble).toEqual([])
  }), 40_000)

  it("takes MP3 when HLS has failed three times", () => visit({}, async (page, trouble) => {
    station.spoil(true)
    try {
      await page.click(".play-button")
      await says(page, "On air", 25_000)
      expect(station.asked.some((path) => path.startsWith("/live.mp3"))).toBe(true)
      expect(trouble).toEqual([])
    } finally {
      station.spoil(false)
    }
  }), 40_000)

  it("stands still for those who want that, and keeps within any screen", () => visit({ viewport: { width: 320, height: 568 }, reducedMotion: "reduce", colorScheme: "dark" }, async (page) => {
    station.announce(playing({ id: "three", title: "Southbound Antennas over the Reservoir past the Last Stop", startMs: Date.now(), lengthMs: 60_000 }))
    await page.waitForSelector("text=Southbound")
    // The button lies above the band, within reach, without scrolling; nothing is wider than the screen.
    const fits = () => page.evaluate(() => {
      const bottom = document.querySelector(".play-button")!.getBoundingClientRect().bottom
      return [document.documentElement.scrollWidth <= document.documentElement.clientWidth, bottom <= document.querySelector(".band")!.getBoundingClientRect().top]
    })
    expect(await fits()).toEqual([true, true])
    await page.setViewportSize({ width: 844, height: 390 })
    expect(await fits()).toEqual([true, true])
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    const contrast = await page.evaluate(() => [getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.documentElement).color])
    expect(contrast).toEqual(["rgb(11, 21, 18)", "rgb(230, 240, 232)"])
  }), 20_000)
})
