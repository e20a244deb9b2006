import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Speech } from "../../../engine/ports/Speech.ts"
import { findingsOf, objectionTo } from "../../../media/prepare/Quality.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { catalog, houseVoiceId, sharedVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import { personas } from "../../../media/speech/VoicePersonas.ts"
import { accents } from "../../../media/speech/VoiceTimbres.ts"
import { apartness, distanceOf, measureVoice } from "../../../bench/instruments/ears/VoiceMeasure.ts"

describe("the catalog", () => {
  const voices = catalog.map(({ voice }) => voice)
  const claimable = voices.filter((voice) => voice.claimable && voice.hasDeployedVoice)

  it("has 48 voices and more that can be claimed, each its own", () => {
    expect(catalog.length).toBe(personas.length)
    expect(claimable.length).toBeGreaterThanOrEqual(48)
    for (const field of ["voiceId", "name", "personaBrief", "sampleLine"] as const) {
      expect(new Set(voices.map((voice) => voice[field])).size).toBe(voices.length)
    }
    expect(
      voices.every(({ voiceId, name }) => voiceId === `voice_${name.toLowerCase()}` && /^voice_[a-z]+$/.test(voiceId))
    ).toBe(true)
  })

  it("offers choice in every respect", () => {
    const count = (pick: (voice: (typeof voices)[number]) => string) => new Set(claimable.map(pick)).size
    expect([count(({ gender }) => gender), count(({ ageBand }) => ageBand), count(({ pace }) => pace)]).toEqual([
      3, 3, 4
    ])
    expect(count(({ accent }) => accent)).toBe(Object.keys(accents).length)
    expect(new Set(claimable.flatMap(({ timbre }) => timbre)).size).toBeGreaterThanOrEqual(12)
  })

  it("keeps the shared voice, the reserved and the undeployed apart", () => {
    const of = (id: string) => voices.find(({ voiceId }) => voiceId === id)!
    expect([of(sharedVoiceId).claimable, of(sharedVoiceId).reserved]).toEqual([false, false])
    expect([of(houseVoiceId).claimable, of(houseVoiceId).reserved]).toEqual([false, true])
    const undeployed = voices.filter(({ hasDeployedVoice }) => !hasDeployedVoice)
    expect(undeployed.length).toBe(2)
    expect(undeployed.every(({ hasTensor, engines }) => hasTensor && !engines.includes("SPEED"))).toBe(true)
  })
})

it.layer(EmbeddedSpeech, { excludeTestServices: true })("the voices as heard", (it) => {
  it.effect("can be told apart, every pair of them", () =>
    Effect.gen(function* () {
      const speech = yield* Speech
      const measures = yield* Effect.forEach(catalog, ({ voice }) =>
        speech
          .speak({
            text: "This is Longwave. The rain is over, the boats are coming home, and we will play until the morning.",
            voiceId: voice.voiceId,
            role: "PRIMARY"
          })
          .pipe(
            Effect.map((sound) => ({
              voice,
              measure: measureVoice(sound),
              objection: objectionTo("speech", sound, findingsOf(sound))
            }))
          )
      )
      const unfit = measures.flatMap(({ objection, voice }) =>
        objection === null ? [] : [`${voice.name}: ${objection.detail}`]
      )
      expect(unfit).toEqual([])
      const tooNear = measures
        .flatMap((a, i) =>
          measures
            .slice(i + 1)
            .map((b) => ({ pair: `${a.voice.name}, ${b.voice.name}`, ...distanceOf(a.measure, b.measure) }))
        )
        .filter((distance) => !(apartness(distance) >= 1))
      expect(tooNear).toEqual([])

      // And they are what they say: women's voices lie above men's, and fast ones are faster.
      const mean = (
        pick: (entry: (typeof measures)[number]) => boolean,
        value: (entry: (typeof measures)[number]) => number
      ) => {
        const picked = measures.filter(pick)
        return picked.reduce((sum, entry) => sum + value(entry), 0) / picked.length
      }
      const pitch = (gender: string) =>
        mean(
          ({ voice }) => voice.gender === gender,
          ({ measure }) => measure.pitchHz
        )
      expect(pitch("female")).toBeGreaterThan(pitch("nonbinary") * 1.15)
      expect(pitch("nonbinary")).toBeGreaterThan(pitch("male") * 1.15)
      const length = (pace: string) =>
        mean(
          ({ voice }) => voice.pace === pace,
          ({ measure }) => measure.lengthSec
        )
      expect(
        [length("slow"), length("measured"), length("brisk"), length("fast")].every(
          (sec, i, all) => i === 0 || sec < all[i - 1]! * 0.94
        )
      ).toBe(true)
    })
  )
})
