import { layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { releaseHolds } from "../../../actors/segments/ScriptWorker.ts"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { releaseLeftHolds, reserveRead, reserveSpeech } from "../../../actors/voices/SpeechReservation.ts"
import { ownDefaults } from "../../../engine/rules/operations/Settings.ts"
import { meterNames, speechQuota } from "../../../engine/rules/voices/SpeechQuota.ts"
import { SettingsWriter } from "../../../engine/store/operations/Settings.ts"
import { Meters } from "../../../engine/store/sql/Meters.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import { SpeechHolds } from "../../../engine/store/voices/SpeechHolds.ts"
import type { Broadcaster } from "../../../schema/segments/Submission.ts"
import { ScriptedPrepare, ScriptedSpeech, SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { speechDraft, stranger, studioHouse, StudioWorld } from "../../support/segments/StudioWorld.ts"

const used = (by: Broadcaster) =>
  Effect.flatMap(Meters, (meters) =>
    Effect.map(meters.read(meterNames(by.agentId, by.ownerKey)), (read) =>
      speechQuota(read, 0, { speechMinutesPerDay: 1_200, ...ownDefaults }, 0).map((quota) => quota.used)
    )
  )
const turnOfLoop = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
layer(StudioWorld)("a hold on the speech meters", (it) => {
  it.effect("of a process that died is released once by the next one", () =>
    Effect.gen(function* () {
      const by = stranger()
      const script = yield* SpeechScript
      script.fault = "hangs"
      const generate = Effect.flatMap(Studio.client, (client) =>
        client(by.agentId).GenerateSpeech({ by, draft: speechDraft() })
      )
      const frozen = yield* Effect.forkChild(Effect.exit(generate))
      while (script.asked.length === 0) yield* turnOfLoop
      expect((yield* used(by))[0]).toBe(1)

      // Another incarnation of all actors on the same database, as after SIGKILL and a restart.
      const scope = yield* Scope.make()
      const after = yield* Layer.buildWithScope(
        Layer.fresh(studioHouse(Layer.mergeAll(ScriptedSpeech, ScriptedPrepare))),
        scope
      )
      const there = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, after)
      expect(yield* there(Effect.flatMap(Studio.client, (client) => client(by.agentId).ReleaseHolds()))).toBe(1)
      // Read there: each process remembers for a moment what it has changed itself.
      expect(yield* there(used(by))).toEqual([0, 0, 0])
      script.fault = "none"
      expect((yield* there(generate)).quota[0]!.used).toBe(1)
      const [, , minutes] = yield* there(used(by))

      yield* Fiber.interrupt(frozen)
      for (let turn = 0; turn < 50; turn++) yield* turnOfLoop
      expect(yield* there(used(by))).toEqual([1, 1, minutes])
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.effect("that was released must be taken again when the sound arrives late", () =>
    Effect.gen(function* () {
      const by = stranger()
      const late = yield* reserveSpeech(by, 0, 10)
      expect(yield* releaseLeftHolds(by.agentId)).toBe(1)
      yield* late.settle(60)
      expect(yield* used(by)).toEqual([1, 1, 1])
      yield* late.refund
      expect(yield* used(by)).toEqual([1, 1, 1])

      const tooLate = yield* reserveSpeech(by, 0, 10)
      yield* releaseLeftHolds(by.agentId)
      for (let n = 0; n < 14; n++) yield* Effect.flatMap(reserveSpeech(by, 0, 1), ({ settle }) => settle(1))
      expect(yield* Effect.flip(tooLate.settle(5))).toMatchObject({ code: "RATE_LIMITED" })
    })
  )

  it.effect("keeps to the settings in force: when it is taken, settled, and shown", () =>
    Effect.gen(function* () {
      const by = stranger()
      const settings = yield* SettingsWriter
      const { run } = yield* Transaction
      const change = (ownerSpeechMinutesPerDay: number | null) =>
        run(settings.change({ ownerSpeechMinutesPerDay }, "a test"))
      yield* change(2)
      const first = yield* reserveSpeech(by, 0, 150)
      expect(yield* Effect.flip(reserveSpeech(by, 0, 300))).toMatchObject({
        code: "STATION_TTS_QUOTA_EXHAUSTED",
        meter: "owner"
      })
      expect(yield* Effect.flip(run(first.settle(121)))).toMatchObject({ code: "STATION_TTS_QUOTA_EXHAUSTED" })
      yield* first.refund
      yield* change(10)
      const second = yield* reserveSpeech(by, 0, 300)
      yield* change(3)
      yield* run(second.settle(90))
      const script = yield* SpeechScript
      script.fault = "none"
      const { quota } = yield* Effect.flatMap(Studio.client, (client) =>
        client(by.agentId).GenerateSpeech({ by, draft: speechDraft() })
      )
      expect(quota.find(({ name }) => name === "owner_speech_minutes_per_day")).toMatchObject({ limit: 3 })
      yield* change(null)
    })
  )

  it.effect("is checked in every round, also for the station's own budget", () =>
    Effect.gen(function* () {
      const by = stranger()
      yield* reserveSpeech(by, 0, 10)
      yield* reserveRead(by.agentId, "house", 150)
      const house = Effect.flatMap(Meters, (meters) =>
        Effect.map(meters.read(["house_reads"]), ([meter]) => meter!.seconds.sum)
      )
      expect(yield* house).toBe(60)
      yield* releaseHolds()
      expect(yield* (yield* SpeechHolds).listByAgent(by.agentId)).toHaveLength(2)
      yield* TestClock.adjust("61 seconds")
      yield* releaseHolds()
      expect(yield* (yield* SpeechHolds).listByAgent(by.agentId)).toHaveLength(0)
      expect([yield* house, (yield* used(by))[1]]).toEqual([0, 0])
    })
  )
})
