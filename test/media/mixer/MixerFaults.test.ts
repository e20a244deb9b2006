import { describe, expect, it } from "vitest"
import { bedGainDb } from "../../../engine/rules/sound/limits.ts"
import { AirItem, StalePlan } from "../../../schema/air/Air.ts"
import { emergencyMark } from "../../../schema/Synthetic.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import {
  idOf,
  item,
  joinParts,
  level,
  findLongestSilence,
  makeSounds,
  mixerOf,
  skipsOf,
  plan,
  play,
  rate,
  spans,
  start,
  startsOf,
  findSteepest
} from "../../support/media/MixerWorld.ts"

const { files, read, sound } = makeSounds()
/** The shortest fade is a millisecond: no gain changes faster. */
const stepMax = (amplitude: number) => ((amplitude * Math.PI) / 2 / 48) * 1.1
const flat = (n: number, sec: number, segueSec = sec, amplitude = 0.2) => sound(n, sec, { hz: 0, amplitude, segueSec })

describe("interrupted fades", () => {
  it("a third song that begins during a segue lets the first continue its fade", () => {
    const { pcm } = play(
      mixerOf(
        read,
        item(1, start + rate, flat(1, 10, 5)),
        item(2, start + 6 * rate, flat(2, 10)),
        item(3, start + 8 * rate, flat(3, 6))
      ),
      12
    )
    // Long fades: in their middle, no sample changes by more than at the beginning of a song.
    const { atSec, step } = findSteepest(pcm.subarray(Math.round(7.9 * rate) * 2, Math.round(8.2 * rate) * 2))
    expect([step < stepMax(0.2), atSec]).toEqual([true, atSec])
    const before = level(pcm, 7.99, 7.998)
    expect(level(pcm, 8.003, 8.01) / before).toBeCloseTo(1, 1)
  })

  it.each(["skip", "emergency"] as const)("a %s during a segue fades both songs from their present levels", (what) => {
    const mixer = mixerOf(read, item(1, start + rate, flat(1, 10, 5)), item(2, start + 6 * rate, flat(2, 10)))
    const before = play(mixer, 8.5).pcm
    if (what === "skip") mixer.plan(plan(2, [item(3, start + 90 * rate, flat(3, 6, 6, 0))], "now"))
    else mixer.emergency(true, "test")
    const pcm = joinParts([before, play(mixer, 1).pcm]).subarray(8 * rate * 2)
    // The fallback's own tone changes by 0.006 from sample to sample.
    expect(findSteepest(pcm).step).toBeLessThan(what === "skip" ? 0.002 : 0.008)
  })
})

it("a cut voice fades its bed from its present level", () => {
  const mixer = mixerOf(
    read,
    item(1, start + rate, sound(1, 10, { speech: true, amplitude: 0 }), {
      speech: true,
      bed: sound(8, 3, { hz: 0, amplitude: 0.5 })
    })
  )
  const before = play(mixer, 4).pcm
  mixer.plan(plan(2, [item(2, start, sound(2, 5, { amplitude: 0 }))], "now"))
  expect(findSteepest(joinParts([before, play(mixer, 1).pcm]).subarray(3.9 * rate * 2)).step).toBeLessThan(0.0005)
})

it("takes over in the middle of a song without additional fades", () => {
  const { pcm } = play(mixerOf(read, item(1, start - 5 * rate, flat(1, 10))), 0.5)
  expect(level(pcm, 0.01, 0.1)).toBeCloseTo(0.2, 3)
  expect(level(pcm, 0.1, 0.5)).toBeCloseTo(0.2, 3)
})

describe("the fallback", () => {
  it.each(["missing", "empty"])("is named when the next item's sound is %s at the boundary", (how) => {
    const next = sound(2, 5, { fileSec: 0, hz: 100 })
    if (how === "empty") files.set(next.path, new Int16Array(0))
    const { events, pcm } = play(
      mixerOf(
        read,
        item(1, start + rate, sound(1, 3)),
        item(2, start + 4 * rate, next),
        item(3, start + 20 * rate, sound(3, 3))
      ),
      26
    )
    expect(
      startsOf(events).map(({ atSample, itemId, label }) => [itemId, label.title, (atSample - start) / rate])
    ).toEqual([
      [null, "Longwave", 0],
      [idOf(1), "Item 1", 1],
      [null, "Longwave", 4],
      [idOf(3), "Item 3", 20],
      [null, "Longwave", 23]
    ])
    expect(
      spans(events).map(({ complete, firstSample, itemId, lastSample }) => [
        itemId,
        (firstSample - start) / rate,
        Math.round(((lastSample + 1 - start) / rate) * 50) / 50,
        complete
      ])
    ).toEqual([
      [null, 0, 1.5, false],
      [idOf(1), 1, 4, true],
      [null, 4, 20.5, false],
      [idOf(3), 20, 23, true]
    ])
    expect(skipsOf(events)).toMatchObject([{ itemId: idOf(2) }])
    expect(findLongestSilence(pcm).sec).toBeLessThan(0.2)
  })

  it("starts at once if a pause was planned before an unreadable sound", () => {
    const { events, pcm } = play(
      mixerOf(read, item(1, start + rate, sound(1, 3)), item(2, start + 4.45 * rate, sound(2, 5, { fileSec: 0 }))),
      8
    )
    expect(findLongestSilence(pcm).sec).toBeLessThan(0.2)
    expect(spans(events).map(({ itemId, lastSample }) => [itemId, lastSample + 1 - start])).toContainEqual([
      idOf(1),
      4 * rate
    ])
  })

  it("respects an intended pause", () => {
    const { events, pcm } = play(
      mixerOf(read, item(1, start + rate, sound(1, 3)), item(2, start + 4.4 * rate, sound(2, 3))),
      8
    )
    expect(findLongestSilence(pcm).sec).toBeCloseTo(0.4, 2)
    expect(startsOf(events).map(({ itemId }) => itemId)).toEqual([null, idOf(1), idOf(2), null])
    expect(
      spans(events)
        .filter(({ itemId, label }) => itemId !== null || label.title === "Pause")
        .map(({ complete, firstSample, itemId, lastSample }) => [
          itemId,
          firstSample - start,
          lastSample + 1 - start,
          complete
        ])
    ).toEqual([
      [idOf(1), rate, 4 * rate, true],
      [null, 4 * rate, Math.round(4.4 * rate), true],
      [idOf(2), Math.round(4.4 * rate), Math.round(7.4 * rate), true]
    ])
  })

  it("is named when a longer voice ends over a short item", () => {
    const { events } = play(
      mixerOf(
        read,
        item(1, start + rate, sound(1, 6, { speech: true }), { speech: true }),
        item(2, start + 2 * rate, sound(2, 2))
      ),
      10
    )
    expect(startsOf(events).map(({ atSample, itemId }) => [itemId, (atSample - start) / rate])).toEqual([
      [null, 0],
      [idOf(1), 1],
      [idOf(2), 2],
      [null, 7]
    ])
    checkAccounted(spans(events))
    // In the order of their ends; the first row owns the samples before it.
    expect(
      spans(events)
        .filter(({ itemId }) => itemId !== null)
        .map(({ complete, firstSample, itemId, lastSample, stillSoundingFromSample }) => [
          itemId,
          (firstSample - start) / rate,
          (lastSample + 1 - start) / rate,
          complete,
          stillSoundingFromSample
        ])
    ).toEqual([
      [idOf(2), 2, 4, true, start + rate],
      [idOf(1), 1, 7, true, undefined]
    ])
  })

  it("gives way to an emergency, and returns after it", () => {
    const mixer = mixerOf(read)
    const before = play(mixer, 2).events
    mixer.disclose("Sirens, by a program.")
    mixer.emergency(true, "the studio burns")
    const during = play(mixer, 2).events
    // What is on the air keeps its mark.
    mixer.disclose("Calls, by a program.")
    mixer.emergency(false, "it is out")
    const after = play(mixer, 1).events
    mixer.plan(plan(2, [item(1, start, sound(1, 3))], "now"))
    const events = [...before, ...during, ...after, ...play(mixer, 1).events]
    expect(startsOf(events).map(({ itemId, label }) => [itemId, label.title, label.kind])).toEqual([
      [null, "Longwave", "filler"],
      [null, "Emergency programme", "other"],
      [null, "Longwave", "filler"],
      [idOf(1), "Item 1", "music"]
    ])
    expect(startsOf(events).map(({ label }) => label.synthetic?.disclosure)).toEqual([
      emergencyMark.disclosure,
      "Sirens, by a program.",
      "Calls, by a program.",
      undefined
    ])
    const log = spans(events)
    expect(log.slice(0, 2).map(({ label, trace }) => [label.title, trace])).toEqual([
      ["Longwave", ["fallback: nothing planned that could be read"]],
      ["Emergency programme", ["emergency: the studio burns"]]
    ])
    // The fallback fades out under the next item.
    expect((checkAccounted(log) - startsOf(events).at(-1)!.atSample) / rate).toBeCloseTo(0.5, 2)
  })

  it("gives an emergency over an item its first sample, and the next item its own", () => {
    const mixer = mixerOf(read, item(1, start + rate, sound(1, 60)))
    play(mixer, 5)
    const [changed] = mixer.emergency(true, "test")
    const during = play(mixer, 3).events
    mixer.emergency(false, "test")
    mixer.plan(plan(2, [item(2, start, sound(2, 4))], "now"))
    const after = play(mixer, 3).events
    expect(startsOf(during)).toMatchObject([
      { itemId: null, label: { title: "Emergency programme" }, atSample: (changed as { atSample: number }).atSample }
    ])
    // No silence between the emergency and the next item.
    expect(startsOf(after).map(({ itemId }) => itemId)).toEqual([idOf(2)])
    expect(spans(after)).toMatchObject([{ itemId: null, trace: ["emergency: test"] }])
    expect((spans(after)[0]!.lastSample + 1 - startsOf(after)[0]!.atSample) / rate).toBeCloseTo(0.5, 2)
  })

  it("starts under a plan that ends everything and begins nothing", () => {
    const mixer = mixerOf(read, item(1, start + rate, sound(1, 60)))
    play(mixer, 5)
    mixer.plan(plan(2, [], "now"))
    const { events, pcm } = play(mixer, 3)
    expect(findLongestSilence(pcm).sec).toBeLessThan(0.02)
    expect(spans(events)).toMatchObject([
      { itemId: idOf(1), complete: false, lastSample: startsOf(events)[0]!.atSample + 0.08 * rate - 1 }
    ])
    expect(startsOf(events)).toMatchObject([{ itemId: null }])
  })
})

describe("sounds that break off", () => {
  it("fade, are never complete, and the fallback follows", () => {
    const short = sound(1, 10, { fileSec: 3.00123, hz: 0, amplitude: 0.2 })
    const { events, pcm } = play(
      mixerOf(read, item(1, start + rate, short), item(2, start + 20 * rate, sound(2, 2))),
      24
    )
    expect(findSteepest(pcm.subarray(Math.round(1.5 * rate) * 2, 5 * rate * 2)).step).toBeLessThan(stepMax(0.2))
    expect(spans(events).find(({ itemId }) => itemId === idOf(1))).toMatchObject({ complete: false })
    expect(skipsOf(events)).toMatchObject([{ itemId: idOf(1) }])
    expect(findLongestSilence(pcm).sec).toBeLessThan(0.2)
  })

  it("are incomplete even if the next begins right after", () => {
    const { events } = play(
      mixerOf(read, item(1, start + rate, sound(1, 3, { fileSec: 2.9 })), item(2, start + 4 * rate, sound(2, 2))),
      8
    )
    expect(spans(events).find(({ itemId }) => itemId === idOf(1))).toMatchObject({ complete: false })
  })

  it("report nothing more after a skip when their file is gone", () => {
    const gone = sound(1, 60, { amplitude: 0.21 })
    const mixer = mixerOf(read, item(1, start + rate, gone))
    play(mixer, 3)
    mixer.plan(plan(2, [item(2, start, sound(2, 5))], "now"))
    files.delete(gone.path)
    expect(skipsOf(play(mixer, 2).events)).toEqual([])
  })

  it("are named in the trace if they are a bed, unreadable or broken off", () => {
    const voice = sound(1, 3, { speech: true })
    const { events, pcm } = play(
      mixerOf(
        read,
        item(1, start + rate, voice, { speech: true, bed: sound(8, 5, { fileSec: 0 }) }),
        item(2, start + 4 * rate, sound(2, 3, { speech: true, amplitude: 0 }), {
          speech: true,
          bed: sound(9, 5, { fileSec: 1.5, hz: 0, amplitude: 0.5 })
        })
      ),
      9
    )
    const traces = spans(events)
      .filter(({ itemId }) => itemId !== null)
      .map(({ layers, trace }) => [trace.at(-1), layers.some(({ layer }) => layer === "bed")])
    expect(traces).toEqual([
      ["bed: can't be read, left out", false],
      ["bed: broke off, left out from there on", true]
    ])
    expect(findSteepest(pcm.subarray(4.5 * rate * 2, 6.5 * rate * 2)).step).toBeLessThan(0.002)
  })
})

it("are named in the row of a voice whose bed breaks off over the next item, in any blocks", () => {
  const voice = item(1, start + rate, sound(1, 4, { speech: true }), {
    speech: true,
    bed: sound(9, 5, { fileSec: 1.5 })
  })
  const traces = [480, 48_000].map((block) =>
    spans(play(mixerOf(read, voice, item(2, start + 2 * rate, sound(2, 4))), 8, block).events).map(({ trace }) => trace)
  )
  expect(traces[0]!.at(1)).toEqual(["test", "bed: broke off, left out from there on"])
  expect(traces[1]).toEqual(traces[0])
})

describe("reported layers", () => {
  it("include the bed's gain and the emergency sound's", () => {
    const voice = sound(1, 3, { speech: true, gainDb: -2 })
    const mixer = mixerOf(read, item(1, start + rate, voice, { speech: true, bed: sound(8, 5, { gainDb: -3 }) }))
    mixer.emergencyLibrary([sound(7, 25, { gainDb: -4 })])
    const layers = spans([...play(mixer, 6).events, ...mixer.emergency(true, "x"), ...play(mixer, 1).events]).flatMap(
      (span) => span.layers
    )
    expect(layers.find(({ layer }) => layer === "programme")?.gainDb).toBe(-2)
    expect(layers.find(({ layer }) => layer === "bed")?.gainDb).toBe(-3 + bedGainDb)
    expect(layers.find(({ layer }) => layer === "emergency")?.gainDb).toBe(-4)
  })

  it("stay within their stretch", () => {
    const { events } = play(
      mixerOf(
        read,
        item(1, start + rate + 77, sound(1, 6, { segueSec: 4 })),
        item(2, start + 5 * rate + 33, sound(2, 3))
      ),
      10
    )
    for (const { firstSample, lastSample, layers } of spans(events)) {
      expect(
        layers.every(
          (layer) =>
            layer.firstSample >= firstSample && layer.lastSample <= lastSample && layer.firstSample <= layer.lastSample
        )
      ).toBe(true)
      expect(Math.min(...layers.map((layer) => layer.firstSample))).toBe(firstSample)
    }
  })
})

describe("colliding plans", () => {
  it("begin two items of one start one after the other", () => {
    const { events } = play(mixerOf(read, item(1, start + rate, sound(1, 3)), item(2, start + rate, sound(2, 3))), 6)
    expect(startsOf(events).map(({ itemId }) => itemId)).toEqual([null, idOf(1), idOf(2), null])
    const log = spans(events)
    checkAccounted(log)
    expect(log.map(({ itemId }) => itemId)).toEqual([null, idOf(1), idOf(2)])
    expect(log[2]!.trace).toContain("moved: another item begins at that sample")
  })

  it("name a moved voice in the trace, also within a cell", () => {
    const voices = [
      item(1, start + rate, sound(1, 3 + 60 / rate, { speech: true }), { speech: true }),
      item(2, start + 4 * rate + 10, sound(2, 3, { speech: true }), { speech: true })
    ]
    const { events } = play(mixerOf(read, ...voices), 9)
    expect(spans(events).find(({ itemId }) => itemId === idOf(2))).toMatchObject({
      firstSample: start + 4 * rate + 60,
      trace: ["test", "moved: another voice was speaking"]
    })
  })

  it("are answered like the first time when repeated, and change nothing", () => {
    const mixer = mixerOf(read, item(1, start + rate, sound(1, 60)))
    play(mixer, 5)
    const again = plan(2, [item(2, start, sound(2, 3)), item(3, start + 3 * rate, sound(3, 3))], "now")
    const first = mixer.plan(again)
    const events = [...play(mixer, 0.5).events]
    expect(mixer.plan(again)).toEqual(first)
    expect(first).not.toBeInstanceOf(StalePlan)
    events.push(...play(mixer, 7).events)
    expect(spans(events).map(({ complete, itemId }) => [itemId, complete])).toEqual([
      [idOf(1), false],
      [idOf(2), true],
      [idOf(3), true]
    ])
    expect(startsOf(events).map(({ itemId }) => itemId)).toEqual([idOf(2), idOf(3), null])
  })

  it("report nothing of a begun item that a later plan still has", () => {
    const items = [item(1, start + rate, sound(1, 2)), item(2, start + 3 * rate, sound(2, 2))]
    const mixer = mixerOf(read, ...items)
    const events = [...play(mixer, 3.5).events]
    mixer.plan(plan(2, items))
    events.push(...play(mixer, 3).events)
    expect(skipsOf(events)).toEqual([])
    expect(startsOf(events).map(({ itemId }) => itemId)).toEqual([null, idOf(1), idOf(2), null])
  })

  it("take over in the middle of a segue", () => {
    const mixer = new Mixer({ startSample: start + 7 * rate, read, stationName: "Longwave" })
    mixer.plan(plan(1, [item(1, start + rate, flat(1, 10, 5)), item(2, start + 6 * rate, flat(2, 10))]))
    const whole = play(
      mixerOf(read, item(1, start + rate, flat(1, 10, 5)), item(2, start + 6 * rate, flat(2, 10))),
      9
    ).pcm
    expect(level(play(mixer, 1).pcm, 0.6, 0.9)).toBeCloseTo(level(whole, 7.6, 7.9), 3)
  })
})

describe("joins", () => {
  it("don't click where a sound begins or ends at full level", () => {
    const { pcm } = play(mixerOf(read, item(1, start + rate, flat(1, 3)), item(2, start + 4.2 * rate, flat(2, 3))), 7)
    expect(findSteepest(pcm.subarray(rate, 6.9 * rate * 2)).step).toBeLessThan(stepMax(0.2))
  })

  it("loop a bed without a click", () => {
    const bed = sound(9, 1.3371, { hz: 97.3, amplitude: 0.9 })
    const { pcm } = play(
      mixerOf(
        read,
        item(1, start, new AirItem(item(1, 0, sound(1, 6, { speech: true, amplitude: 0 }))).sound, {
          speech: true,
          bed
        })
      ),
      5.5
    )
    // Its own steepest step, 20 dB down.
    expect(findSteepest(pcm.subarray(rate * 2)).step).toBeLessThan(((0.09 * 2 * Math.PI * 97.3) / rate) * 1.1)
    expect(level(pcm, 1.3, 1.35) / level(pcm, 2, 2.1)).toBeGreaterThan(0.6)
  })
})
