import { Effect } from "effect"
import { speechMaxSec } from "../../engine/rules/voices/limits.ts"
import { SpeechFailed, type SpeechRole } from "../../engine/ports/Speech.ts"
import type { SpeechGenerator } from "../../schema/Synthetic.ts"
import type { Voice } from "../../schema/voices/Voice.ts"
import type { Sentence } from "./SpokenText.ts"

/** Position of a word in the spoken text of its sentence (`lineOf`), and its time from the first sample. */
export interface WordMark {
  readonly atChar: number
  readonly startMs: number
}

/** One sentence as spoken. `marks` is empty if the engine gives no times; missing words are interpolated. */
export interface SpokenLine {
  readonly pcm: Float32Array
  readonly sampleRateHz: number
  readonly marks: ReadonlyArray<WordMark>
}

/** A script for any engine: sentences of plain text with the pauses after them, and the voice of the catalog that speaks. */
export interface Script {
  readonly sentences: ReadonlyArray<Sentence>
  readonly voice: Voice
  readonly role: SpeechRole
}

/** A sentence, or several as one breath, and its sound. */
export interface SpokenPassage {
  readonly sentence: Sentence
  readonly line: SpokenLine
}

/**
 * A speech engine. It speaks a whole script with one voice, or fails: no partial sound leaves it. It maps the catalog's voice to one of its
 * own, by id or by the voice's gender, age and pace, and fails with `unknown_voice` if it has none.
 *
 * An engine joins the chain in two steps: a module of `engines/` that makes a `SpeechEngine`, and an entry in
 * `configuredEngines` of `engines/Engines.ts`, which makes it when the operator has set it up. The chain gives it a deadline, a circuit
 * breaker, a count, the check of its sound, and the next engine when it fails.
 */
export interface SpeechEngine {
  readonly name: string
  /** The name written into the mark of its sounds. */
  readonly generator: SpeechGenerator
  /** US dollars per 1,000 characters; 0 on this machine, null if unknown. */
  readonly pricePer1000Chars: number | null
  /** The longest time for a whole script. */
  readonly timeoutMs: number
  readonly speak: (script: Script) => Effect.Effect<ReadonlyArray<SpokenPassage>, SpeechFailed>
}

const failure = (reason: SpeechFailed["reason"], detail: string) => new SpeechFailed({ reason, detail })

/** Louder than any engine's dither, softer than any word. */
const audible = 0.003

/** Engines may fall silent without an error, so their output is checked. */
export const examine = (text: string, line: SpokenLine): Effect.Effect<SpokenLine, SpeechFailed> => {
  let peak = 0
  for (const sample of line.pcm) {
    const size = Math.abs(sample)
    if (!(size <= 4)) return Effect.fail(failure("crashed", "The engine returned samples that are not numbers."))
    if (size > peak) peak = size
  }
  return peak < audible
    ? Effect.fail(failure("silent", `The engine said nothing for ${JSON.stringify(text.slice(0, 80))}.`))
    : Effect.succeed(line)
}

/**
 * Speaks sentence by sentence, `atOnce` at a time. A page of digits is an hour of speech: stops at `speechMaxSec`, before memory runs out.
 */
export const sentenceBySentence = (
  sentences: ReadonlyArray<Sentence>,
  speakOne: (sentence: Sentence, index: number) => Effect.Effect<SpokenLine, SpeechFailed>,
  atOnce = 1
): Effect.Effect<ReadonlyArray<SpokenPassage>, SpeechFailed> =>
  Effect.suspend(() => {
    let spokenSec = 0
    return Effect.forEach(
      sentences,
      Effect.fnUntraced(function* (sentence, index) {
        const line = yield* speakOne(sentence, index)
        spokenSec += line.pcm.length / line.sampleRateHz + sentence.pauseMs / 1000
        if (spokenSec > speechMaxSec)
          return yield* failure("unreadable", `Spoken, the text is longer than ${speechMaxSec} s.`)
        return { sentence, line }
      }),
      { concurrency: atOnce }
    )
  })
