import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  displayText,
  isWithinLimits,
  lint,
  suggestSplit,
  tidyScript,
  wordCount
} from "../../../../engine/rules/segments/Script.ts"

const word = fc.stringMatching(/^[a-zäöü]{1,12}$/).filter((text) => text !== "")
const sentence = fc.array(word, { minLength: 3, maxLength: 40 }).map((words) => `${words.join(" ")}.`)
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((lines) => lines.join(" "))
const script = fc.array(paragraph, { minLength: 1, maxLength: 60 }).map((parts) => parts.join("\n\n"))
const wild = fc
  .array(
    fc.oneof(
      word,
      fc.constantFrom("🎙️", "\n\n", "\t", "…", "[laughs]"),
      fc.string({ unit: "grapheme", maxLength: 20 })
    ),
    { maxLength: 3_000 }
  )
  .map((words) => words.join(" "))

const slice = (text: string, start: number, end: number) => Array.from(text).slice(start, end).join("")

describe("suggestedSplit", () => {
  it("cuts into parts that hold the whole script, in order, each of which may be submitted", () =>
    fc.assert(
      fc.property(fc.oneof(script, wild), (text) => {
        const chunks = suggestSplit(text)
        const parts = chunks.map(({ startChar, endChar }) => slice(text, startChar, endChar))
        expect(parts.flatMap((part) => part.split(/\s+/u)).filter(Boolean)).toEqual(text.split(/\s+/u).filter(Boolean))
        for (const [index, chunk] of chunks.entries()) {
          expect(chunk.index).toBe(index)
          expect(isWithinLimits(parts[index]!, false)).toBe(true)
          expect(wordCount(parts[index]!)).toBe(chunk.wordCount)
          expect(chunk.startChar).toBeGreaterThanOrEqual(index === 0 ? 0 : chunks[index - 1]!.endChar)
        }
      })
    ))

  it("gives every part 150 to 300 words if there are enough", () =>
    fc.assert(
      fc.property(fc.oneof(script, wild), (text) => {
        fc.pre(wordCount(text) >= 150)
        for (const { wordCount: count } of suggestSplit(text)) {
          expect(count).toBeGreaterThanOrEqual(150)
          expect(count).toBeLessThanOrEqual(300)
        }
      })
    ))

  it("never cuts within a stage direction, and counts positions as the sender does", () => {
    const directed =
      `\n\t ${Array.from({ length: 500 }, (_, i) => `word${i} [aside ${i} is quite long and ends. here]`).join(" ")}  `.replaceAll(
        "e",
        "e\u0301"
      )
    for (const { endChar, startChar, wordCount: count } of suggestSplit(directed)) {
      const part = slice(directed, startChar, endChar)
      expect(part.split("[").length).toBe(part.split("]").length)
      expect([isWithinLimits(tidyScript(part), false), wordCount(tidyScript(part))]).toEqual([true, count])
    }
  })

  it("prefers the ends of paragraphs, then of sentences", () => {
    const line = (words: number) => `${Array.from({ length: words - 1 }, () => "word").join(" ")} end.`
    const text = [line(200), line(180), line(250), line(170), line(210), line(290)].join("\n\n")
    expect(suggestSplit(text).map(({ wordCount: count }) => count)).toEqual([200, 180, 250, 170, 210, 290])
    const sentences = Array.from({ length: 130 }, () => line(10)).join(" ")
    for (const { endChar } of suggestSplit(sentences)) expect(sentences.slice(endChar - 1, endChar)).toBe(".")
  })

  it("cuts text without spaces", () => {
    const chunks = suggestSplit("x".repeat(30_001))
    expect(chunks.map(({ startChar, endChar }) => endChar - startChar)).toEqual([12_000, 12_000, 6_001])
    const long = Array.from({ length: 400 }, () => "y".repeat(100)).join(" ")
    for (const { startChar, endChar } of suggestSplit(long)) expect(endChar - startChar).toBeLessThanOrEqual(12_000)
  })

  it("handles a quarter of a megabyte", () => {
    expect(suggestSplit("a ".repeat(131_000)).length).toBeGreaterThan(400)
  })
})

describe("fits", () => {
  it("counts words and characters", () => {
    const words = (count: number) => Array.from({ length: count }, () => "w").join(" ")
    expect([
      isWithinLimits(words(1_200), false),
      isWithinLimits(words(1_201), false),
      isWithinLimits(words(1_500), true),
      isWithinLimits(words(1_501), true)
    ]).toEqual([true, false, true, false])
    expect([
      isWithinLimits("🎙".repeat(12_000), false),
      isWithinLimits("🎙".repeat(12_001), false),
      isWithinLimits("x".repeat(15_000), true)
    ]).toEqual([true, false, true])
  })
})

describe("displayText", () => {
  it("leaves out stage directions", () => {
    expect(displayText("[warmly] Good evening,  night owls. [pause]\n\n\n\nThis is Ada.")).toBe(
      "Good evening, night owls. \n\nThis is Ada.".replace(" \n", "\n")
    )
  })
  it("never grows", () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(displayText(text).length).toBeLessThanOrEqual(text.length)
      })
    ))
})

describe("lint", () => {
  it.each([
    ["<think>keep it short</think> Good evening", ["THINKING_TAG", "MARKUP"]],
    ["Good <b>evening</b>", ["MARKUP"]],
    ["Here is the code ```rm```", ["CODE_BLOCK"]],
    [`${"over and over again ".repeat(12)}`, ["REPEATED_PHRASE"]],
    ["[applause]", ["EMPTY_SPEECH", "UNREADABLE"]],
    ["... !!! ---", ["UNREADABLE"]],
    ["It is 3 < 5 and 7 > 2, as we know. Never, never, never give in.", []],
    ["[softly] Good evening, this is the night desk.", []]
  ])("%j", (script, codes) => {
    expect(lint(script).map(({ code }) => code)).toEqual(codes)
  })
})
