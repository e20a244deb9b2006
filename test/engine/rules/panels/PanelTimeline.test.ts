import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  panelIntroBedSec,
  panelOutroBedSec,
  panelStingSec,
  sameSpeakerPauseMs,
  turnPauseMs
} from "../../../../engine/rules/panels/limits.ts"
import { speechLufs } from "../../../../engine/rules/sound/limits.ts"
import { introductions, panelTimeline, pauseBefore } from "../../../../engine/rules/panels/PanelTimeline.ts"

const ms = 48
const music = fc.option(fc.record({ samples: fc.integer({ min: 4_800, max: 30 * 48_000 }) }))
const voice = {
  samples: fc.integer({ min: 480, max: 120 * 48_000 }),
  lufs: fc.double({ min: -20, max: -12, noNaN: true })
}
const panel = fc.record({
  sting: music,
  bed: music,
  intro: fc.record({ ...voice, samples: fc.integer({ min: 4_800, max: 480_000 }) }),
  turns: fc.array(fc.record({ ...voice, turnId: fc.uuid(), participantId: fc.constantFrom("a", "b", "c", "d") }), {
    minLength: 1,
    maxLength: 60
  })
})

describe("a panel's timeline", () => {
  it("plays one voice after the other, each once, in order, with a constant pause between them", () =>
    fc.assert(
      fc.property(panel, (parts) => {
        const { parts: placed, samples } = panelTimeline(parts)
        const voices = placed.filter(({ what }) => what === "intro" || what === "turn")
        expect(voices.map(({ turnId }) => turnId)).toEqual([null, ...parts.turns.map(({ turnId }) => turnId)])
        expect(voices.map(({ samples }) => samples)).toEqual([
          parts.intro.samples,
          ...parts.turns.map(({ samples }) => samples)
        ])
        for (const [index, { participantId, turnId }] of parts.turns.entries()) {
          const [before, now] = [voices[index]!, voices[index + 1]!]
          const pause = (now.atSample - before.atSample - before.samples) / ms
          if (index === 0) expect(pause).toBeGreaterThanOrEqual(turnPauseMs[0])
          else if (parts.turns[index - 1]!.participantId === participantId) expect(pause).toBe(sameSpeakerPauseMs)
          else
            expect([pause >= turnPauseMs[0] && pause <= turnPauseMs[1], pause === pauseBefore(turnId, false)]).toEqual([
              true,
              true
            ])
        }
        for (const each of placed)
          expect(each.atSample >= 0 && each.fromSample >= 0 && each.atSample + each.samples <= samples).toBe(true)
        expect(panelTimeline(parts)).toEqual({ parts: placed, samples })
      }),
      { numRuns: 60 }
    ))

  it("has music before the first turn and after the last, never under one", () =>
    fc.assert(
      fc.property(panel, (parts) => {
        const { parts: placed, samples } = panelTimeline(parts)
        const of = (wanted: string) => placed.filter(({ what }) => what === wanted)
        const [first, last] = [of("turn")[0]!, of("turn").at(-1)!]
        for (const { atSample, samples } of [...of("sting"), ...of("bed")])
          expect(atSample + samples <= first.atSample).toBe(true)
        expect([of("sting").length, of("bed").length, of("outro").length]).toEqual([
          parts.sting === null ? 0 : 1,
          parts.bed === null ? 0 : 1,
          parts.bed === null ? 0 : 1
        ])
        for (const opening of of("sting")) expect(opening.samples).toBeLessThanOrEqual(panelStingSec * 48_000)
        for (const bed of of("bed"))
          expect(bed.samples <= panelIntroBedSec * 48_000 && bed.samples <= parts.bed!.samples).toBe(true)
        for (const outro of of("outro")) {
          expect([outro.atSample > last.atSample + last.samples, outro.atSample + outro.samples]).toEqual([
            true,
            samples
          ])
          expect(
            outro.samples <= panelOutroBedSec * 48_000 && outro.fromSample + outro.samples <= parts.bed!.samples
          ).toBe(true)
        }
      }),
      { numRuns: 60 }
    ))

  it("begins and ends each part in silence or at its edge, with gains in order and all voices at one level", () =>
    fc.assert(
      fc.property(panel, (parts) => {
        for (const { gains, samples, turnId, what } of panelTimeline(parts).parts) {
          for (const [i, [at, gain]] of gains.entries())
            expect(at >= (gains[i - 1]?.[0] ?? 0) && at <= samples && gain >= 0).toBe(true)
          expect(gains.at(-1)![1]).toBe(0)
          if (what !== "turn") continue
          const { lufs } = parts.turns.find((turn) => turn.turnId === turnId)!
          expect(20 * Math.log10(Math.max(...gains.map(([, gain]) => gain))) + lufs).toBeCloseTo(speechLufs, 6)
        }
      }),
      { numRuns: 40 }
    ))

  it("keeps eight seconds of bed at the start and five at the end if the bed is long enough, and continues at the same position", () => {
    const turns = [{ turnId: "t", participantId: "a", samples: 48_000, lufs: -16 }]
    const placed = panelTimeline({
      sting: { samples: 200_000 },
      bed: { samples: 15 * 48_000 },
      intro: { samples: 5 * 48_000, lufs: -16 },
      turns
    }).parts
    expect(placed.map(({ fromSample, samples, what }) => [what, fromSample / 48_000, samples / 48_000])).toEqual([
      ["sting", 0, 3],
      ["bed", 0, 8],
      ["intro", 0, 5],
      ["turn", 0, 1],
      ["outro", 8, 5]
    ])
  })
})

describe("an introduction", () => {
  it("says title and names, in shorter forms if needed", () => {
    expect(introductions("The harbour at night.", ["Ada", "Bo", "Cleo"])).toEqual([
      "The harbour at night. With Ada, Bo and Cleo.",
      "The harbour at night. With Ada and 2 guests.",
      "The harbour at night.",
      "A panel."
    ])
    expect(introductions("Alone", ["Ada"])).toEqual(["Alone. With Ada.", "Alone.", "A panel."])
    expect(introductions("one two three four five six seven eight nine ten eleven?", ["Ada", "Bo"]).at(-3)).toBe(
      "one two three four five six seven eight nine ten. With Ada and Bo."
    )
  })
})
