import { describe, expect, it } from "vitest"
import { introGainDb } from "../../../engine/rules/sound/limits.ts"
import {
  item,
  level,
  makeSounds,
  mixerOf,
  plan,
  play,
  rate,
  start,
  findSteepest
} from "../../support/media/MixerWorld.ts"

const { read, sound } = makeSounds()
const db = (ratio: number) => 20 * Math.log10(ratio)
/** Music in which every jump of gain is a jump of the waveform. */
const music = (sec: number) => sound(1, sec, { hz: 0, amplitude: 0.2 })
const voice = (sec: number, voiced?: (at: number) => boolean) =>
  sound(2, sec, { amplitude: 0, speech: true, ...(voiced === undefined ? {} : { voiced }) })
/** The dip in 180 ms, as the step from one sample to the next. */
const rampMax = ((0.2 * (-introGainDb / 0.18 / rate) * Math.LN10) / 20) * 1.2

describe("ducking", () => {
  it("is down before the voice begins over music, and up after it ends, without steps", () => {
    const { pcm } = play(
      mixerOf(read, item(2, start + rate, voice(4), { speech: true }), item(1, start + 3 * rate, music(10))),
      12
    )
    expect(db(level(pcm, 3.1, 4.9) / level(pcm, 7, 8))).toBeCloseTo(introGainDb, 0)
    expect(findSteepest(pcm.subarray(3.5 * rate * 2, 9 * rate * 2)).step).toBeLessThan(rampMax)
    expect(db(level(pcm, 5.2, 5.21) / level(pcm, 7, 8))).toBeGreaterThan(introGainDb + 3)
    expect(db(level(pcm, 5.46, 5.5) / level(pcm, 7, 8))).toBeCloseTo(0, 1)
  })

  it("yields to a coming voice by its first sample", () => {
    const song = sound(1, 12, { hz: 0, amplitude: 0.2, segueSec: 5 })
    const { pcm } = play(
      mixerOf(read, item(1, start + rate, song), item(2, start + 6 * rate, voice(4), { speech: true })),
      9
    )
    expect(db(level(pcm, 5.7, 5.74) / 0.2)).toBeCloseTo(0, 1)
    expect(db(level(pcm, 5.99, 5.999) / 0.2)).toBeCloseTo(introGainDb, 0)
    expect(findSteepest(pcm.subarray(2 * rate * 2, 8 * rate * 2)).step).toBeLessThan(rampMax)
  })

  it("waits for the first word if the voice begins with a breath, and stays down in its pauses", () => {
    const words = voice(6, (at) => (at >= 1 && at < 2) || (at >= 2.4 && at < 3))
    const { pcm } = play(
      mixerOf(read, item(2, start + rate, words, { speech: true }), item(1, start + 1.2 * rate, music(12))),
      9
    )
    expect(db(level(pcm, 1.6, 1.7) / 0.2)).toBeCloseTo(0, 1)
    expect(db(level(pcm, 1.99, 4.2) / 0.2)).toBeCloseTo(introGainDb, 0)
    expect(db(level(pcm, 5.1, 5.3) / 0.2)).toBeCloseTo(0, 1)
    expect(findSteepest(pcm.subarray(1.6 * rate * 2, 8 * rate * 2)).step).toBeLessThan(rampMax)
  })

  it("comes up without a jump when the voice is removed at the last moment", () => {
    const song = sound(1, 30, { hz: 0, amplitude: 0.2, segueSec: 5 })
    const mixer = mixerOf(read, item(1, start + rate, song), item(2, start + 6 * rate, voice(4), { speech: true }))
    play(mixer, 5.9)
    mixer.plan(plan(2, []))
    const { pcm } = play(mixer, 2)
    expect(findSteepest(pcm).step).toBeLessThan(rampMax)
    expect(db(level(pcm, 1, 2) / 0.2)).toBeCloseTo(0, 1)
  })

  it("counts the envelope from the sound's first sample, from any entry point", () => {
    const late = voice(6, (at) => at >= 3)
    const entered = { ...late, cue: { ...late.cue, cueIn: 2 * rate } }
    const { pcm } = play(
      mixerOf(
        read,
        item(2, start + rate, entered as typeof late, { speech: true }),
        item(1, start + 1.2 * rate, music(12))
      ),
      8
    )
    expect(db(level(pcm, 1.6, 1.7) / 0.2)).toBeCloseTo(0, 1)
    expect(db(level(pcm, 2, 4) / 0.2)).toBeCloseTo(introGainDb, 0)
  })

  it("leaves a song unchanged that begins after the voice", () => {
    const { pcm } = play(
      mixerOf(read, item(2, start + rate, voice(2), { speech: true }), item(1, start + 3 * rate, music(5))),
      5
    )
    expect(db(level(pcm, 3.01, 3.1) / 0.2)).toBeCloseTo(0, 1)
  })
})
