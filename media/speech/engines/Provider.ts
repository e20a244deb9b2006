import { Effect } from "effect"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import { spokenSecPerChar, spokenSecSpare } from "../../../engine/rules/voices/limits.ts"
import type { SpeechGenerator } from "../../../schema/Synthetic.ts"
import { examine, type SpokenLine, type WordMark } from "../SpeechEngine.ts"
import { type Pcm, pcm16, wavPcm } from "../Wav.ts"
import type { ProviderAnswer, ProviderPost } from "./ProviderRequest.ts"

/** A place where a provider's API is served. */
export interface ProviderPlace {
  readonly url: string
  readonly key: string | null
  readonly model: string
}

/** A provider of speech over HTTP. Its voices are its own. */
export interface SpeechProvider {
  readonly generator: SpeechGenerator
  /** The longest text of one request. */
  readonly passageMaxChars: number
  readonly speak: (ask: { readonly text: string; readonly voice: string }) => Effect.Effect<SpokenLine, SpeechFailed>
}

/** A provider, from its place and the way to it. */
export type MakeProvider = (place: ProviderPlace, post: ProviderPost) => SpeechProvider

/** The longest plausible sound of a text: slow speech, and digits that are read out. */
export const secondsMax = (text: string): number => spokenSecSpare + text.length * spokenSecPerChar

const garbage = (what: string) => new SpeechFailed({ reason: "crashed", detail: `The provider sent ${what}.` })

/** Content types, without parameters. Servers that stream files often name none. */
const isOf = (contentType: string, types: RegExp) => contentType === "" || types.test(contentType.split(";")[0]!.trim())

/** The sound of an answer that is a WAV file. */
export const wavAnswer = ({ body, contentType }: ProviderAnswer): Effect.Effect<Pcm, SpeechFailed> => {
  if (!isOf(contentType, /^(audio\/.+|application\/octet-stream|binary\/octet-stream)$/i))
    return Effect.fail(garbage("something else than audio"))
  const pcm = wavPcm(body)
  return typeof pcm === "string" ? Effect.fail(garbage(pcm)) : Effect.succeed(pcm)
}

/** The JSON of an answer; null if it is none. */
export const jsonAnswer = ({ body, contentType }: ProviderAnswer): unknown => {
  if (!isOf(contentType, /^application\/json$/i)) return null
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return null
  }
}

/** Base64 of 16-bit samples. */
export const base64Pcm = (encoded: ReadonlyArray<string>, sampleRateHz: number): Effect.Effect<Pcm, SpeechFailed> => {
  if (!encoded.every((part) => /^[A-Za-z0-9+/]*={0,2}$/.test(part))) return Effect.fail(garbage("no base64"))
  return Effect.succeed(pcm16(Buffer.concat(encoded.map((part) => Buffer.from(part, "base64"))), sampleRateHz))
}

/** An examined line: it sounds, and is no longer than its text can be. */
export const lineFrom = (text: string, { pcm, sampleRateHz }: Pcm, marks: ReadonlyArray<WordMark>) =>
  Effect.suspend(() => {
    const spokenSec = pcm.length / sampleRateHz
    return spokenSec > secondsMax(text)
      ? Effect.fail(garbage(`${Math.round(spokenSec)} s of sound for ${text.length} characters`))
      : examine(text, {
          pcm,
          sampleRateHz,
          marks: marks.filter(({ startMs }) => startMs >= 0 && startMs <= spokenSec * 1_000)
        })
  })
