import { Effect, FileSystem, Layer, Semaphore } from "effect"
import { createHash } from "node:crypto"
import { voiceSampleTimeoutSec, voiceSamplesAtOnce, voiceSamplesWaitingMax } from "../../engine/rules/voices/limits.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { SampleBusy, VoiceSamples } from "../../engine/ports/VoiceSamples.ts"
import { makeId } from "../../schema/Ids.ts"
import { markFields, markOfSpeech, type SyntheticMark } from "../../schema/Synthetic.ts"
import type { Voice } from "../../schema/voices/Voice.ts"

/**
 * Stable as long as the voice says the same line with the same mark: a sample is found again after a restart, and one from before there
 * were marks is made anew.
 */
const sampleId = ({ sampleLine, voiceId }: Voice, synthetic: SyntheticMark) =>
  makeId(
    "mas",
    0,
    createHash("sha256")
      .update(JSON.stringify([voiceId, sampleLine, markFields(synthetic)]))
      .digest()
  )

/** One at a time: samples must not delay the programme. */
export const VoiceSamplesLive = Layer.effect(
  VoiceSamples,
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const prepare = yield* Prepare
    const speech = yield* Speech
    const inTurn = yield* Semaphore.make(voiceSamplesAtOnce)
    let waiting = 0

    /** The mark of the engine that would speak now: a sample by a fallback is another sound. */
    const mark = Effect.map(speech.engines, (engines) => {
      const chain = engines.filter(({ roles }) => roles.includes("PRIMARY"))
      const { generator, trained } = chain.find(({ state }) => state === "ready") ?? chain.at(-1)!
      return markOfSpeech({ name: generator, trained }, null)
    })

    const isThere = (path: string) => files.exists(path).pipe(Effect.orElseSucceed(() => false))

    const make = Effect.fnUntraced(
      function* (voice: Voice) {
        const raw = yield* speech.speak({
          text: voice.sampleLine,
          voiceId: voice.voiceId,
          role: "PRIMARY",
          made: voice
        })
        const synthetic = markOfSpeech(raw.by, null)
        const id = sampleId(voice, synthetic)
        yield* prepare.prepare({
          id,
          kind: "speech",
          raw,
          role: "PRIMARY",
          introEndMs: null,
          segueMs: null,
          synthetic
        })
        return prepare.listeningCopyOf(id)
      },
      (making, voice) =>
        making.pipe(
          Effect.timeout(`${voiceSampleTimeoutSec} seconds`),
          Effect.catchDefect((defect) => Effect.fail({ _tag: "Crashed" as const, detail: String(defect) })),
          Effect.tapError((error) => Effect.logWarning(`no sample of ${voice.voiceId}`, error)),
          Effect.mapError(() => new SampleBusy({ detail: `${voice.voiceId} can't be heard at the moment.` }))
        )
    )

    return VoiceSamples.of({
      sample: Effect.fnUntraced(function* (voice) {
        const path = prepare.listeningCopyOf(sampleId(voice, yield* mark))
        if (yield* isThere(path)) return path
        if (waiting >= voiceSamplesWaitingMax)
          return yield* new SampleBusy({ detail: `${waiting} voices wait for their first sample.` })
        waiting++
        // Callers that waited find the finished sample.
        return yield* Effect.flatMap(isThere(path), (there) => (there ? Effect.succeed(path) : make(voice))).pipe(
          inTurn.withPermit,
          Effect.ensuring(
            Effect.sync(() => {
              waiting--
            })
          )
        )
      })
    })
  })
)
