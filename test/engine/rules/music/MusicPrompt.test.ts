import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { parseKey, orderOf, providersOf, seedOf } from "../../../../engine/rules/music/MusicPrompt.ts"
import { giveBackMusic, takeMusic, variantAssetId } from "../../../../engine/rules/music/MusicRequest.ts"
import { findNamedArtist } from "../../../../engine/rules/music/NamedArtists.ts"
import type { MusicAsked } from "../../../../schema/music/MusicRequest.ts"

const asked = (more: Partial<MusicAsked> = {}): MusicAsked => ({
  prompt: "A piece for the evening",
  title: null,
  genre: null,
  mood: null,
  durationSec: null,
  instrumental: null,
  lyrics: null,
  bpm: null,
  musicalKey: null,
  seed: null,
  provider: null,
  variants: null,
  ...more
})
const singer = { id: "singer", name: "A singer", maxDurationSec: 180, instrumental: true, lyrics: true }
const order = (more: Partial<MusicAsked>, configured = [singer]) => orderOf(asked(more), providersOf(configured), 7)
const fault = (more: Partial<MusicAsked>, configured = [singer]) => {
  const found = order(more, configured)
  return Result.isFailure(found) ? found.failure.pointer : null
}

describe("an order for music", () => {
  it("takes genre, mood, tempo and key from the prompt where the fields leave them open", () => {
    expect(Result.getOrThrow(order({ prompt: "Sad jazz at 78 bpm in D minor" }))).toMatchObject({
      genre: "jazz",
      mood: "melancholic",
      bpm: 78,
      musicalKey: "D minor",
      provider: "house",
      instrumental: true,
      durationSec: 120,
      variants: 2,
      seed: 7
    })
    expect(
      Result.getOrThrow(
        order({ prompt: "Sad jazz at 78 bpm in D minor", genre: "rock", mood: "calm", bpm: 90, musicalKey: "Ab" })
      )
    ).toMatchObject({ genre: "rock", mood: "calm", bpm: 90, musicalKey: "Ab major" })
    expect(Result.getOrThrow(order({})).genre).toBe("electronic")
  })

  it("never makes an instrumental of lyrics: they are sung, or refused", () => {
    expect(Result.getOrThrow(order({ lyrics: "Low water" }))).toMatchObject({ provider: "singer", instrumental: false })
    expect([
      fault({ lyrics: "Low water" }, []),
      fault({ lyrics: "Low water", provider: "house" }),
      fault({ lyrics: "Low water", instrumental: true }),
      fault({ instrumental: false, provider: "house" }),
      // Nothing to sing, or words that nobody has checked.
      fault({ instrumental: false, provider: "singer" }),
      fault({ lyrics: "[verse] [Chorus: soft]" }),
      fault({ provider: "nobody" }),
      fault({ lyrics: "Low water", durationSec: 200 }),
      fault({ musicalKey: "H major" })
    ]).toEqual([
      "/lyrics",
      "/lyrics",
      "/instrumental",
      "/instrumental",
      "/lyrics",
      "/lyrics",
      "/provider",
      "/durationSec",
      "/musicalKey"
    ])
  })

  it("reads keys as people write them", () => {
    expect(["Am", "f# minor", "B-flat major", "C", "H"].map(parseKey)).toEqual([
      "A minor",
      "F# minor",
      "Bb major",
      "C major",
      null
    ])
  })

  it("names no living artist, and may name a genre, a place or a composer who died long ago", () => {
    expect(
      ["A ballad by Taylor Swift", "something like BEYONCE sings", "in the style of Quentin Oxblood"].map(
        findNamedArtist
      )
    ).toEqual(["Taylor Swift", "Beyoncé", "Quentin Oxblood"])
    expect(
      [
        "in the style of Johann Sebastian Bach",
        "a sting of brass and no drake on the pond",
        "inspired by New Orleans in the rain",
        "Slow jazz for a harbour at night"
      ].map(findNamedArtist)
    ).toEqual([null, null, null, null])
  })

  it("takes one of both meters, and gives it back on the day on which it was taken", () => {
    const unused = { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }
    const dayMs = 86_400_000
    const once = Result.getOrThrow(takeMusic([unused, unused], 0, dayMs))
    expect(once.map(({ seconds }) => seconds)).toEqual([
      { day: 1, sum: 1 },
      { day: 1, sum: 1 }
    ])
    expect(giveBackMusic(once, dayMs).map(({ seconds }) => seconds.sum)).toEqual([0, 0])
    expect(giveBackMusic(once, 0).map(({ seconds }) => seconds.sum)).toEqual([1, 1])
    const full = { emptyAtMs: 0, seconds: { day: 1, sum: 3 } }
    expect(Result.getOrThrow(Result.flip(takeMusic([full, unused], 0, dayMs)))).toMatchObject({
      meter: "agent",
      limit: 3
    })
    expect(Result.isSuccess(takeMusic([full, unused], 2, dayMs))).toBe(true)
  })

  it("gives each variant its own seed, and its sound the same name at every try", () => {
    expect([seedOf({ seed: 7 }, 0), seedOf({ seed: 7 }, 1)]).toEqual([7, 7_926])
    const id = "mreq_01arz3ndektsv4rrffq69g5fav"
    expect([variantAssetId(id, 0), variantAssetId(id, 1)]).toEqual([
      "mas_01arz3ndektsv4rrffq69g5fa0",
      "mas_01arz3ndektsv4rrffq69g5fa1"
    ])
  })
})
