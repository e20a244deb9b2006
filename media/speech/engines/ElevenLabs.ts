import { Effect, Option, Schema } from "effect"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import type { WordMark } from "../SpeechEngine.ts"
import { base64Pcm, jsonAnswer, lineFrom, type MakeProvider, secondsMax } from "./Provider.ts"

const sampleRateHz = 24_000

const Answer = Schema.Struct({
  audio_base64: Schema.String,
  alignment: Schema.NullOr(
    Schema.Struct({
      characters: Schema.Array(Schema.String),
      character_start_times_seconds: Schema.Array(Schema.Finite)
    })
  )
})

/** A mark for each character; the words pick theirs. Characters that don't match the text end the list. */
const marksOf = (text: string, { alignment }: typeof Answer.Type): ReadonlyArray<WordMark> => {
  const marks: Array<WordMark> = []
  let atChar = 0
  for (const [index, character] of (alignment?.characters ?? []).entries()) {
    const start = alignment!.character_start_times_seconds[index]
    if (start === undefined || !text.startsWith(character, atChar)) break
    marks.push({ atChar, startMs: Math.round(start * 1_000) })
    atChar += character.length
  }
  return marks
}

/** ElevenLabs' speech with timestamps: the times of all characters come with the sound. */
export const elevenLabs: MakeProvider = ({ key, model, url }, post) => ({
  generator: { name: `ElevenLabs ${model}`, trained: true },
  passageMaxChars: 1_000,
  speak: ({ text, voice }) =>
    post({
      url: `${url}/v1/text-to-speech/${encodeURIComponent(voice)}/with-timestamps?output_format=pcm_${sampleRateHz}`,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(key === null ? {} : { "xi-api-key": key })
      },
      body: JSON.stringify({ text, model_id: model }),
      secondsMax: secondsMax(text)
    }).pipe(
      Effect.flatMap((answer) =>
        Option.match(Schema.decodeUnknownOption(Answer)(jsonAnswer(answer)), {
          onNone: () =>
            Effect.fail(new SpeechFailed({ reason: "crashed", detail: "The provider's answer holds no sound." })),
          onSome: (found) =>
            Effect.flatMap(base64Pcm([found.audio_base64], sampleRateHz), (pcm) =>
              lineFrom(text, pcm, marksOf(text, found))
            )
        })
      )
    )
})
