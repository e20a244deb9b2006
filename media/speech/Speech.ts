import { Cause, Clock, Effect, Layer, Result, Semaphore } from "effect"
import {
  speechCacheMaxBytes,
  speechEngineRestMs,
  speechMaxSec,
  speechQueueMax,
  spokenCharsMax
} from "../../engine/rules/voices/limits.ts"
import type { RawSound, SpeechRole } from "../../engine/ports/Speech.ts"
import { Speech, SpeechFailed } from "../../engine/ports/Speech.ts"
import type { SpeechGenerator } from "../../schema/Synthetic.ts"
import type { Voice } from "../../schema/voices/Voice.ts"
import { readingsOf } from "./SpeechDelivery.ts"
import { makeSpeechEngine } from "./SpeechEngine.ts"
import type { SpeechEngine, SpokenLine, SpokenLineAsk } from "./SpeechEngine.ts"
import { joinLines } from "./SpokenSound.ts"
import { lineOf, sentencesOf } from "./SpokenText.ts"
import { catalog, recipeOfMade } from "./VoiceCatalog.ts"
import { variantFile } from "./VoiceRecipe.ts"

/** A script and a voice give the same sound as long as it is kept; the engine itself varies from call to call. */
const makeCache = (maxBytes: number) => {
  const kept = new Map<string, RawSound>()
  let bytes = 0
  const sizeOf = (sound: RawSound) => sound.channels.reduce((sum, channel) => sum + channel.byteLength, 0)
  return {
    get: (key: string): RawSound | null => {
      const found = kept.get(key)
      if (found === undefined) return null
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    put: (key: string, sound: RawSound): void => {
      if (sizeOf(sound) > maxBytes / 2 || kept.has(key)) return
      kept.set(key, sound)
      bytes += sizeOf(sound)
      for (const [oldest, old] of kept) {
        if (bytes <= maxBytes) break
        kept.delete(oldest)
        bytes -= sizeOf(old)
      }
    }
  }
}

/**
 * Asks the engines in order. A failed one rests before the next attempt, so that a script of sixty sentences does not wait sixty times for
 * a hanging engine.
 */
const withFailover = (engines: ReadonlyArray<SpeechEngine>) => {
  const restsUntilMs = engines.map(() => 0)
  return Effect.fnUntraced(function* (ask: SpokenLineAsk): Effect.fn.Return<SpokenLine, SpeechFailed> {
    const nowMs = yield* Clock.currentTimeMillis
    const awake = engines.map((_, index) => index).filter((index) => restsUntilMs[index]! <= nowMs)
    let failure = new SpeechFailed({ reason: "crashed", detail: "No speech engine is in working order." })
    for (const index of awake.length > 0 ? awake : engines.keys()) {
      const spoken = yield* Effect.result(engines[index]!.speak(ask))
      if (Result.isSuccess(spoken)) {
        restsUntilMs[index] = 0
        return spoken.success
      }
      failure = spoken.failure
      // A sentence without sound is not the engine's fault.
      if (failure.reason !== "silent") restsUntilMs[index] = (yield* Clock.currentTimeMillis) + speechEngineRestMs
      yield* Effect.logWarning(
        `Speech engine ${index + 1} of ${engines.length} failed (${failure.reason}): ${failure.detail}`
      )
    }
    return yield* failure
  })
}

/** Speech by rules and formants, without a model of anybody's voice. */
const espeak: SpeechGenerator = { name: "eSpeak NG", trained: false }

/** The port on given engines, asked in this order. */
export const speechOver = Effect.fnUntraced(function* (
  engines: ReadonlyArray<SpeechEngine>,
  generator: SpeechGenerator = espeak
) {
  const voices = new Map(catalog.map((entry) => [entry.voice.voiceId, entry]))
  const cache = makeCache(speechCacheMaxBytes)
  const speakLine = withFailover(engines)
  const inTurn = yield* Semaphore.make(1)
  let waiting = 0

  const synthesise = Effect.fnUntraced(function* (
    text: string,
    voiceId: string,
    role: SpeechRole,
    made: Voice | undefined
  ) {
    const recipe = voices.get(voiceId)?.recipe ?? (made === undefined ? null : recipeOfMade(made))
    if (recipe === null)
      return yield* new SpeechFailed({
        reason: "unknown_voice",
        detail: `There is no voice ${voiceId} in the catalog.`
      })
    if (text.length > spokenCharsMax)
      return yield* new SpeechFailed({
        reason: "unreadable",
        detail: `The text is longer than ${spokenCharsMax} characters.`
      })
    const sentences = sentencesOf(text)
    if (sentences.length === 0)
      return yield* new SpeechFailed({ reason: "unreadable", detail: "The text has no words that can be spoken." })
    const variantName = `longwave-${voiceId}`
    const variant = variantFile(variantName, recipe)
    const readings = readingsOf(sentences, recipe, role)
    let spokenSec = 0
    const lines = yield* Effect.forEach(
      sentences,
      Effect.fnUntraced(function* (sentence, index) {
        const line = yield* speakLine({
          text: lineOf(sentence.words).text,
          accentFile: recipe.accentFile,
          variantName,
          variantFile: variant,
          timbre: recipe.timbre,
          ...readings[index]!
        })
        // A page of digits is an hour of speech: stops here, before memory runs out.
        spokenSec += line.pcm.length / line.sampleRateHz + sentence.pauseMs / 1000
        if (spokenSec > speechMaxSec)
          return yield* new SpeechFailed({
            reason: "unreadable",
            detail: `Spoken, the text is longer than ${speechMaxSec} s.`
          })
        return line
      })
    )
    return joinLines(sentences, lines)
  })

  return Speech.of({
    voices: catalog.map(({ voice }) => voice),
    generator,
    speak: ({ text, voiceId, role, made }) =>
      Effect.suspend(() => {
        const key = JSON.stringify([voiceId, role, text])
        const known = cache.get(key)
        if (known !== null) return Effect.succeed(known)
        if (waiting >= speechQueueMax)
          return Effect.fail(
            new SpeechFailed({
              reason: "busy",
              detail: `${waiting} scripts are waiting for the speech engine already.`
            })
          )
        waiting++
        return synthesise(text, voiceId, role, made).pipe(
          inTurn.withPermit,
          Effect.tap((sound) => Effect.sync(() => cache.put(key, sound))),
          Effect.ensuring(
            Effect.sync(() => {
              waiting--
            })
          ),
          // A defect in one script fails that script, not the station.
          Effect.catchDefect((defect) =>
            Effect.fail(new SpeechFailed({ reason: "crashed", detail: Cause.pretty(Cause.die(defect)) }))
          )
        )
      })
  })
})

/** The embedded engines: eSpeak NG with word events first, its command line build if that fails. */
export const SpeechLive = Layer.effect(
  Speech,
  Effect.gen(function* () {
    const script = new URL("./SpeechWorker.ts", import.meta.url)
    return yield* speechOver([
      yield* makeSpeechEngine(script, { engine: "echogarden" }),
      yield* makeSpeechEngine(script, { engine: "command-line" })
    ])
  })
)
