import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { chromium } from "playwright-core"

/** Figures that hls.js reports during playback. */
export interface BrowserPlay {
  /** Wall time minus the date of the sound being played, in seconds. */
  readonly behindSec: ReadonlyArray<number>
  readonly latencySec: ReadonlyArray<number>
}

const candidates = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const chromiumPath = (): string | undefined => candidates.find((path) => existsSync(path))

/** hls.js in a real Chromium: plays for `sec` after `settleSec`, sampled twice a second. */
export const playInBrowser = async (
  executablePath: string,
  base: string,
  settleSec: number,
  sec: number
): Promise<BrowserPlay> => {
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--mute-audio"]
  })
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve("hls.js/dist/hls.min.js") })
    const samples = (await page.evaluate(`(async () => {
      const audio = document.body.appendChild(document.createElement("audio"))
      const hls = new Hls({ lowLatencyMode: true })
      hls.loadSource(${JSON.stringify(`${base}/live/index.m3u8`)})
      hls.attachMedia(audio)
      await new Promise((resolve) => hls.once(Hls.Events.MANIFEST_PARSED, resolve))
      await audio.play()
      await new Promise((resolve) => setTimeout(resolve, ${settleSec * 1_000}))
      const seen = []
      for (let at = 0; at < ${sec * 2}; at++) {
        await new Promise((resolve) => setTimeout(resolve, 500))
        if (hls.playingDate !== null) seen.push([(Date.now() - hls.playingDate.getTime()) / 1000, hls.latency])
      }
      hls.destroy()
      return seen
    })()`)) as ReadonlyArray<readonly [number, number]>
    return { behindSec: samples.map(([behind]) => behind), latencySec: samples.map(([, latency]) => latency) }
  } finally {
    await browser.close()
  }
}
