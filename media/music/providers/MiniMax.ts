import { Effect, Schema } from "effect"
import type { ProviderFailed } from "../../../engine/ports/MusicProviders.ts"
import { providerAnswerTimeoutMs, providerSoundMaxBytes } from "../../../engine/rules/music/limits.ts"
import type { MusicOrder } from "../../../schema/music/MusicRequest.ts"
import { promptFor } from "./OrderText.ts"
import type { MusicAdapter, MusicPlace, ProviderClient } from "./ProviderClient.ts"

const Answer = Schema.Struct({
  base_resp: Schema.Struct({ status_code: Schema.Int }),
  data: Schema.optionalKey(Schema.NullOr(Schema.Struct({ audio: Schema.optionalKey(Schema.String) })))
})

/** Codes of the API, which come with the HTTP status 200. Unlisted ones are passing faults. */
const failures: Readonly<Record<number, readonly [ProviderFailed["reason"], string]>> = {
  1002: ["busy", "has too much to do (1002)"],
  1039: ["busy", "has too much to do (1039)"],
  1041: ["busy", "has too much to do (1041)"],
  1004: ["failed", "refuses the station's key (1004)"],
  1008: ["failed", "has no more credit for the station (1008)"],
  2049: ["failed", "refuses the station's key (2049)"],
  1026: ["refused", "refuses what this order says (1026)"],
  1027: ["refused", "refuses what would be heard (1027)"],
  1042: ["refused", "refuses invisible characters in this order (1042)"],
  2013: ["refused", "doesn't take this order (2013)"]
}

/** The API takes neither tempo, key, length nor seed: all but the seed are said in the prompt. */
const requestOf = ({ model }: MusicPlace, order: MusicOrder) => ({
  model,
  prompt: promptFor(order, { tempoAndKey: false, duration: false }),
  ...(order.lyrics === null ? { is_instrumental: true } : { lyrics: order.lyrics }),
  output_format: "url",
  audio_setting: { sample_rate: 44_100, bitrate: 256_000, format: "mp3" }
})

/** MiniMax's music generation. It answers with the finished piece: a link that expires after a day, or the bytes in hexadecimal. */
export const miniMax = (
  place: MusicPlace,
  { providerFailure, fetchSound, garbage, json, post, resumable }: ProviderClient
): MusicAdapter => {
  const placeOrder = Effect.fnUntraced(function* (
    order: MusicOrder
  ): Effect.fn.Return<string | Uint8Array, ProviderFailed> {
    const body = yield* post(`${place.url}/v1/music_generation`, requestOf(place, order), {
      timeoutMs: providerAnswerTimeoutMs,
      answerMaxBytes: 2 * providerSoundMaxBytes
    })
    const { base_resp, data } = yield* json(Answer)(body)
    const code = base_resp.status_code
    if (code !== 0) return yield* providerFailure(...(failures[code] ?? (["failed", `failed (${code})`] as const)))
    const audio = data?.audio ?? ""
    if (/^https?:\/\//i.test(audio)) return audio
    return audio.length > 0 && audio.length % 2 === 0 && /^[0-9a-f]+$/i.test(audio)
      ? Buffer.from(audio, "hex")
      : yield* garbage
  })
  return { make: (piece) => resumable(piece, placeOrder(piece.order), fetchSound) }
}
