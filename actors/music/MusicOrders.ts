import { Effect, Random, Result } from "effect"
import { Music } from "../../engine/ports/Music.ts"
import { MusicProviders } from "../../engine/ports/MusicProviders.ts"
import { musicSeedMax } from "../../engine/rules/music/limits.ts"
import { orderOf, providersOf, seedOf } from "../../engine/rules/music/MusicPrompt.ts"
import { findNamedArtist } from "../../engine/rules/music/NamedArtists.ts"
import type { MusicAsked, MusicOrder, MusicPreview } from "../../schema/music/MusicRequest.ts"
import { PromptRejected } from "../../schema/Problems.ts"
import { refuseField } from "../runtime/refuseField.ts"
import { findFlaggedTexts, flagsOf } from "../moderation/TextChecks.ts"

const rejectPrompt = (detail: string, pointer: string, why: string, flags: ReturnType<typeof flagsOf> = []) =>
  new PromptRejected({
    detail,
    ...(flags.length === 0 ? {} : { flags }),
    errors: [{ pointer, code: "PROMPT_REJECTED", detail: why }]
  })

/** Refuses flagged texts and prompts that name a living artist. */
export const checkWords = Effect.fnUntraced(function* (texts: Readonly<Record<string, string | null>>) {
  const found = findFlaggedTexts(texts)
  const [first] = found
  if (first !== undefined)
    return yield* rejectPrompt(
      "The station makes no music from this. Leave out what is flagged.",
      first.pointer,
      `is flagged: ${first.flags.map(({ code }) => code).join(", ")}`,
      flagsOf(found)
    )
  for (const [pointer, text] of Object.entries(texts)) {
    const artist = text === null ? null : findNamedArtist(text)
    if (artist !== null)
      return yield* rejectPrompt(
        `The station imitates no living artist. Describe the sound instead of naming ${artist}: instruments, tempo, mood, era.`,
        pointer,
        `names ${artist}`
      )
  }
})

/** The order that a request means, with its words checked. */
export const orderFrom = Effect.fnUntraced(function* (asked: MusicAsked) {
  yield* checkWords({ "/prompt": asked.prompt, "/title": asked.title, "/lyrics": asked.lyrics })
  const { all } = yield* MusicProviders
  // Fresh at each request: a repeat under the same key doesn't get here.
  const drawn = Math.floor((yield* Random.next) * musicSeedMax)
  const order = orderOf(asked, providersOf(all), drawn)
  if (Result.isFailure(order)) return yield* refuseField(order.failure.pointer, "INVALID_FIELD", order.failure.detail)
  return order.success
})

const outlineOf = Effect.fnUntraced(function* ({ bpm, durationSec, genre, mood, musicalKey, ...order }: MusicOrder) {
  return (yield* Music).outline({ genre, mood, form: "song", durationSec, seed: seedOf(order, 0), bpm, musicalKey })
})

/** How a prompt is understood, and what would be made. */
export const previewMusic = Effect.fnUntraced(function* (asked: MusicAsked) {
  const order = yield* orderFrom(asked)
  const isHouse = order.provider === "house"
  const outline = isHouse ? yield* outlineOf(order) : null
  const warnings = [
    ...(asked.genre === null && order.genre === "electronic" && !/electronic/i.test(order.prompt)
      ? ["The prompt names no genre of the station: it becomes electronic. Send genre to choose one."]
      : []),
    ...(isHouse && asked.seed === null
      ? ["Tempo, key and sections follow from the seed. Send a seed to get exactly this piece."]
      : []),
    ...(isHouse
      ? ["The house composer reads genre, mood, tempo and key from the prompt, and nothing else."]
      : ["The provider decides on the sections."])
  ]
  const preview: MusicPreview = {
    accepted: true,
    normalizedPrompt: order.prompt,
    title: order.title,
    genre: order.genre,
    mood: order.mood,
    bpm: outline?.bpm ?? order.bpm,
    musicalKey: outline?.musicalKey ?? order.musicalKey,
    provider: order.provider,
    structure: outline?.sections ?? [],
    estimatedDurationSec: outline?.durationSec ?? order.durationSec,
    wouldUseQuota: 1,
    warnings
  }
  return preview
})
