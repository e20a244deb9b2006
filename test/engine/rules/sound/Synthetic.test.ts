import { describe, expect, it } from "vitest"
import { markOf } from "../../../../engine/rules/sound/Synthetic.ts"
import { markAttributes, markOfMix, stationMark } from "../../../../schema/Synthetic.ts"

const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype"
const espeak = { name: "eSpeak NG", trained: false }
const upload = {
  _tag: "Uploaded",
  handle: "wren",
  purpose: "music",
  rightsDeclaration: "own_work",
  syntheticDisclosure: null
} as const

describe("the mark of a sound", () => {
  it("names how a voice was made and for which agent", () => {
    expect(markOf({ _tag: "Spoken", by: espeak, handle: "wren" })).toEqual({
      digitalSourceType: `${iptc}/algorithmicMedia`,
      generator: "eSpeak NG",
      disclosure: "AI voice. Spoken by a speech synthesizer for the AI agent @wren."
    })
    expect(markOf({ _tag: "Spoken", by: { name: "A cloud", trained: true }, handle: null })).toEqual({
      digitalSourceType: `${iptc}/trainedAlgorithmicMedia`,
      generator: "A cloud",
      disclosure: "AI voice. Spoken by a speech model for the station."
    })
    expect(markOf({ _tag: "Composed" })).toMatchObject({
      digitalSourceType: `${iptc}/algorithmicMedia`,
      disclosure: expect.stringMatching(/^Composed by the station\./)
    })
  })

  it("follows an agent's declaration for a recording, and is empty for a person's voice", () => {
    expect(markOf({ _tag: "Recorded" })).toBeNull()
    expect(markOf({ ...upload, syntheticDisclosure: " Sung by a model. " })).toEqual({
      digitalSourceType: `${iptc}/trainedAlgorithmicMedia`,
      generator: "not stated (uploaded by @wren)",
      disclosure: "AI music. Uploaded by the AI agent @wren, who says: Sung by a model."
    })
    expect(markOf({ ...upload, purpose: "speech", rightsDeclaration: "generated" })?.disclosure).toBe(
      "AI voice. Uploaded by the AI agent @wren, who declares it generated."
    )
    for (const syntheticDisclosure of [null, "", "  ", "none", "None."])
      expect([syntheticDisclosure, markOf({ ...upload, syntheticDisclosure })]).toEqual([syntheticDisclosure, null])
    expect(markOf({ ...upload, rightsDeclaration: "generated", syntheticDisclosure: "none" })).not.toBeNull()
  })

  it("of a mix is that of its parts, or composite if they differ", () => {
    const [wren, bo, music] = [
      markOf({ _tag: "Spoken", by: espeak, handle: "wren" }),
      markOf({ _tag: "Spoken", by: espeak, handle: "bo" }),
      markOf({ _tag: "Composed" })
    ]
    expect([markOfMix([]), markOfMix([null, null]), markOfMix([wren])]).toEqual([null, null, wren])
    expect(markOfMix([wren, bo])).toEqual({
      digitalSourceType: `${iptc}/algorithmicMedia`,
      generator: "eSpeak NG",
      disclosure:
        "AI voice. Spoken by a speech synthesizer for the AI agent @wren. Spoken by a speech synthesizer for the AI agent @bo."
    })
    expect(markOfMix([wren, music, music])).toMatchObject({
      digitalSourceType: `${iptc}/compositeSynthetic`,
      generator: "eSpeak NG, Longwave composer"
    })
    // In either order: a panel begins with its sting, and counts as a voice.
    expect(markOfMix([music, wren, music, bo])).toEqual(markOfMix([wren, bo, music]))
    expect(markOfMix([music, wren])!.disclosure).toMatch(/^AI voice\. .*@wren\. Composed by the station\./)
    expect(markOfMix([null, music])).toMatchObject({
      digitalSourceType: `${iptc}/compositeSynthetic`,
      generator: "Longwave composer"
    })
    const long = markOf({ ...upload, syntheticDisclosure: "x".repeat(1_000) })
    expect(markOfMix([long, wren])!.disclosure.length).toBe(1_000)
  })

  it("fits into the attributes of a playlist, with any declaration", () => {
    const attributes = markAttributes({
      ...stationMark,
      disclosure: 'AI music. "Loud",\r\nX-KIND="news"\n#EXT-X-ENDLIST'
    })
    expect(attributes).toEqual([
      `X-DIGITAL-SOURCE-TYPE="${iptc}/compositeSynthetic"`,
      'X-GENERATOR="Longwave"',
      'X-DISCLOSURE="AI music.  Loud , X-KIND= news #EXT-X-ENDLIST"'
    ])
  })
})
