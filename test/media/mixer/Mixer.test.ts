import { describe, expect, it } from "vitest"
import { musicLufs, speechLufs } from "../../../engine/rules/sound/limits.ts"
import { type AirItem, AirPlan, StagedSound, StalePlan } from "../../../schema/air/Air.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import {
  hash,
  item,
  level,
  makeSounds,
  mixerOf,
  plan,
  play,
  rate,
  spans,
  start,
  ulid
} from "../../support/media/MixerWorld.ts"

const { read: reader, sound } = makeSounds()
const mixerWith = (...items: ReadonlyArray<AirItem>) => mixerOf(reader, ...items)

describe("Mixer", () => {
  it("is never silent, even with nothing to play", () => {
    const { pcm } = play(new Mixer({ startSample: start, read: reader, stationName: "Longwave" }), 20)
    for (let sec = 0; sec < 19; sec += 0.2) expect(level(pcm, sec, sec + 0.2)).toBeGreaterThan(0.01)
  })

  it("begins an item at its sample and reports it", () => {
    const at = start + 12_345
    const { events } = play(mixerWith(item(1, at, sound(1, 2))), 4)
    expect(events.find((event) => event._tag === "Started" && event.itemId === `itm_${ulid(1)}`)).toMatchObject({
      atSample: at,
      endSample: at + 2 * rate
    })
    const span = spans(events).find(({ itemId }) => itemId === `itm_${ulid(1)}`)!
    expect([span.firstSample, span.lastSample, span.complete]).toEqual([at, at + 2 * rate - 1, true])
  })

  it("renders the same samples again, in any blocks", () => {
    const items = [
      item(1, start + 1_000, sound(1, 3)),
      item(2, start + 1_000 + 2 * rate, sound(2, 3)),
      item(3, start + 6 * rate, sound(3, 2, { speech: true }), { speech: true, bed: sound(4, 1) })
    ]
    const hashes = [4_800, 480, 1_024, 7, 31_337].map((block) => hash(play(mixerWith(...items), 10, block).pcm))
    expect(new Set(hashes).size).toBe(1)
  })

  it("crosses two songs with constant power", () => {
    const { pcm } = play(
      mixerWith(item(1, start + rate, sound(1, 6, { segueSec: 4 })), item(2, start + 5 * rate, sound(2, 6))),
      12
    )
    const alone = level(pcm, 3, 4)
    for (let sec = 5.2; sec < 6.8; sec += 0.2) expect(level(pcm, sec, sec + 0.2) / alone).toBeCloseTo(1, 0.9)
  })

  it("holds a bed 20 dB under the voice, each at its loudness, and ends it with the voice", () => {
    const bed = sound(9, 2, { amplitude: 0.25 })
    const loud = play(
      mixerWith(item(1, start + rate, sound(1, 4, { amplitude: 0, speech: true }), { speech: true, bed })),
      8
    ).pcm
    expect(20 * Math.log10(level(loud, 2.5, 4) / (0.25 / Math.SQRT2)) + musicLufs - speechLufs).toBeCloseTo(-20, 0)
  })

  it("ducks a song's intro under a voice that still speaks", () => {
    const { events, pcm } = play(
      mixerWith(
        item(1, start + rate, sound(1, 4, { amplitude: 0, speech: true }), { speech: true }),
        item(2, start + 3 * rate, sound(2, 8))
      ),
      11
    )
    expect(spans(events)).toContainEqual(expect.objectContaining({ itemId: `itm_${ulid(1)}`, complete: true }))
    expect(20 * Math.log10(level(pcm, 3.5, 4.5) / level(pcm, 8, 9))).toBeLessThan(-12)
  })

  it("lets no two voices overlap", () => {
    const { events } = play(
      mixerWith(
        item(1, start + rate, sound(1, 3, { speech: true }), { speech: true }),
        item(2, start + 2 * rate, sound(2, 3, { speech: true }), { speech: true })
      ),
      9
    )
    const [first, second] = spans(events).filter(({ itemId }) => itemId !== null)
    expect(second!.firstSample).toBeGreaterThan(first!.lastSample)
    expect(second!.trace).toContain("moved: another voice was speaking")
  })

  it("stays under −1 dBTP when everything is loud at once, and never outputs NaN", () => {
    const { pcm } = play(
      mixerWith(
        item(1, start + rate, sound(1, 5, { amplitude: 0.99 })),
        item(2, start + 2 * rate, sound(2, 5, { amplitude: 0.99, speech: true }), { speech: true })
      ),
      8
    )
    expect(pcm.every(Number.isFinite)).toBe(true)
    // Between samples, a tone never exceeds its amplitude: four points per sample show it.
    let peak = 0
    for (let frame = 8; frame < pcm.length / 2 - 8; frame++) {
      for (const shift of [0, 0.25, 0.5, 0.75]) {
        let sum = 0
        for (let tap = -7; tap <= 8; tap++) {
          const x = tap - shift
          sum +=
            pcm[(frame + tap) * 2]! *
            (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) *
            (0.5 + 0.5 * Math.cos((Math.PI * x) / 9))
        }
        peak = Math.max(peak, Math.abs(sum))
      }
    }
    expect(20 * Math.log10(peak)).toBeLessThanOrEqual(-1)
  })

  it("inserts at once: the old item fades, the new begins, everything moves by the same", () => {
    const mixer = mixerWith(item(1, start + rate, sound(1, 30)))
    play(mixer, 5)
    const applied = mixer.plan(
      plan(2, [item(2, start + 100 * rate, sound(2, 3)), item(3, start + 103 * rate, sound(3, 3))], "now")
    )
    if (applied instanceof StalePlan) throw new Error("stale")
    expect(applied.renderedTo - mixer.renderedTo).toBeLessThan(rate * 0.1)
    const { events } = play(mixer, 8)
    expect(spans(events).map(({ complete, itemId }) => [itemId?.slice(-1) ?? null, complete])).toEqual([
      ["1", false],
      ["2", true],
      ["3", true]
    ])
    expect(events.find((event) => event._tag === "Started" && event.itemId === `itm_${ulid(2)}`)).toMatchObject({
      atSample: start + 100 * rate + applied.shiftSamples
    })
  })

  it("cuts nothing that began by itself just before it was to begin at once, and lets the others follow it", () => {
    const [song, voice, next] = [
      item(1, start, sound(1, 20, { segueSec: 2 })),
      item(2, start + 2 * rate, sound(2, 6, { speech: true }), { speech: true }),
      item(3, start + 8 * rate, sound(3, 6))
    ]
    const mixer = mixerWith(song, voice, next)
    const before = play(mixer, 2.3)
    // Made when the voice had not begun yet: it should begin at another sample, and the next item after it.
    const lateBy = rate / 10
    const applied = mixer.plan(
      plan(
        2,
        [
          item(2, voice.startSample + lateBy, voice.sound, { speech: true }),
          item(3, next.startSample + lateBy, next.sound)
        ],
        "now"
      )
    )
    expect(applied).toMatchObject({ shiftSamples: -lateBy })
    const { events } = play(mixer, 14)
    expect(spans([...before.events, ...events]).filter(({ itemId }) => itemId !== null)).toMatchObject([
      { itemId: song.itemId, complete: false },
      { itemId: voice.itemId, complete: true, lastSample: voice.startSample + 6 * rate - 1 },
      { itemId: next.itemId, complete: true, firstSample: next.startSample }
    ])
  })

  it("refuses plans of an older incarnation", () => {
    const mixer = mixerWith()
    mixer.plan(new AirPlan({ fence: 5, revision: 3, entry: "boundary", items: [] }))
    expect(mixer.plan(new AirPlan({ fence: 4, revision: 9, entry: "boundary", items: [] }))).toBeInstanceOf(StalePlan)
    expect(mixer.plan(new AirPlan({ fence: 5, revision: 2, entry: "boundary", items: [] }))).toBeInstanceOf(StalePlan)
    expect(mixer.plan(new AirPlan({ fence: 6, revision: 0, entry: "boundary", items: [] }))).toMatchObject({
      revision: 0
    })
  })

  it("starts the emergency programme within half a second and ends it again", () => {
    const mixer = mixerWith(item(1, start + rate, sound(1, 60)))
    play(mixer, 5)
    expect(mixer.emergency(true, "test")).toMatchObject([{ _tag: "EmergencyChanged", on: true }])
    const { events, pcm } = play(mixer, 5)
    expect(level(pcm, 0.5, 4)).toBeGreaterThan(0.01)
    expect(spans(events)[0]).toMatchObject({ itemId: `itm_${ulid(1)}`, complete: false })
    expect(mixer.emergency(false, "test")).toMatchObject([{ _tag: "EmergencyChanged", on: false }])
    expect(mixer.emergency(false, "again")).toEqual([])
  })

  it("skips unreadable sounds, and continues after one that ends too soon, without a gap", () => {
    const broken = new StagedSound({ ...sound(1, 3), path: "/nowhere" })
    const short = new StagedSound({
      ...sound(2, 3),
      cue: new CuePoints({ cueIn: 0, introEnd: 0, segue: 6 * rate, cueOut: 6 * rate })
    })
    const { events, pcm } = play(mixerWith(item(1, start + rate, broken), item(2, start + 4 * rate, short)), 14)
    expect(events.filter(({ _tag }) => _tag === "Skipped")).toHaveLength(2)
    for (let sec = 0; sec < 13; sec += 0.3) expect(level(pcm, sec, sec + 0.3)).toBeGreaterThan(0.005)
  })

  it("plays the emergency library without a plan", () => {
    const mixer = mixerWith()
    mixer.emergencyLibrary([sound(7, 25)])
    const { events, pcm } = play(mixer, 70)
    expect(spans(events)[0]!.layers.some(({ layer }) => layer === "emergency")).toBe(true)
    for (let sec = 0; sec < 69; sec += 1) expect(level(pcm, sec, sec + 1)).toBeGreaterThan(0.01)
  })

  it("reports an item that came too late instead of beginning it late", () => {
    const mixer = mixerWith()
    play(mixer, 0.001)
    mixer.plan(plan(2, [item(1, start - 48, sound(1, 1)), item(2, start + rate, sound(2, 1))]))
    const { events } = play(mixer, 3)
    expect(events.filter(({ _tag }) => _tag === "Skipped")).toMatchObject([{ itemId: `itm_${ulid(1)}` }])
    expect(spans(events).find(({ itemId }) => itemId === `itm_${ulid(2)}`)?.firstSample).toBe(start + rate)
  })

  it("continues in the middle of the previous chain's item", () => {
    const mixer = new Mixer({ startSample: start + 2 * rate, read: reader, stationName: "Longwave" })
    mixer.plan(plan(1, [item(1, start, sound(1, 5))]))
    const span = spans(play(mixer, 5).events).find(({ itemId }) => itemId === `itm_${ulid(1)}`)
    expect(span).toMatchObject({ firstSample: start + 2 * rate, lastSample: start + 5 * rate - 1 })
  })
})
