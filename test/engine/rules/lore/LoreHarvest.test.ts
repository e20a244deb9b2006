import { describe, expect, it } from "vitest"
import { harvestPanel, findNamedBits } from "../../../../engine/rules/lore/LoreHarvest.ts"

const say = (speaker: string, text: string) => ({ speaker, text })
const titles = (said: ReadonlyArray<{ speaker: string; text: string }>, known: ReadonlyArray<string> = []) =>
  findNamedBits(said, known).map(({ name }) => name)

const panel = [
  say(
    "Ada",
    "Welcome back. Tonight we talk about the night the lights went out along the quay. Everybody remembers the Great Harbour Blackout, but nobody agrees who caused it."
  ),
  say(
    "Bo",
    "Well, I blame Captain Ruff. [laughs] The Great Harbour Blackout began when he moored at the wrong post. I'm sure of it, and Monday was a bad day for sailing anyway."
  ),
  say(
    "Cleo",
    "Captain Ruff denies it. He always says: “It was the Lamplighters of Pier Nine.” Honestly, the Lamplighters of Pier Nine were asleep!"
  ),
  say(
    "Ada",
    "Nobody sleeps like the Lamplighters of Pier Nine. That is what my friend Captain Ruff's crew told me, too. WE HAVE TO LAUGH about it, I think."
  ),
  say("Bo", "So do I. Thank you, Ada. Thank you, Cleo. Good night, and come back next week.")
]

describe("names found in turns", () => {
  it("are used by two speakers, or three times by one", () => {
    expect(titles(panel)).toEqual(["Captain Ruff", "Lamplighters of Pier Nine", "Great Harbour Blackout"])
    expect(findNamedBits(panel, [])[0]).toMatchObject({
      speakers: ["Bo", "Cleo", "Ada"],
      times: 3,
      sentence: "Well, I blame Captain Ruff."
    })
    expect(
      titles([say("Ada", "We miss the Copper Kettle. I said the Copper Kettle, yes, that Copper Kettle.")])
    ).toEqual(["Copper Kettle"])
    expect(titles([say("Ada", "We miss the Copper Kettle. Oh, the Copper Kettle.")])).toEqual([])
  })

  it("exclude sentence beginnings, capitals, months and single words", () => {
    expect(
      titles([
        say(
          "Ada",
          "Good evening everybody. Yes indeed. Thank you. Nobody knows. In December it rains. London sleeps. I AM HERE now. Very Good."
        ),
        say(
          "Bo",
          "Good evening everybody. Yes indeed. Thank you. Nobody knows. In December it rains. London sleeps. I AM HERE now. Very Good."
        )
      ])
    ).toEqual([])
    // A name at the beginning of a sentence alone introduces nothing.
    expect(titles([say("Ada", "Rusty Anchor was closed."), say("Bo", "Rusty Anchor was open.")])).toEqual([])
    expect(titles([say("Ada", "The Rusty Anchor was closed."), say("Bo", "I liked the Rusty Anchor.")])).toEqual([
      "Rusty Anchor"
    ])
  })

  it("end at a writer's break, and drop possessives", () => {
    expect(
      titles([
        say("Ada", "They met Old Tom, Nell Grey and a dog."),
        say("Bo", "I knew Old Tom’s dog; and Nell Grey: Fine People.")
      ])
    ).toEqual(["Old Tom", "Nell Grey"])
  })

  it("come without who said them and where", () => {
    const said = [
      say("Ada Bell", "You hear Night Ferry, and here is Bo Lamb of Radio Longwave."),
      say("Bo Lamb", "Thanks. I love Night Ferry, and Radio Longwave, and Ada Bell, and the Green Door."),
      say("Ada Bell", "We both love the Green Door.")
    ]
    expect(titles(said, ["Ada Bell", "Bo Lamb", "Night Ferry", "Radio Longwave"])).toEqual(["Green Door"])
  })

  it("prefer the longer of two equally frequent names", () => {
    expect(
      titles([say("Ada", "I saw the Long Sea Wall."), say("Bo", "On the Long Sea Wall? We walked along the Sea Wall.")])
    ).toEqual(["Long Sea Wall"])
  })
})

describe("the lore of a panel", () => {
  it("is the fact that it was held and up to three recurring names", () => {
    const found = harvestPanel({
      title: "Who put the lights out?",
      topic: "the blackout of the harbour",
      showTitle: "Night Ferry",
      stationName: "Longwave",
      said: panel
    })
    expect(found.map(({ category, title }) => [category, title])).toEqual([
      ["moment", "Who put the lights out?"],
      ["recurring_bit", "Captain Ruff"],
      ["recurring_bit", "Lamplighters of Pier Nine"]
    ])
    expect(found[0]!.summary).toBe(
      "A panel of Night Ferry with Ada, Bo and Cleo. It was about the blackout of the harbour."
    )
    expect(found[1]!.summary).toBe(
      "Bo, Cleo and Ada came back to it in Who put the lights out?: “Well, I blame Captain Ruff.”"
    )
    expect(found[2]!.excerpt).toBe("He always says: “It was the Lamplighters of Pier Nine.”")
  })

  it("fits its limits, and is empty for an empty panel", () => {
    const [held] = harvestPanel({
      title: "x".repeat(140),
      topic: "y".repeat(280),
      showTitle: "z",
      stationName: "s",
      said: [say("Ada", "w ".repeat(300))]
    })
    expect([held!.title.length, held!.excerpt.length <= 280, held!.summary.length <= 1_500]).toEqual([120, true, true])
    expect(harvestPanel({ title: "t", topic: "t", showTitle: "z", stationName: "s", said: [] })).toEqual([])
  })
})
