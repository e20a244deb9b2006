import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { captionCharsMax, captionItemsMax, captionLingerMs, captionPauseMs } from "../../../engine/rules/air/limits.ts"
import { Captions, cuesOf, wordVtt, webVtt } from "../../../media/live/Captions.ts"
import { linesOf } from "../../../http/pages/player/Words.ts"
import { segmentSamples } from "../../../media/encode/PartPacker.ts"
import { AirItem, AirSpan, ItemLabel, StagedSound } from "../../../schema/air/Air.ts"
import { WordTiming } from "../../../schema/Sound.ts"

const firstMsn = 6_834_083
const base = firstMsn * segmentSamples
const label = new ItemLabel({ title: "A word", artist: null, kind: "segment" })
const id = (n: number) => `itm_${String(n).padStart(26, "0")}`

/** One word every half second. */
const spoken = (text: string, everyMs = 500) =>
  text
    .split(" ")
    .map((word, at) => new WordTiming({ text: word, startMs: at * everyMs, endMs: at * everyMs + everyMs - 100 }))

const item = (n: number, words: ReadonlyArray<WordTiming>, cueIn = 0, cueOut = 48_000 * 600) =>
  new AirItem({
    itemId: id(n),
    label,
    startSample: 0,
    speech: true,
    bed: null,
    trace: [],
    words,
    sound: new StagedSound({
      assetId: "mas_00000000000000000000000001",
      path: "",
      lengthSamples: cueOut,
      pcmSha256: "",
      cue: { cueIn, introEnd: cueIn, segue: cueOut, cueOut },
      envelope: new Uint8Array(),
      gainDb: 0
    })
  })

const started = (n: number | null, atSample: number) => ({
  _tag: "Started" as const,
  itemId: n === null ? null : id(n),
  label,
  atSample,
  endSample: null
})
const spanned = (n: number, lastSample: number, complete: boolean, goesOn = false) => ({
  _tag: "Spanned" as const,
  goesOn,
  span: new AirSpan({
    itemId: id(n),
    label,
    firstSample: base,
    lastSample,
    complete,
    layers: [],
    trace: [],
    pcmSha256: ""
  })
})

const textsOf = (vtt: string) => [...vtt.matchAll(/-->.*\n(.*)\n/g)].map((match) => match[1])
const everything = (captions: Captions) => textsOf(captions.cuesBetween(base, base + 20 * segmentSamples)).join(" ")

describe("captions", () => {
  it("break at the ends of sentences, at pauses and at full lines, and lose no word", () => {
    const word = fc.record({
      text: fc.stringMatching(/^[a-z]{1,12}[.?]?$/),
      restMs: fc.integer({ min: 0, max: 1_500 })
    })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 80 }), (said) => {
        let at = 0
        const words = said.map(({ restMs, text }) => {
          at += restMs
          const timing = new WordTiming({ text, startMs: at, endMs: at + 200 })
          at += 200
          return timing
        })
        const cues = cuesOf(words, 0)
        expect(cues.flatMap(({ text }) => text.split(" ")).join(" ")).toBe(words.map(({ text }) => text).join(" "))
        cues.forEach(({ endMs, startMs, text }, index) => {
          expect(endMs).toBeGreaterThan(startMs)
          expect(text.length).toBeLessThanOrEqual(captionCharsMax)
          expect(text.slice(0, -1)).not.toMatch(/[.?]/)
          expect(endMs).toBeLessThanOrEqual(cues[index + 1]?.startMs ?? Infinity)
        })
      })
    )
    const [first, second] = cuesOf(
      [
        new WordTiming({ text: "one", startMs: 0, endMs: 300 }),
        new WordTiming({ text: "two", startMs: 301 + captionPauseMs, endMs: 1_500 })
      ],
      0
    )
    expect([first, second?.text]).toEqual([{ startMs: 0, endMs: 300 + captionLingerMs, text: "one" }, "two"])
  })

  it("give the time of each word from the item's beginning, before and after it begins", () => {
    const captions = new Captions()
    captions.expect([item(1, spoken("One small step. Then <another> step"), 24_000), item(2, [])])
    const vtt = captions.wordsOfItem(id(1))!
    expect(vtt).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nsmall <00:00:00.500>step.\n\n00:00:01.000 --> 00:00:02.900\nThen <00:00:01.500>&lt;another&gt; <00:00:02.000>step\n"
    )
    captions.hear(started(1, base))
    expect(captions.wordsOfItem(id(1))).toBe(vtt)
    expect([captions.wordsOfItem(id(2)), captions.wordsOfItem(id(3))]).toEqual(["WEBVTT\n", null])
  })

  it("mark words in ascending order, and the page reads back each with its time", () => {
    const word = fc.record({
      text: fc.stringMatching(/^[a-z<&>]{1,12}[.?]?$/),
      restMs: fc.integer({ min: 0, max: 1_500 }),
      lengthMs: fc.integer({ min: 1, max: 400 })
    })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (said) => {
        let at = 0
        const words = said.map(({ lengthMs, restMs, text }) => {
          at += restMs + lengthMs
          return new WordTiming({ text, startMs: at - lengthMs, endMs: at })
        })
        const read = linesOf(wordVtt(words)).flatMap((line) => line.words)
        expect(read.map(({ startMs, text }) => [startMs, text])).toEqual(
          words.map(({ startMs, text }) => [startMs, text])
        )
      })
    )
  })

  it("are at their heard position, the same on both sides of a border, with any text", () => {
    const cue = { startMs: base / 48 + 4_000, endMs: base / 48 + 4_500, text: "1 < 2 & 3 --> 4" }
    const [left, right] = [
      webVtt([cue], base, base + segmentSamples),
      webVtt([cue], base + segmentSamples, base + 2 * segmentSamples)
    ]
    expect(left).toContain("00:01:04.000 --> 00:01:04.500\n1 &lt; 2 &amp; 3 --&gt; 4\n")
    expect(right).toContain("00:00:59.904 --> 00:01:00.404\n")
    const zeroOf = (vtt: string) => Number(/^X-TIMESTAMP-MAP=LOCAL:00:00:00\.000,MPEGTS:(\d+)$/m.exec(vtt)![1])
    // One segment is 4,096 ms, on a 33-bit clock of 90 kHz.
    expect((zeroOf(right) - zeroOf(left) + 2 ** 33) % 2 ** 33).toBe(4_096 * 90)
    expect(zeroOf(left)).toBe(((base / 48 - 60_000) * 90) % 2 ** 33)
    expect(textsOf(webVtt([cue], base + 2 * segmentSamples, base + 3 * segmentSamples))).toEqual([])
    expect(left.startsWith("WEBVTT\n")).toBe(true)
  })

  it("begin at the item's cue-in, and end at its cue-out", () => {
    const captions = new Captions()
    const wordless = captions.expect([item(1, spoken("zero one two three four five"), 24_000, 48_000 * 2)])
    expect(wordless.map((each) => "words" in each)).toEqual([false])
    captions.hear(started(1, base + 48_000))
    expect(captions.cuesBetween(base, base + segmentSamples)).toContain(
      "00:01:01.000 --> 00:01:02.900\none two three\n"
    )
    // The cue points of a short ident lie inside its one word.
    captions.expect([item(2, spoken("Longwave.", 1_000), 4_800, 38_400)])
    captions.hear(started(2, base + segmentSamples))
    expect(captions.cuesBetween(base + segmentSamples, base + 2 * segmentSamples)).toContain(
      "00:01:00.000 --> 00:01:01.200\nLongwave.\n"
    )
  })

  it("end where an item is cut, not where it continues over the next or through a restart of the chain", () => {
    const words = spoken("one two. three four. five six.", 1_000)
    const at = (sec: number) => base + sec * 48_000
    const heard = (events: ReadonlyArray<Parameters<Captions["hear"]>[0]>) => {
      const captions = new Captions()
      captions.expect([item(1, words), item(2, [])])
      for (const event of events) captions.hear(event)
      return everything(captions)
    }
    const all = "one two. three four. five six."
    expect(heard([started(1, at(0)), started(2, at(1)), spanned(1, at(1) - 1, true)])).toBe(all)
    expect(heard([started(1, at(0)), started(2, at(2)), spanned(1, at(2) - 1, false)])).toBe("one two.")
    expect(heard([started(1, at(0)), spanned(1, at(2), false, true)])).toBe(all)
    expect(heard([started(1, at(0)), spanned(1, at(2), false, true), started(null, at(3))])).toBe(
      "one two. three four."
    )
    expect(
      heard([
        started(1, at(0)),
        started(2, at(1)),
        spanned(1, at(2), false, true),
        { _tag: "Resumed", itemId: id(1), atSample: at(2) },
        started(2, at(2))
      ])
    ).toBe(all)
    const restarted = new Captions()
    restarted.expect([item(1, words)])
    restarted.hear(started(1, at(0)))
    const before = restarted.cuesBetween(base, at(8))
    for (const event of [spanned(1, at(1) - 1, false, true), started(1, at(1))]) restarted.hear(event)
    expect(restarted.cuesBetween(base, at(8))).toBe(before)
    const captions = new Captions()
    captions.expect([item(1, words)])
    for (const event of [started(1, at(0)), started(null, at(1)), spanned(1, at(1) - 1, false)]) captions.hear(event)
    expect(captions.cuesBetween(base, at(2))).toContain("00:01:00.000 --> 00:01:01.000\none two.\n")
  })

  it("keep a limited number of items", () => {
    const captions = new Captions()
    for (let n = 0; n < 3 * captionItemsMax; n++) captions.expect([item(n, spoken(`word${n}`))])
    for (let n = 0; n < 3 * captionItemsMax; n++) captions.hear(started(n, base + n * 4_800))
    expect(everything(captions).split(" ").length).toBe(captionItemsMax)
  })
})
