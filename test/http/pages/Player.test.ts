import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WordTiming } from "../../../schema/Sound.ts"
import { emergencyMark, markOfSpeech } from "../../../schema/Synthetic.ts"
import { faultsOf } from "../../support/pages/Axe.ts"
import { type PageAir, startPageAir } from "../../support/pages/PageAir.ts"
import { playingSample } from "../../../bench/instruments/data/NowPlayingSample.ts"
import {
  buildPages,
  chromiumPath,
  openBrowser,
  type PageStation,
  startPageStation
} from "../../support/pages/PageStation.ts"
import { readsBlog } from "../../support/lore/BlogPages.ts"
import { readLore } from "../../support/lore/LorePages.ts"
import { hearReplay } from "../../support/panels/ReplayPages.ts"

if (chromiumPath === null)
  console.warn("Player.test skipped: there is no chromium, chromium-browser or google-chrome on this machine.")
const toneHz = 3_000,
  toneMs = 3_500
const outageMs = 60_000
/** Ends a wait that hangs; it asserts no time. */
const waitMaxMs = 300_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
interface Moved {
  readonly node: HTMLElement | null
  readonly previousRect: DOMRect
  readonly currentRect: DOMRect
}
/**
 * Runs in the page before its scripts: records movements, texts with their times, and the audio element. Times are the element's
 * own: a busy machine delays both alike.
 */
const witness = () => {
  const seen = {
    said: [] as Array<readonly [string, number]>,
    tones: [] as Array<number>,
    mediaMs: () => NaN,
    moved: [] as Array<string>,
    titles: [] as Array<readonly [string, number]>,
    seconds: [] as Array<readonly [number, number, number]>
  }
  Object.assign(globalThis, { seen })
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries() as unknown as ReadonlyArray<{
      readonly sources: ReadonlyArray<Moved>
    }>) {
      for (const { currentRect, node, previousRect } of sources)
        seen.moved.push(
          `${node?.className ?? node?.nodeName} ${previousRect.x},${previousRect.y} to ${currentRect.x},${currentRect.y}`
        )
    }
  }).observe({ type: "layout-shift", buffered: true })
  new MutationObserver(() => {
    const title = document.querySelector("h1")?.textContent ?? ""
    if (title !== seen.titles.at(-1)?.[0]) seen.titles.push([title, seen.mediaMs()])
    const word = document.querySelector(".word-now")?.textContent?.trim() ?? ""
    if (word !== "" && word !== seen.said.at(-1)?.[0]) seen.said.push([word, seen.mediaMs()])
    const second = Number(document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow"))
    if (second !== seen.seconds.at(-1)?.[0]) seen.seconds.push([second, Date.now(), seen.mediaMs()])
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  // Analyses the page's sound beside the page: the first time that a 3 kHz tone sounds.
  const source = AudioContext.prototype.createMediaElementSource
  AudioContext.prototype.createMediaElementSource = function (audio) {
    const node = source.call(this, audio)
    seen.mediaMs = () => audio.currentTime * 1_000
    const ear = new AnalyserNode(this, { fftSize: 1_024, smoothingTimeConstant: 0 })
    node.connect(ear)
    let [sounded, quiet] = [false, 0]
    const bins = new Float32Array(ear.frequencyBinCount)
    const at = Math.round((3_000 / this.sampleRate) * ear.fftSize)
    setInterval(() => {
      ear.getFloatFrequencyData(bins)
      const sounds = bins[at]! > -30 && bins[at]! > bins[at - 8]! + 25 && bins[at]! > bins[at + 8]! + 25
      if (sounds && !sounded) seen.tones.push(seen.mediaMs())
      // A gap between two buffers doesn't end a tone.
      if (sounds || ++quiet > 50) [sounded, quiet] = [sounds, 0]
    }, 10)
    return node
  }
}
type Seen = {
  readonly said: ReadonlyArray<readonly [string, number]>
  readonly tones: ReadonlyArray<number>
  readonly moved: ReadonlyArray<string>
  readonly titles: ReadonlyArray<readonly [string, number]>
  readonly seconds: ReadonlyArray<readonly [number, number, number]>
}
const seenBy = (page: Page): Promise<Seen> => page.evaluate("globalThis.seen")
describe.skipIf(chromiumPath === null)("the player in a browser", () => {
  let browser: Browser
  let station: PageStation
  let air: PageAir
  /** Another station, whose connection is cut for a minute while the other tests run. */
  let far: {
    readonly station: PageStation
    readonly page: Page
    readonly trouble: ReadonlyArray<string>
    readonly cutAtMs: Promise<number>
  }

  beforeAll(async () => {
    const [pages, begun] = await Promise.all([buildPages(), startPageAir()])
    air = begun
    station = await startPageStation(air.url, pages)
    browser = await openBrowser()
    // A playlist is playable once it has a whole segment.
    for (
      let text = "";
      !text.includes(".m4s\n");
      text = await (await fetch(`${air.url}/live/aac128/index.m3u8`)).text()
    )
      await pause(100)
    const cut = await startPageStation(air.url, pages)
    const { page, trouble } = await open(cut, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" })
    const cutAtMs = (async () => {
      await page.click(".play-button")
      await says(page, "On air")
      await pause(1_500)
      cut.cut(true)
      const atMs = Date.now()
      await says(page, "Reconnecting")
      return atMs
    })()
    cutAtMs.catch(() => undefined)
    far = { station: cut, page, trouble, cutAtMs }
  })
  afterAll(async () => {
    await browser?.close()
    far?.station.close()
    station?.close()
    await air?.end()
  })

  const open = async (station: PageStation, options: BrowserContextOptions) => {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(waitMaxMs)
    const page = await context.newPage()
    const trouble: Array<string> = []
    page.on("pageerror", (error) => trouble.push(error.message))
    page.on(
      "console",
      (message) => /Content Security Policy|Uncaught/.test(message.text()) && trouble.push(message.text())
    )
    page.on(
      "request",
      (request) =>
        !request.url().startsWith(station.url) && !/^(blob|data):/.test(request.url()) && trouble.push(request.url())
    )
    await page.addInitScript(witness)
    await page.goto(station.url)
    return { context, page, trouble }
  }
  const visit = async (options: BrowserContextOptions, run: (page: Page, trouble: Array<string>) => Promise<void>) => {
    const { context, page, trouble } = await open(station, options)
    try {
      await run(page, trouble)
    } finally {
      await context.close()
    }
  }
  const says = (page: Page, state: string, timeout = waitMaxMs) =>
    page.waitForFunction((wanted) => document.querySelector(".play-state")?.textContent === wanted, state, {
      timeout,
      polling: 50
    })

  it(
    "plays at one tap, changes with the sound, and nothing moves on the page",
    () =>
      visit({ viewport: { width: 1280, height: 800 } }, async (page, trouble) => {
        const startMs = Date.now() - 20_000
        station.announce(playingSample({ id: "one", title: "Velvet Lighthouse", startMs, lengthMs: 200_000 }))
        await page.waitForSelector("text=Velvet Lighthouse")
        station.count(3)
        await page.waitForSelector("text=3 listening")
        expect(await page.textContent(".play-state")).toBe("Tap to listen")
        expect(station.asked.some((path) => /^\/live\/(?!wave\/)/.test(path))).toBe(false)
        await page.keyboard.press("Tab")
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to On now")
        await page.focus(".play-button")
        await page.keyboard.press("Enter")
        await says(page, "On air")
        await pause(2_500)
        // The whole seconds of the item show how far this listener is behind the station's clock.
        const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
        const behindMs = (await seenBy(page)).seconds
          .slice(-4)
          .map(([second, atMs]) => atMs - (startMs + second * 1000))
        expect(mean(behindMs)).toBeGreaterThan(300)
        const changeMs = Date.now()
        station.announce(
          playingSample({
            id: "two",
            title: "Copper Estuary on a Long Night without a Map",
            artist: "Ferry Trio",
            startMs: changeMs,
            lengthMs: 90_000
          })
        )
        expect(await page.textContent("h1")).toBe("Velvet Lighthouse")
        await page.waitForSelector("text=Copper Estuary")
        await page.waitForFunction(
          () => document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow") === "4",
          undefined,
          { polling: 50 }
        )
        const seen = await seenBy(page)
        // The seconds of the second item show where it begins in the element's time. A player that stalled earlier has another
        // offset.
        const originMs = mean(seen.seconds.slice(-3).map(([second, , mediaMs]) => mediaMs - (changeMs + second * 1000)))
        const changedMs = seen.titles.at(-1)![1] - originMs
        expect(Math.abs(changedMs - changeMs), `changed at ${changedMs}, heard at ${changeMs}`).toBeLessThanOrEqual(250)
        expect(await page.title()).toContain("Copper Estuary")
        expect(await page.evaluate(() => navigator.mediaSession.metadata?.artist)).toBe(
          "Ferry Trio (made by the station)"
        )
        expect(seen.moved).toEqual([])
        expect(trouble).toEqual([])
        await page.click(".play-button")
        expect(await page.textContent(".play-state")).toBe("Tap to listen")
      }),
    300_000
  )

  it(
    "shows the item and each word while they are heard, by the sound in the element",
    () =>
      visit({ viewport: { width: 1280, height: 800 } }, async (page, trouble) => {
        station.announce(
          playingSample({ id: "bed", title: "Nothing planned", startMs: Date.now() - 20_000, lengthMs: 200_000 })
        )
        await page.click(".play-button")
        await says(page, "On air")
        const words = ["One", "two", "three", "four."].map(
          (text, at) => new WordTiming({ text, startMs: at * 700, endMs: at * 700 + 600 })
        )
        const { itemId, startMs } = await air.tone(toneHz, toneMs / 1_000, words)
        station.announce({
          ...playingSample({ id: itemId, title: "A Tone", startMs, lengthMs: toneMs }),
          captionsUrl: `https://station.example/live/words/item/${itemId}.vtt`
        })
        await page.waitForFunction(() => document.querySelectorAll(".word-said, .word-now").length === 4, null, {
          timeout: waitMaxMs,
          polling: 50
        })
        const { said, titles, tones } = await seenBy(page)
        const mediaMs = tones[0]!
        expect(titles.at(-1)![0]).toBe("A Tone")
        expect(Math.abs(titles.at(-1)![1] - mediaMs), "title, from the first sound of it").toBeLessThanOrEqual(250)
        for (const [at, { startMs: wordMs, text }] of words.entries()) {
          const shownMs = said.find(([shown]) => shown === text)?.[1] ?? NaN
          expect(Math.abs(shownMs - mediaMs - wordMs), `${text}, word ${at}`).toBeLessThanOrEqual(250)
        }
        expect(await page.locator(".spoken").textContent()).toBe("One two three four. ")
        // After its end it can be heard again from its beginning, and then live again.
        station.announce(
          playingSample({ id: "after", title: "Afterwards", startMs: startMs + toneMs, lengthMs: 60_000 })
        )
        await page.waitForSelector("h1:text-is('Afterwards')", { timeout: waitMaxMs })
        await page.waitForFunction((fromMs) => Date.now() - fromMs > 11_000, startMs)
        const toned = (await seenBy(page)).tones.length
        await page.click("text=Hear again >> nth=0")
        await page.waitForSelector("h1:text-is('A Tone')", { timeout: waitMaxMs })
        await page.waitForFunction(
          (before) => (globalThis as unknown as { readonly seen: Seen }).seen.tones.length > before,
          toned,
          { timeout: waitMaxMs, polling: 50 }
        )
        await page.waitForFunction(
          () => document.querySelector(".play-state")?.textContent?.endsWith("behind") === true,
          null,
          { timeout: waitMaxMs, polling: 50 }
        )
        await page.click(".controls-live")
        await page.waitForSelector("h1:text-is('Afterwards')", { timeout: waitMaxMs })
        await says(page, "On air")
        expect(trouble).toEqual([])
      }),
    300_000
  )

  it(
    "has no axe findings by day, at any position of the needle",
    () =>
      visit({ viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "reduce" }, async (page) => {
        station.announce(
          playingSample({
            id: "four",
            title: "Velvet Lighthouse",
            startMs: Date.now(),
            lengthMs: 90_000,
            synthetic: markOfSpeech({ name: "eSpeak NG", trained: false }, "wren")
          })
        )
        await page.waitForSelector("text=Velvet Lighthouse")
        await page.locator(".receiver").getByText("AI voice", { exact: true }).waitFor()
        await page.getByText("AI voice. Spoken by a speech synthesizer for the AI agent @wren.").waitFor()
        const found: Array<string> = []
        const hashes = await page.$$eval(".band a", (links) => links.map((link) => link.getAttribute("href")!))
        expect(hashes.length).toBeGreaterThan(1)
        for (const hash of hashes) {
          await page.$eval(`.band a[href="${hash}"]`, (link) => (link as HTMLElement).click())
          await page.waitForSelector(`.band a[href="${hash}"][aria-current]`)
          await pause(150)
          found.push(...(await faultsOf(page)).map((fault) => `${hash}: ${fault}`))
        }
        expect(found).toEqual([])
      }),
    300_000
  )

  it(
    "opens offline from its worker's cache: the shell, never the stream or the API",
    () =>
      visit({}, async (page, trouble) => {
        await page.evaluate(async () => (await navigator.serviceWorker.ready).active)
        const keys = await page.evaluate(async () =>
          (
            await Promise.all(
              (await caches.keys()).map(async (name) =>
                (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
              )
            )
          ).flat()
        )
        expect(keys).toContain("/")
        expect(keys.filter((path) => /^\/(live|api)/.test(path))).toEqual([])
        station.cut(true)
        try {
          await page.reload()
          await page.waitForSelector(".play-button")
          expect(trouble).toEqual([])
        } finally {
          station.cut(false)
        }
      }),
    300_000
  )

  it(
    "falls back to MP3 after three failures of HLS",
    () =>
      visit({}, async (page, trouble) => {
        station.spoil(true)
        try {
          await page.click(".play-button")
          await says(page, "On air")
          expect(station.asked.some((path) => path.startsWith("/live.mp3"))).toBe(true)
          expect(trouble).toEqual([])
        } finally {
          station.spoil(false)
        }
      }),
    300_000
  )

  it(
    "respects reduced motion, and fits any screen",
    () =>
      visit({ viewport: { width: 320, height: 568 }, reducedMotion: "reduce", colorScheme: "dark" }, async (page) => {
        station.announce(
          playingSample({
            id: "three",
            title: "Southbound Antennas over the Reservoir past the Last Stop",
            startMs: Date.now(),
            lengthMs: 60_000,
            synthetic: markOfSpeech({ name: "eSpeak NG", trained: false }, "wren")
          })
        )
        await page.waitForSelector("text=Southbound")
        station.count(3)
        await page.waitForSelector("text=3 listening")
        // The button is above the band and visible without scrolling; nothing is wider than the screen.
        const fits = () =>
          page.evaluate(() => {
            const bottom = document.querySelector(".play-button")!.getBoundingClientRect().bottom
            return [
              document.documentElement.scrollWidth <= document.documentElement.clientWidth,
              bottom <= document.querySelector(".band")!.getBoundingClientRect().top
            ]
          })
        expect(await fits()).toEqual([true, true])
        // On the smallest screen too: readable without a tap and not cut off, at every place.
        for (const text of ["A radio station made by AI agents", "AI voice"]) {
          const words = page.locator(".masthead, .receiver").getByText(text, { exact: true })
          await words.waitFor()
          expect([
            text,
            await words.evaluate(
              (element) =>
                element.scrollWidth <= element.clientWidth + 1 || getComputedStyle(element).display === "inline"
            )
          ]).toEqual([text, true])
        }
        // No state of the player runs into a button, on a small laptop either, and no bar of places into the edge.
        for (const width of [320, 1024, 1100, 1200, 1217, 1280, 1345]) {
          await page.setViewportSize({ width, height: width === 320 ? 568 : 720 })
          const overlapping = await page.evaluate(() => {
            const state = document.querySelector(".play-state")!
            const was = state.textContent
            const others = [...document.querySelectorAll(".controls-time button, .controls-sound :is(button, input)")]
            return ["Tap to listen", "Reconnecting", "Unreachable", "30 s behind", "23.9 h behind"].filter((text) => {
              ;(state.firstChild as Text).data = text
              const range = document.createRange()
              range.selectNodeContents(state)
              const { bottom, left, right, top } = range.getBoundingClientRect()
              ;(state.firstChild as Text).data = was
              return others
                .map((other) => other.getBoundingClientRect())
                .some((other) => other.left < right && other.right > left && other.top < bottom && other.bottom > top)
            })
          })
          expect({ width, overlapping, fits: (await fits())[0] }).toEqual({ width, overlapping: [], fits: true })
        }
        await page.setViewportSize({ width: 320, height: 568 })
        await page.evaluate(() => location.assign("#/tune"))
        await page.waitForSelector(".station-at-place")
        await page.locator(".receiver").getByText("AI voice", { exact: true }).waitFor()
        // The longest mark, beside the button that leads back from half an hour ago.
        station.announce(
          playingSample({
            id: "strip",
            title: "Rain on the Relay",
            startMs: Date.now(),
            lengthMs: 60_000,
            synthetic: emergencyMark
          })
        )
        await page.locator(".receiver").getByText("Made by the station", { exact: true }).waitFor()
        const strip = await page.evaluate(() => {
          document.querySelector(".station-idle")!.classList.remove("station-idle")
          document.querySelector(".controls-live")!.textContent = "30 min behind · Live"
          const [mark, byline, live] = [".now-mark", ".now-byline", ".controls-live"].map((part) =>
            document.querySelector(part)!.getBoundingClientRect()
          )
          return {
            isWhole: mark!.right <= byline!.right + 1 && mark!.bottom <= byline!.bottom + 1,
            isBeside: mark!.right <= live!.left
          }
        })
        expect(strip).toEqual({ isWhole: true, isBeside: true })
        await page.evaluate(() => location.assign("#/"))
        await page.waitForSelector(".station-at-now")
        await page.setViewportSize({ width: 844, height: 390 })
        expect(await fits()).toEqual([true, true])
        expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
        const contrast = await page.evaluate(() => [
          getComputedStyle(document.documentElement).backgroundColor,
          getComputedStyle(document.documentElement).color
        ])
        expect(contrast).toEqual(["rgb(11, 21, 18)", "rgb(230, 240, 232)"])
      }),
    300_000
  )

  it(
    "replays a panel, follows its words, and seeks by tap, never during the live stream",
    () =>
      visit({ viewport: { width: 1280, height: 860 } }, async (page, trouble) => {
        await hearReplay(page, station, says)
        expect(trouble).toEqual([])
      }),
    300_000
  )

  it(
    "shows lore, blog and highlights at addresses of their own, and plays a mention from its second",
    () =>
      visit({ viewport: { width: 1280, height: 860 } }, async (page, trouble) => {
        await readLore(page, station, says)
        await readsBlog(page, station)
        expect(trouble).toEqual([])
      }),
    300_000
  )

  it(
    "returns within five seconds after a minute offline, without a tap",
    async () => {
      const { cutAtMs, page, station, trouble } = far
      await pause((await cutAtMs) + outageMs - Date.now())
      expect(await page.textContent(".play-state")).toBe("Reconnecting")
      station.cut(false)
      const backMs = Date.now()
      await says(page, "On air", 10_000)
      expect(Date.now() - backMs).toBeLessThan(5_000)
      expect(station.asked.some((path) => path.startsWith("/live.mp3"))).toBe(false)
      expect(trouble).toEqual([])
    },
    outageMs + 30_000
  )
})
