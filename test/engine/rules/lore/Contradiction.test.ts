import { describe, expect, it } from "vitest"
import { conflictOf, differenceOf, subjectOf } from "../../../../engine/rules/lore/Contradiction.ts"
import { findSaidSec, sentenceAbout } from "../../../../engine/rules/lore/SaidAt.ts"

const kettle = { title: "The Copper Kettle", text: "The Copper Kettle opened in 1987 on the quay. It has a blue door." }
const claim = (text: string, title = "Copper Kettle") => ({ title, text })

describe("a contradiction", () => {
  it("is known by its subject, whatever the order, case and accents of its words", () => {
    expect(subjectOf("The Copper Kettle")).toBe(subjectOf("kettle, COPPER"))
    expect(subjectOf("Café Nero")).toBe(subjectOf("cafe nero"))
    expect(subjectOf("Copper Kettle")).not.toBe(subjectOf("Copper Kettle Club"))
  })

  it.each([
    ["number", "The Kettle opened in 1989 on the quay."],
    ["number", "It opened on the quay in nineteen years, in 1991."],
    ["negation", "The Copper Kettle never opened on the quay."],
    ["negation", "It hasn't a blue door."],
    ["claim", "A ship's cook invented it to annoy a lighthouse keeper."],
    [null, "It opened on the quay in 1987."],
    [null, "On the quay the Copper Kettle opened its blue door."],
    [null, "The Kettle, with its blue door, opened in 1987 on the quay and has served 40 guests."]
  ] as const)("is %s: %s", (difference, text) => {
    expect(differenceOf(kettle, claim(text))).toBe(difference)
  })

  it("isn't what merely says something else about it on the air", () => {
    expect(conflictOf(kettle, claim("Nobody asked the Copper Kettle for tea."))).toBe(null)
    expect(conflictOf(kettle, claim("The Copper Kettle opened in 1999."))).toBe("number")
    expect(differenceOf({ title: "x", text: "" }, claim(""))).toBe("claim")
  })
})

describe("the second of a mention", () => {
  const words = "Good evening. The Cöpper-Kettle, again, is closed."
    .split(" ")
    .map((text, n) => ({ text, startSec: n / 2 }))

  it("is where its sentence begins, or else its title", () => {
    expect(findSaidSec(words, "The copper kettle again is closed", "x")).toBe(1)
    expect(findSaidSec(words, "Another sentence", "Copper Kettle")).toBe(1.5)
    expect(findSaidSec(words, "Another sentence", "Tin Kettle")).toBe(null)
    expect(findSaidSec([], "", "")).toBe(null)
  })

  it("belongs to the first sentence that names the entry", () => {
    expect(sentenceAbout("It rains. They opened the copper kettle! Again.", "The Copper Kettle")).toBe(
      "They opened the copper kettle!"
    )
    expect(sentenceAbout("Copper kettles everywhere.", "The Copper Kettle")).toBe(null)
  })
})
