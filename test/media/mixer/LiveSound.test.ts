import { describe, expect, it } from "vitest"
import { LiveLevel } from "../../../media/chain/LiveLevel.ts"
import { cellFrames } from "../../../media/mixer/Limiter.ts"
import { LiveRing } from "../../../media/mixer/LiveRing.ts"
import { LiveSound } from "../../../media/mixer/LiveSound.ts"

const rate = 48_000
const tone = (frames: number, gain = 0.5, hertz = 440): Float32Array =>
  Float32Array.from({ length: frames * 2 }, (_, i) => gain * Math.sin((2 * Math.PI * hertz * (i >> 1)) / rate))

describe("live sound", () => {
  it("passes through the ring unchanged, and no more than fits", () => {
    const ring = new LiveRing()
    const other = new LiveRing(ring.memory)
    const sound = tone(rate * 10)
    let [sent, got] = [0, 0]
    const out = new Float32Array(cellFrames * 2)
    const heard: Array<number> = []
    while (got < rate * 9) {
      sent += ring.write(sound.subarray(sent * 2))
      while (got < rate * 9 && other.take(out)) {
        heard.push(...out)
        got += cellFrames
      }
    }
    expect(sent).toBeLessThanOrEqual(rate * 10)
    expect(heard.every((value, i) => value === sound[i])).toBe(true)
    expect(ring.write(new Float32Array(rate * 100))).toBeLessThanOrEqual(rate * 4)
    expect(ring.freeFrames).toBe(0)
    other.keep(100)
    expect(ring.frames).toBe(100)
  })

  it("begins once enough has come, fades out before it runs dry, and never jumps", () => {
    const ring = new LiveRing()
    const live = new LiveSound(ring)
    live.begin()
    const cells: Array<Float32Array> = []
    const render = (count: number) => {
      for (let n = 0; n < count; n++) {
        const cell = new Float32Array(cellFrames * 2)
        live.add(cell)
        cells.push(cell)
      }
    }
    const step = () =>
      Math.max(
        ...cells
          .flatMap((cell) => Array.from(cell.filter((_, i) => i % 2 === 0)))
          .map((value, i, all) => (i === 0 ? 0 : Math.abs(value - all[i - 1]!)))
      )
    ring.write(tone(rate * 0.05))
    render(5)
    expect(cells.every((cell) => cell.every((value) => value === 0))).toBe(true)
    ring.write(tone(rate))
    render(700)
    expect(ring.frames).toBeLessThan(cellFrames)
    // It came, went by itself, and the steepest step is that of the tone.
    expect(cells.some((cell) => cell.some((value) => Math.abs(value) > 0.4))).toBe(true)
    expect(cells.at(-1)!.every((value) => value === 0)).toBe(true)
    expect(step()).toBeLessThan(0.5 * 2 * Math.PI * (440 / rate) * 1.3)
    ring.write(tone(rate))
    live.end()
    render(40)
    expect(cells.at(-1)!.every((value) => value === 0)).toBe(true)
  })

  it("comes to the loudness of the programme, keeps its gain in pauses, and knows silence and rubbish", () => {
    const level = new LiveLevel()
    for (let n = 0; n < 300; n++) level.apply(tone(4_800, 0.05, 1_000))
    // A tone of 0.05 has −26 LUFS with both channels.
    expect(Math.abs(level.gainDb - 10)).toBeLessThan(1)
    const { gainDb } = level
    for (let n = 0; n < 50; n++) level.apply(new Float32Array(9_600))
    expect([level.gainDb, level.silentSec]).toEqual([gainDb, 5])
    const rubbish = new Float32Array(9_600).fill(Number.NaN)
    level.apply(rubbish)
    expect(rubbish.every((value) => value === 0)).toBe(true)
  })
})
