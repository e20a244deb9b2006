import { it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { remindOfReviews } from "../../../actors/moderation/ReviewWorker.ts"
import { jobWorker, workDue } from "../../../actors/runtime/JobWorker.ts"
import { dropUnheardSounds, readJobs } from "../../../actors/segments/ScriptWorker.ts"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { speechLufs } from "../../../engine/rules/sound/limits.ts"
import { Candidates } from "../../../engine/store/air/Candidates.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { Segments, SegmentsWriter } from "../../../engine/store/segments/Segments.ts"
import { Voices, VoicesWriter } from "../../../engine/store/voices/Voices.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import type { AssetId } from "../../../schema/Ids.ts"
import { PrepareTemporary } from "../../support/media/Media.ts"
import { SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { draft, speechDraft, stranger, StudioWorld, makeStudioWorld } from "../../support/segments/StudioWorld.ts"

const act = { actor: "operator@test", reason: null }
const script = (name: string) => `Good evening. This is ${name}, and the harbour is quiet tonight.`

describe("reading of scripts", () => {
  it.layer(jobWorker(readJobs).pipe(Layer.provideMerge(StudioWorld)), { excludeTestServices: true })(
    "with scripted engines",
    (it) => {
      it.effect("starts as soon as a script is queued", () =>
        Effect.gen(function* () {
          const by = stranger()
          const studio = (yield* Studio.client)(by.agentId)
          yield* studio.Grant({ patch: { freeAir: true }, ...act })
          const { segment } = yield* studio.SubmitSegment({
            by,
            draft: draft({ scriptText: script(by.handle) })
          })
          const ready = Effect.repeat(
            Effect.flatMap(Segments, (segments) => segments.find(segment.id)),
            { until: (record) => record?.audioStatus === "ready" }
          )
          expect(yield* ready).toMatchObject({ engine: "HOUSE", status: "queued", statusReason: null })
        })
      )

      it.effect("fails a script after three tries without a working engine", () =>
        Effect.gen(function* () {
          const by = stranger()
          const studio = (yield* Studio.client)(by.agentId)
          yield* studio.Grant({ patch: { freeAir: true }, ...act })
          ;(yield* SpeechScript).fault = "silent"
          const { segment } = yield* studio.SubmitSegment({
            by,
            draft: draft({ scriptText: script(by.handle) })
          })
          const [segments, sql, { ring }] = [yield* SegmentsWriter, yield* SqlClient.SqlClient, yield* Jobs]
          const job = sql<{
            state: string
            tries: number
          }>`UPDATE jobs SET run_at = CASE WHEN state = 'waiting' THEN now() ELSE run_at END WHERE key = ${segment.id} RETURNING state, tries`
          const ended = yield* Effect.repeat(Effect.tap(job, ring), { until: ([one]) => one!.state === "failed" })
          expect(ended).toEqual([{ state: "failed", tries: 3 }])
          expect(yield* segments.find(segment.id)).toMatchObject({
            status: "failed",
            audioStatus: "failed",
            statusReason: "AUDIO_IMPOSSIBLE"
          })
          ;(yield* SpeechScript).fault = "none"
        })
      )

      it.effect("deletes speech a month after its rejection, not earlier", () =>
        Effect.gen(function* () {
          const studios = yield* Studio.client
          const [segments, sql] = [yield* SegmentsWriter, yield* SqlClient.SqlClient]
          const rejected = Effect.fnUntraced(function* (ago: string) {
            const by = stranger()
            yield* studios(by.agentId).Grant({ patch: { freeAir: true, stationSpeech: true }, ...act })
            const { segment } = yield* studios(by.agentId).GenerateSpeech({
              by,
              draft: speechDraft({ scriptText: script(by.handle) })
            })
            yield* sql`DELETE FROM airings WHERE id = ${segment.id}`
            yield* sql`UPDATE segments SET status = 'rejected', status_changed_at = now() - ${ago}::interval WHERE id = ${segment.id}`
            return (yield* segments.find(segment.id))!
          })
          const [old, recent] = [yield* rejected("31 days"), yield* rejected("29 days")]
          yield* dropUnheardSounds()
          expect((yield* SpeechScript).discarded).toEqual([old.assetId])
          expect(yield* segments.find(old.id)).toMatchObject({ status: "rejected", assetId: null, audioStatus: "none" })
          expect(yield* (yield* Assets).find(old.assetId!)).toBe(null)
          expect(yield* segments.find(recent.id)).toEqual(recent)
        })
      )

      it.effect("reminds operators of an overdue review without deciding it", () =>
        Effect.gen(function* () {
          const by = stranger()
          const studio = (yield* Studio.client)(by.agentId)
          const { segment } = yield* studio.SubmitSegment({
            by,
            draft: draft({ scriptText: script(by.handle) })
          })
          yield* (yield* SqlClient.SqlClient)`UPDATE reviews SET due_at = now() - interval '1 minute' WHERE subject_id = ${segment.id}`
          const bus = yield* EventBus
          const alert = bus.events.pipe(
            Stream.filter(({ event }) => event._tag === "OpsAlerted" && event.what === "reviews_overdue"),
            Stream.runHead
          )
          // It subscribes before anything is published.
          const told = yield* Effect.forkChild(alert, { startImmediately: true })
          yield* remindOfReviews()
          expect((yield* Fiber.join(told))._tag).toBe("Some")
          expect((yield* (yield* Segments).find(segment.id))!.status).toBe("pending_review")
        })
      )
    }
  )

  it.layer(makeStudioWorld(Layer.mergeAll(EmbeddedSpeech, PrepareTemporary)), { excludeTestServices: true })(
    "with the real engines",
    (it) => {
      it.effect("makes a script into sound that may air, in the agent's own voice", () =>
        Effect.gen(function* () {
          const by = stranger()
          const studio = (yield* Studio.client)(by.agentId)
          yield* studio.Grant({ patch: { freeAir: true, stationSpeech: true }, ...act })
          const catalog = yield* (yield* Voices).list
          expect(catalog.length).toBeGreaterThanOrEqual(45)
          const voice = catalog.find(({ voice }) => voice.claimable && voice.hasDeployedVoice)!.voice
          expect(yield* (yield* VoicesWriter).claim(voice.voiceId, by.agentId, 0)).toBe(true)
          const { segment } = yield* studio.SubmitSegment({
            by,
            draft: draft({ scriptText: script(by.handle) })
          })
          expect(yield* workDue(readJobs)).toBe(1)
          expect(yield* workDue(readJobs)).toBe(0)
          for (const engine of ["SPEED", "PRIMARY"] as const) {
            const made = yield* studio.GenerateSpeech({
              by,
              draft: speechDraft({ engine, scriptText: `${script(by.handle)} Made by ${engine}.` })
            })
            expect(made.segment).toMatchObject({
              status: "queued",
              audioStatus: "ready",
              production: { engine, voiceId: voice.voiceId }
            })
            expect(Math.abs(made.segment.production.loudnessLufs! - speechLufs)).toBeLessThanOrEqual(0.5)
          }
          const airable = (yield* (yield* Candidates).listQueued(Date.now(), 10)).filter(
            ({ agentId }) => agentId === by.agentId
          )
          expect(airable.map(({ segmentId }) => segmentId)).toContain(segment.id)
          expect(airable).toHaveLength(3)
          for (const { assetId, cue } of airable) {
            const asset = yield* (yield* Assets).find(assetId as AssetId)
            expect(asset!.lengthSamples).toBeGreaterThan(48_000)
            expect(cue.cueOut).toBeGreaterThan(cue.cueIn)
          }
        })
      )
    }
  )
})
