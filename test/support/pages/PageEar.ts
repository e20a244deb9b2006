import { execFileSync } from "node:child_process"
import type { Page } from "playwright-core"
import { find } from "../../../bench/instruments/ears/Correlate.ts"
import { bundledFfmpeg } from "../media/Sound.ts"

/** The recorder's interface in the page. Times are seconds of its audio context. */
interface Ear {
  readonly rateHz: () => number
  /** Times of all clicks so far. */
  readonly clicksSec: ReadonlyArray<number>
  /** Start of the sound of the source that was last opened after an instant; null until this much of it is recorded. */
  readonly findBegunSec: (afterSec: number, lengthSec: number) => number | null
  readonly sound: (fromSec: number, lengthSec: number) => ReadonlyArray<number> | null
}

declare const ear: Ear

/** Runs in the page before its scripts: records every output sample of the audio element. */
const recorder = () => {
  const pauseSec = 0.02
  const blockFrames = 4_096
  /** By the context's own count: samples that it left out are silence. */
  const blocks: Array<Float32Array | undefined> = []
  const clicksSec: Array<number> = []
  let context: AudioContext | null = null
  let emptiedSec = 0
  const rateHz = () => context?.sampleRate ?? 0
  const end = () => blocks.length * blockFrames
  const sampleAt = (at: number) => blocks[Math.floor(at / blockFrames)]?.[at % blockFrames] ?? 0
  const sound = (fromSec: number, lengthSec: number) => {
    const from = Math.round(fromSec * rateHz())
    const count = Math.round(lengthSec * rateHz())
    return from + count > end() ? null : Array.from({ length: count }, (_, at) => sampleAt(from + at))
  }
  const findBegunSec = (afterSec: number, lengthSec: number) => {
    if (emptiedSec < afterSec) return null
    let silent = 0
    for (let at = Math.round(emptiedSec * rateHz()); at < end() - lengthSec * rateHz(); at++) {
      if (sampleAt(at) === 0) silent += 1
      else if (silent < pauseSec * rateHz()) silent = 0
      else return at / rateHz()
    }
    return null
  }
  Object.assign(globalThis, { ear: { rateHz, clicksSec, findBegunSec, sound } })
  addEventListener("click", () => (context === null ? undefined : clicksSec.push(context.currentTime)), {
    capture: true
  })
  const worklet = `registerProcessor("ear", class extends AudioWorkletProcessor {
    block = new Float32Array(${blockFrames})
    process([[sound]]) {
      const at = currentFrame % ${blockFrames}
      if (sound !== undefined) this.block.set(sound, at)
      if (at + 128 < ${blockFrames}) return true
      this.port.postMessage({ number: Math.floor(currentFrame / ${blockFrames}), block: this.block })
      this.block.fill(0)
      return true
    }
  })`
  const source = AudioContext.prototype.createMediaElementSource
  AudioContext.prototype.createMediaElementSource = function (audio) {
    const node = source.call(this, audio)
    audio.addEventListener("emptied", () => {
      emptiedSec = this.currentTime
    })
    // A live stream that catches up is played faster, which changes every sample.
    Object.defineProperty(audio, "playbackRate", { get: () => 1, set: () => {} })
    void this.audioWorklet.addModule(URL.createObjectURL(new Blob([worklet], { type: "text/javascript" }))).then(() => {
      const tap = new AudioWorkletNode(this, "ear")
      context = tap.context as AudioContext
      tap.port.addEventListener(
        "message",
        ({ data: { block, number } }: MessageEvent<{ readonly block: Float32Array; readonly number: number }>) => {
          blocks[number] = block
        }
      )
      tap.port.start()
      node.connect(tap).connect(this.destination)
    })
    return node
  }
}

/** Silence before each known sound, so that a piece that begins before it is found. */
const paddingSec = 0.2

export interface Located {
  readonly title: string
  /** Seconds from the first sample of that sound. */
  readonly sec: number
  readonly correlation: number
}

/** Finds the known sound, and its position, that a page plays, from the page's output samples. */
export class PageEar {
  readonly #page: Page
  readonly #files: ReadonlyMap<string, string>
  readonly #sounds = new Map<string, Float32Array>()

  private constructor(page: Page, files: ReadonlyMap<string, string>) {
    this.#page = page
    this.#files = files
  }

  /** `files`: the sounds by title. Call it before the page is opened; its context must have `bypassCSP`. */
  static async attach(page: Page, files: ReadonlyMap<string, string>): Promise<PageEar> {
    await page.addInitScript(recorder)
    return new PageEar(page, files)
  }

  /** The sound of this length that ends at the last click. */
  async soundBeforeClick(lengthSec: number): Promise<Located> {
    return this.#locate((await this.#lastClickSec()) - lengthSec, lengthSec)
  }

  /** The first sound of the source that the last click opened. */
  async soundAfterClick(lengthSec: number): Promise<Located> {
    const clickSec = await this.#lastClickSec()
    const begun = await this.#page.waitForFunction(
      ([click, length]) => {
        const sec = ear.findBegunSec(click!, length!)
        return sec === null ? null : { sec }
      },
      [clickSec, lengthSec] as const,
      { polling: 50 }
    )
    return this.#locate((await begun.jsonValue())!.sec, lengthSec)
  }

  #lastClickSec(): Promise<number> {
    return this.#page.evaluate(() => ear.clicksSec.at(-1)!)
  }

  async #locate(fromSec: number, lengthSec: number): Promise<Located> {
    const heard = await this.#page.waitForFunction(
      ([from, length]) => ear.sound(from!, length!),
      [fromSec, lengthSec] as const,
      { polling: 50 }
    )
    const needle = Float32Array.from((await heard.jsonValue())!)
    const rateHz = await this.#page.evaluate(() => ear.rateHz())
    const found = [...this.#files].map(([title, file]): Located => {
      const { correlation, offsetSamples } = find(needle, this.#sound(title, file, rateHz))
      return { title, sec: offsetSamples / rateHz - paddingSec, correlation }
    })
    return found.reduce((best, other) => (other.correlation > best.correlation ? other : best))
  }

  #sound(title: string, file: string, rateHz: number): Float32Array {
    const known = this.#sounds.get(title)
    if (known !== undefined) return known
    const bytes = execFileSync(
      bundledFfmpeg,
      ["-v", "error", "-i", file, "-ac", "1", "-ar", String(rateHz), "-f", "f32le", "-"],
      { maxBuffer: 1 << 28 }
    )
    const padding = Math.round(paddingSec * rateHz)
    const sound = new Float32Array(padding + bytes.length / 4)
    sound.set(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), padding)
    this.#sounds.set(title, sound)
    return sound
  }
}
