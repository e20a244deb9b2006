import { Cause, Clock, Effect, Layer } from "effect"
import { speechCacheMaxBytes, speechQueueMax, spokenCharsMax } from "../../engine/rules/voices/limits.ts"
import { type RawSound, Speech, SpeechFailed, SpeechRole, type SpokenSound } from "../../engine/ports/Speech.ts"
import type { SpeechEngineState } from "../../schema/voices/Speech.ts"
import { makeEmbedded } from "./EmbeddedEngine.ts"
import { failover } from "./Failover.ts"
import type { Script, SpeechEngine } from "./SpeechEngine.ts"
import type { SoundCheck } from "./SoundCheck.ts"
import { joinLines } from "./SpokenSound.ts"
import { lineOf, sentencesOf } from "./SpokenText.ts"
import { catalog } from "./VoiceCatalog.ts"

/** A script and a voice give the same sound as long as it is kept; the engine itself varies from call to call. */
const makeCache = (maxBytes: number) => {
  const kept = new Map<string, SpokenSound>()
  let bytes = 0
  const sizeOf = (sound: RawSound) => sound.channels.reduce((sum, channel) => sum + channel.byteLength, 0)
  return {
    get: (key: string): SpokenSound | null => {
      const found = kept.get(key)
      if (found === undefined) return null
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    put: (key: string, sound: SpokenSound): void => {
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

/** The engines of each role, in the order in which they are asked. The last ones can't be out of reach. */
export interface SpeechChains {
  readonly PRIMARY: ReadonlyArray<SpeechEngine>
  readonly SPEED: ReadonlyArray<SpeechEngine>
  /** For agents that operators granted paid speech: the engines of providers, whether or not a role has them. */
  readonly paid?: ReadonlyArray<SpeechEngine>
}

const charsOf = ({ sentences }: Script) => sentences.reduce((sum, { words }) => sum + lineOf(words).text.length, 0)

/** An engine with its deadline, the check of its sound, and its counts. */
const countEngine = (engine: SpeechEngine, check: SoundCheck) => {
  const counts = { scripts: 0, failures: 0, characters: 0 }
  let lastFailure: SpeechEngineState["lastFailure"] = null
  const speak = (script: Script): Effect.Effect<SpokenSound, SpeechFailed> =>
    Effect.suspend(() => engine.speak(script)).pipe(
      Effect.flatMap((passages) => check(script, passages, { ...joinLines(passages), by: engine.generator })),
      Effect.timeoutOrElse({
        duration: engine.timeoutMs,
        orElse: () =>
          Effect.fail(
            new SpeechFailed({ reason: "timeout", detail: `No whole sound within ${engine.timeoutMs / 1_000} s.` })
          )
      }),
      // A defect in one script fails that script, not the station.
      Effect.catchDefect((defect) =>
        Effect.fail(new SpeechFailed({ reason: "crashed", detail: Cause.pretty(Cause.die(defect)) }))
      ),
      Effect.tap(() =>
        Effect.sync(() => {
          counts.scripts++
          counts.characters += charsOf(script)
        })
      ),
      Effect.tapError(({ detail, reason }) =>
        Effect.map(Clock.currentTimeMillis, (atMs) => {
          counts.failures++
          lastFailure = { reason, detail, atMs }
        })
      )
    )
  const state = (roles: SpeechEngineState["roles"], isOut: boolean): SpeechEngineState => ({
    name: engine.name,
    generator: engine.generator.name,
    trained: engine.generator.trained,
    roles,
    state: isOut ? "out" : "ready",
    lastFailure,
    ...counts,
    pricePer1000Chars: engine.pricePer1000Chars
  })
  return { name: engine.name, speak, state }
}

/** The port on given engines. */
export const makeSpeech = Effect.fnUntraced(function* (
  chains: SpeechChains,
  check: SoundCheck = (_script, _passages, sound) => Effect.succeed(sound)
) {
  const voices = new Map(catalog.map(({ voice }) => [voice.voiceId, voice]))
  const cache = makeCache(speechCacheMaxBytes)
  const all = new Map(
    [...new Set([...(chains.paid ?? []).slice(0, -1), ...chains.PRIMARY, ...chains.SPEED])].map(
      (engine) => [engine, countEngine(engine, check)] as const
    )
  )
  const last = chains.PRIMARY.at(-1)?.name
  // A text without sound is not the fault of the engine at the end; a provider that sends silence is at fault.
  const { isOut, speak } = yield* failover<Script, SpokenSound>(
    ({ reason }, name) => reason !== "unreadable" && reason !== "busy" && (reason !== "silent" || name !== last)
  )
  let waiting = 0

  const scriptOf = (
    text: string,
    voice: Script["voice"] | undefined,
    voiceId: string,
    role: SpeechRole
  ): Effect.Effect<Script, SpeechFailed> => {
    const fail = (reason: SpeechFailed["reason"], detail: string) => Effect.fail(new SpeechFailed({ reason, detail }))
    if (voice === undefined) return fail("unknown_voice", `There is no voice ${voiceId} in the catalog.`)
    if (text.length > spokenCharsMax) return fail("unreadable", `The text is longer than ${spokenCharsMax} characters.`)
    const sentences = sentencesOf(text)
    if (sentences.length === 0) return fail("unreadable", "The text has no words that can be spoken.")
    return Effect.succeed({ sentences, voice, role })
  }

  const engines = Effect.forEach([...all], ([engine, { name, state }]) =>
    Effect.map(isOut(name), (out) =>
      state(
        SpeechRole.literals.filter((role) => chains[role].includes(engine)),
        out
      )
    )
  )

  return Speech.of({
    voices: catalog.map(({ voice }) => voice),
    engines,
    paidEngines: (chains.paid ?? []).slice(0, -1).map(({ name }) => name),
    speak: ({ isPaid = false, made, role, text, voiceId }) =>
      Effect.suspend(() => {
        const chain = (isPaid ? chains.paid : undefined) ?? chains[role]
        const key = JSON.stringify([voiceId, role, isPaid, text])
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
        return scriptOf(text, voices.get(voiceId) ?? made, voiceId, role).pipe(
          Effect.flatMap((script) =>
            speak(
              chain.map((engine) => all.get(engine)!),
              script
            )
          ),
          Effect.tap((sound) =>
            Effect.sync(() => {
              // The sound of a fallback is not kept: the first engine speaks again when it is back.
              if (sound.by === chain[0]?.generator) cache.put(key, sound)
            })
          ),
          Effect.ensuring(
            Effect.sync(() => {
              waiting--
            })
          )
        )
      })
  })
})

/** The embedded engine alone. */
export const EmbeddedSpeech = Layer.effect(
  Speech,
  Effect.gen(function* () {
    const engine = yield* makeEmbedded
    return yield* makeSpeech({ PRIMARY: [engine], SPEED: [engine] })
  })
)
