import { describe, expect, it } from "vitest"
import { auditionsMax, candidatesOf, castAll, castOne, type CastVoice } from "../../../media/speech/VoiceCasting.ts"
import { catalog } from "../../../media/speech/VoiceCatalog.ts"

const voices: ReadonlyArray<CastVoice> = catalog.map(({ recipe, voice }) => ({
  voiceId: voice.voiceId,
  gender: voice.gender,
  accent: voice.accent,
  pitchHz: (recipe.pitchHz[0] + recipe.pitchHz[1]) / 2
}))
const kokoro = "af,af_bella,af_nicole,af_sarah,af_sky,am_adam,am_michael,bf_emma,bf_isabella,bm_george,bm_lewis".split(
  ","
)
const heard = (names: ReadonlyArray<string>, count: number) =>
  candidatesOf(names, count).map((speaker) => ({
    ...speaker,
    pitchHz:
      speaker.gender === "male"
        ? 100 + speaker.id
        : speaker.gender === "female"
          ? 190 + speaker.id
          : 90 + 12 * speaker.id
  }))

describe("who speaks a voice of the catalog", () => {
  it("is a speaker of its gender, where the model names them, and each has about as many voices", () => {
    const speakers = heard(kokoro, 11)
    const cast = castAll(voices, speakers)
    expect(cast.size).toBe(voices.length)
    for (const { gender, voiceId } of voices) {
      const speaker = speakers.find(({ id }) => id === cast.get(voiceId)!.speaker)!
      if (gender !== "nonbinary") expect([voiceId, speaker.gender]).toEqual([voiceId, gender])
    }
    const parts = speakers.map(({ id }) => [...cast.values()].filter(({ speaker }) => speaker === id).length)
    expect(Math.min(...parts)).toBeGreaterThan(1)
    expect(Math.max(...parts)).toBeLessThan(12)
  })

  it("sounds unlike every other voice of the same speaker, within what sounds human", () => {
    for (const speakers of [heard(kokoro, 11), heard([], 1), heard([], 904)]) {
      const cast = [...castAll(voices, speakers).values()]
      const keys = cast.map(({ pitchRatio, speaker }) => `${speaker} ${pitchRatio.toFixed(4)}`)
      expect(new Set(keys).size).toBe(voices.length)
      for (const { pitchRatio } of cast) expect(pitchRatio > 0.85 && pitchRatio < 1.17).toBe(true)
    }
  })

  it("stays who it was: it follows from the catalog and the model alone, and described voices change nothing", () => {
    const speakers = heard(kokoro, 11)
    const before = castAll(voices, speakers)
    expect(castAll(voices, speakers.toReversed())).toEqual(before)
    const made = { voiceId: "voice_made", gender: "male", accent: "British", pitchHz: 110 } as const
    const one = castOne(made, speakers)
    expect(kokoro[one.speaker]).toMatch(/^bm_/)
    expect(castOne(made, speakers.toReversed())).toEqual(one)
    expect(castOne(made, [])).toEqual({ speaker: 0, pitchRatio: 1 })
  })

  it("is found by ear among speakers without names, of which a few are listened to", () => {
    const speakers = heard([], 904)
    expect(speakers).toHaveLength(auditionsMax)
    expect(new Set(speakers.map(({ id }) => id)).size).toBe(auditionsMax)
    expect(Math.max(...speakers.map(({ id }) => id))).toBeLessThan(904)
    expect(candidatesOf(["expr-voice-2-m", "expr-voice-2-f"], 2)).toMatchObject([
      { gender: "male" },
      { gender: "female" }
    ])
    // Kokoro's Chinese and other voices don't read English.
    expect(candidatesOf(["af_sky", "zf_xiaobei", "jm_kumo", "bm_lewis"], 4).map(({ id }) => id)).toEqual([0, 3])
  })
})
