import { readyEngine } from "../../support/media/SpeechDoubles.ts"
import { it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Deferred, Effect, FileSystem, Layer, Ref } from "effect"
import { expect } from "vitest"
import { speechLufs } from "../../../engine/rules/sound/limits.ts"
import { voiceSamplesWaitingMax } from "../../../engine/rules/voices/limits.ts"
import { Prepare } from "../../../engine/ports/Prepare.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import { VoiceSamples } from "../../../engine/ports/VoiceSamples.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { catalog } from "../../../media/speech/VoiceCatalog.ts"
import { VoiceSamplesLive } from "../../../media/speech/VoiceSamples.ts"
import { measureFile, PrepareTemporary } from "../../support/media/Media.ts"

const voices = catalog.map(({ voice }) => voice)
const [one, two] = [voices[3]!, voices[7]!]

/** The real engines, and a count of how often they were asked. */
const counting = Layer.effect(
  Speech,
  Effect.map(Speech, (speech) =>
    Speech.of({
      ...speech,
      speak: (ask) => Effect.tap(speech.speak(ask), () => Effect.sync(() => asked.push(ask.voiceId)))
    })
  )
).pipe(Layer.provide(EmbeddedSpeech))
const asked: Array<string> = []

it.layer(VoiceSamplesLive.pipe(Layer.provideMerge(Layer.mergeAll(counting, PrepareTemporary, NodeServices.layer))), {
  excludeTestServices: true
})("a voice's sample", (it) => {
  it.effect("is made once, however many ask for it at once, and is fit for the ear", () =>
    Effect.gen(function* () {
      const { sample } = yield* VoiceSamples
      const paths = yield* Effect.forEach(Array.from({ length: 8 }), () => sample(one), { concurrency: 8 })
      expect([new Set(paths).size, asked.filter((id) => id === one.voiceId).length]).toEqual([1, 1])
      const { lufs, truePeakDbtp } = yield* measureFile(paths[0]!)
      expect(Math.abs(lufs - speechLufs)).toBeLessThan(1)
      expect(truePeakDbtp).toBeLessThanOrEqual(-0.5)
      expect(yield* sample(two)).not.toBe(paths[0])
    })
  )

  it.effect("is found again by who comes later, and made again when it is gone", () =>
    Effect.gen(function* () {
      const { sample } = yield* VoiceSamples
      const path = yield* sample(one)
      const before = asked.length
      const again = yield* Effect.flatMap(VoiceSamples, (samples) => samples.sample(one)).pipe(
        Effect.provide(VoiceSamplesLive)
      )
      expect([again, asked.length]).toEqual([path, before])
      yield* (yield* FileSystem.FileSystem).remove(path)
      expect(yield* sample(one)).toBe(path)
      expect(asked.length).toBe(before + 1)
    })
  )
})

it.effect("turns away who would wait too long, and forgets no place when a maker fails", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const looked = yield* Ref.make(0)
    const stuck = Layer.mergeAll(
      Layer.succeed(
        Speech,
        Speech.of({
          voices: [],
          engines: Effect.succeed([readyEngine]),
          paidEngines: [],
          speak: () => Effect.andThen(Deferred.await(gate), Effect.die("no sound"))
        })
      ),
      Layer.succeed(Prepare, { listeningCopyOf: (id: string) => `/nowhere/${id}` } as unknown as Prepare["Service"]),
      FileSystem.layerNoop({
        exists: () =>
          Effect.as(
            Ref.update(looked, (count) => count + 1),
            false
          )
      })
    )
    yield* Effect.gen(function* () {
      const { sample } = yield* VoiceSamples
      const waiting = yield* Effect.forkChild(
        Effect.forEach(voices.slice(0, voiceSamplesWaitingMax), (voice) => Effect.result(sample(voice)), {
          concurrency: "unbounded"
        })
      )
      // Each looks for its sample before it waits.
      while ((yield* Ref.get(looked)) < voiceSamplesWaitingMax) yield* Effect.yieldNow
      expect(yield* Effect.flip(sample(voices[20]!))).toMatchObject({
        _tag: "SampleBusy",
        detail: expect.stringContaining(String(voiceSamplesWaitingMax))
      })
      yield* Deferred.succeed(gate, undefined)
      while (waiting.pollUnsafe() === undefined)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      expect(yield* Effect.flip(sample(voices[20]!))).toMatchObject({
        detail: expect.stringContaining(voices[20]!.voiceId)
      })
    }).pipe(Effect.provide(VoiceSamplesLive.pipe(Layer.provide(stuck))))
  })
)
