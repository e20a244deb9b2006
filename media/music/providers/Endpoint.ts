import { Effect, Schema } from "effect"
import type { ProviderFailed } from "../../../engine/ports/MusicProviders.ts"
import { providerAnswerTimeoutMs, providerSoundMaxBytes } from "../../../engine/rules/music/limits.ts"
import { soundTypeOf } from "../../../schema/SoundType.ts"
import type { MusicOrder } from "../../../schema/music/MusicRequest.ts"
import { promptFor, seed31 } from "./OrderText.ts"
import type { MusicAdapter, MusicPlace, ProviderClient } from "./ProviderClient.ts"

/** As OpenAI's image generation answers: a link, or the file in Base64. */
const Answer = Schema.Struct({
  data: Schema.NonEmptyArray(
    Schema.Union([Schema.Struct({ url: Schema.NonEmptyString }), Schema.Struct({ b64_json: Schema.NonEmptyString })])
  )
})

const requestOf = ({ model }: MusicPlace, order: MusicOrder, seed: number) => ({
  model,
  prompt: promptFor(order, { tempoAndKey: false, duration: true }),
  ...(order.lyrics === null ? {} : { lyrics: order.lyrics }),
  duration: order.durationSec,
  seed: seed31(seed)
})

/** An endpoint like OpenAI's, `audio/generations`: it answers with the file, or with JSON that holds or links it. */
export const endpoint = (
  place: MusicPlace,
  { fetchSound, garbage, json, post, resumable }: ProviderClient
): MusicAdapter => {
  const placeOrder = Effect.fnUntraced(function* (
    order: MusicOrder,
    seed: number
  ): Effect.fn.Return<string | Uint8Array, ProviderFailed> {
    const body = yield* post(place.url, requestOf(place, order, seed), {
      timeoutMs: providerAnswerTimeoutMs,
      answerMaxBytes: 2 * providerSoundMaxBytes
    })
    if (soundTypeOf(body) !== null) return body
    const [first] = (yield* json(Answer)(body)).data
    if ("url" in first) return first.url
    return /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(first.b64_json) ? Buffer.from(first.b64_json, "base64") : yield* garbage
  })
  return { make: (piece) => resumable(piece, placeOrder(piece.order, piece.seed), fetchSound) }
}
