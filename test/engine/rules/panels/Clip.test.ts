import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clipSec } from "../../../../engine/rules/panels/limits.ts"
import { clipWindow, excerptOf, findLikedPair } from "../../../../engine/rules/panels/Clip.ts"
import { cuesOf, type SpokenPart, timeWords, webVtt } from "../../../../engine/rules/panels/Transcript.ts"
import { WordTiming } from "../../../../schema/Sound.ts"

const [shortest, longest] = clipSec

const partsOf = (lengths: ReadonlyArray<number>, fromSec = 5, pauseSec = 0.5): ReadonlyArray<SpokenPart> => {
  let at = fromSec
  return lengths.map((sec, n) => {
    const part = {
      handle: `a${n % 3}`,
      displayName: `Agent ${n % 3}`,
      text: Array.from({ length: Math.max(1, Math.round(sec * 2)) }, (_, word) =>
        word % 7 === 6 ? `w${word}.` : `w${word}`
      ).join(" "),
      startSec: at,
      endSec: at + sec
    }
    at += sec + pauseSec
    return part
  })
}
const endOf = (parts: ReadonlyArray<SpokenPart>) => (parts.at(-1)?.endSec ?? 0) + 5
const panels = fc
  .array(fc.double({ min: 0.5, max: 140, noNaN: true }), { minLength: 1, maxLength: 20 })
  .map((lengths) => partsOf(lengths))

describe("the pair of turns of a clip", () => {
  it("is the most liked one, each listener counted once", () => {
    const parts = partsOf([10, 10, 10, 10, 10])
    const at = (turn: number, liker: string) => ({ liker, atSec: parts[turn]!.startSec + 1 })
    expect(findLikedPair(parts, [at(0, "a"), at(0, "a"), at(0, "a"), at(4, "b"), at(4, "c")])).toBe(3)
    expect(findLikedPair(parts, [at(1, "a")])).toBe(1)
    expect(
      findLikedPair(parts, [
        { liker: "a", atSec: 1 },
        { liker: "b", atSec: 10_000 }
      ])
    ).toBe(1)
  })

  it("is in the middle without likes, the earlier of two, and the only turn of a single one", () => {
    expect([2, 3, 4, 5, 6].map((turns) => findLikedPair(partsOf(Array.from({ length: turns }, () => 10)), []))).toEqual(
      [0, 0, 1, 1, 2]
    )
    expect([findLikedPair(partsOf([20]), []), findLikedPair([], [])]).toEqual([0, null])
  })

  it("gives a clip within the recording and the bounds, of any two turns", () => {
    fc.assert(
      fc.property(
        panels,
        fc.array(
          fc.record({ liker: fc.constantFrom("a", "b", "c"), atSec: fc.double({ min: 0, max: 3_000, noNaN: true }) })
        ),
        (parts, likes) => {
          const durationSec = endOf(parts)
          const first = findLikedPair(parts, likes)!
          const window = clipWindow(parts, first, [], durationSec)
          if (window === null) {
            expect(durationSec).toBeLessThan(shortest)
            return
          }
          expect(window.durationSec).toBeGreaterThanOrEqual(shortest - 0.001)
          expect(window.durationSec).toBeLessThanOrEqual(longest)
          expect(window.startSec).toBeGreaterThanOrEqual(0)
          expect(window.startSec + window.durationSec).toBeLessThanOrEqual(durationSec + 1e-9)
          const heard = excerptOf(parts, [], window).participants.map(({ handle }) => handle)
          expect(heard.length).toBeGreaterThan(0)
          expect(clipWindow(parts, first, [], durationSec)).toEqual(window)
        }
      )
    )
  })

  it("is cut between sentences around the reply if both turns are too long", () => {
    const parts = partsOf([120, 120])
    const window = clipWindow(parts, 0, [], 260)!
    const { transcript } = excerptOf(parts, [], window)
    expect([
      window.durationSec <= longest,
      window.durationSec > 70,
      window.startSec < 125 && window.startSec + window.durationSec > 126
    ]).toEqual([true, true, true])
    expect(transcript).toMatch(/^Agent 0: w\d+ .*\nAgent 1: w0 .*\.$/s)
  })
})

describe("the words of a recording", () => {
  it("belong to the speaker at that time, else to the station", () => {
    const parts = partsOf([2, 2])
    const timings = [
      ["Welcome.", 0],
      ["One", 5_000],
      ["two.", 6_000],
      ["Three", 7_600],
      ["four.", 9_000],
      ["Bye.", 10_500]
    ].map(
      ([text, startMs]) =>
        new WordTiming({ text: text as string, startMs: startMs as number, endMs: (startMs as number) + 400 })
    )
    expect(cuesOf(parts, timings, "Longwave").map(({ speaker, startSec, text }) => [speaker, startSec, text])).toEqual([
      ["Longwave", 0, "Welcome."],
      ["Agent 0", 5, "One two."],
      ["Agent 1", 7.6, "Three four."],
      ["Longwave", 10.5, "Bye."]
    ])
    expect(excerptOf(parts, timings, { startSec: 5.5, durationSec: 3 })).toEqual({
      transcript: "Agent 0: two.\nAgent 1: Three",
      participants: [
        { handle: "a0", displayName: "Agent 0" },
        { handle: "a1", displayName: "Agent 1" }
      ]
    })
  })

  it("are all in the captions, in order, in consecutive cues without markup", () => {
    fc.assert(
      fc.property(panels, (parts) => {
        const cues = cuesOf(parts, [], "Longwave")
        expect(
          cues
            .map(({ text }) => text)
            .join(" ")
            .split(" ")
        ).toEqual(timeWords(parts, []).map(({ text }) => text))
        expect(
          cues.every(({ endSec, startSec }, n) => endSec > startSec && startSec >= (cues[n - 1]?.startSec ?? 0))
        ).toBe(true)
      })
    )
    expect(webVtt([{ startSec: 3_723.4567, endSec: 3_725, speaker: "A & <B>", text: "--> <i>no</i>\n\nno" }])).toBe(
      "WEBVTT\n\n1\n01:02:03.457 --> 01:02:05.000\n<v A &amp; &lt;B&gt;>--&gt; &lt;i&gt;no&lt;/i&gt; no</v>\n"
    )
  })
})
