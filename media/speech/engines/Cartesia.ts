import { Effect, Option, Schema } from "effect"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import type { WordMark } from "../SpeechEngine.ts"
import { base64Pcm, lineFrom, type MakeProvider, secondsMax } from "./Provider.ts"
import type { ProviderAnswer } from "./ProviderRequest.ts"

const sampleRateHz = 44_100
/** The version of the API that this was written for. */
const apiVersion = "2026-03-01"

const Event = Schema.Union([
  Schema.Struct({ type: Schema.Literal("chunk"), data: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("timestamps"),
    word_timestamps: Schema.Struct({ words: Schema.Array(Schema.String), start: Schema.Array(Schema.Finite) })
  }),
  Schema.Struct({ type: Schema.Literal("done") }),
  Schema.Struct({ type: Schema.Literal("error") })
])

/** The events of a stream; unknown kinds are skipped. */
const eventsOf = ({ body }: ProviderAnswer): ReadonlyArray<typeof Event.Type> =>
  Buffer.from(body)
    .toString("utf8")
    .split(/\r?\n/)
    .flatMap((line) => {
      if (!line.startsWith("data:")) return []
      try {
        return Option.toArray(Schema.decodeUnknownOption(Event)(JSON.parse(line.slice(5))))
      } catch {
        return []
      }
    })

const stripWord = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

/** The words of the timestamps, found again in the text one after the other. */
const marksOf = (text: string, events: ReadonlyArray<typeof Event.Type>): ReadonlyArray<WordMark> => {
  const written = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word: stripWord(word), atChar: index }))
  const marks: Array<WordMark> = []
  let next = 0
  for (const event of events) {
    if (event.type !== "timestamps") continue
    const { start, words } = event.word_timestamps
    for (const [index, word] of words.entries()) {
      // A word that is spelled otherwise is passed over; its neighbours place it.
      const found = written.findIndex((one, at) => at >= next && at < next + 4 && one.word === stripWord(word))
      if (found < 0 || start[index] === undefined) continue
      marks.push({ atChar: written[found]!.atChar, startMs: Math.round(start[index] * 1_000) })
      next = found + 1
    }
  }
  return marks
}

/** Cartesia's server-sent events: sound in pieces, and the times of the words. */
export const cartesia: MakeProvider = ({ key, model, url }, post) => ({
  generator: { name: `Cartesia ${model}`, trained: true },
  passageMaxChars: 1_000,
  speak: ({ text, voice }) =>
    post({
      url: `${url}/tts/sse`,
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "cartesia-version": apiVersion,
        ...(key === null ? {} : { authorization: `Bearer ${key}` })
      },
      body: JSON.stringify({
        model_id: model,
        transcript: text,
        voice: { mode: "id", id: voice },
        output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: sampleRateHz },
        add_timestamps: true
      }),
      secondsMax: secondsMax(text)
    }).pipe(
      Effect.flatMap((answer) => {
        const events = eventsOf(answer)
        // A stream that was cut off has no end.
        const isWhole = events.at(-1)?.type === "done" && events.every(({ type }) => type !== "error")
        const sound = events.flatMap((event) => (event.type === "chunk" ? [event.data] : []))
        return isWhole && sound.length > 0
          ? Effect.flatMap(base64Pcm(sound, sampleRateHz), (pcm) => lineFrom(text, pcm, marksOf(text, events)))
          : Effect.fail(new SpeechFailed({ reason: "crashed", detail: "The provider's answer holds no whole sound." }))
      })
    )
})
