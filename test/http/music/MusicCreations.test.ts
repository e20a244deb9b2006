import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import type { MusicRequestId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call, askUntil } from "../../support/http/SegmentHttp.ts"
import { aPrompt, create, music, musician } from "../../support/music/MusicScene.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

const path = `${music}/creations`
const progressOf = (key: string, jobId: string) => call("GET", `${path}/${jobId}`, { key })
const isOver = ({ body }: Answer) => ["complete", "failed", "rejected"].includes(body.status)
const used = (key: string) =>
  Effect.map(call("GET", `${music}/capabilities`, { key }), ({ body }) => body.quota[0].used as number)

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })("creations", (it) => {
  it.effect("are one job for their key, for ever, and one for the same content within a day", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, key } = yield* musician()
      const nameless = yield* call("POST", path, { key, body: { prompt: aPrompt } })
      expect([nameless.status, nameless.body.code, nameless.body.errors[0].pointer]).toEqual([
        400,
        "MISSING_FIELDS",
        "/headers/idempotency-key"
      ])
      const answers = yield* Effect.all([create(key, "low water"), create(key, "low water")], { concurrency: 2 })
      const first = answers.find(({ status }) => status === 202)!
      expect(first.body).toEqual({
        jobId: expect.stringMatching(/^job_/),
        status: "admitted",
        progressUrl: expect.stringContaining(`${path}/job_`)
      })
      const { jobId } = first.body
      // The same content under another key is the same job; so are both keys when all answers are long forgotten.
      expect((yield* create(key, "another name")).body.jobId).toBe(jobId)
      yield* sql`DELETE FROM idempotency_keys`
      for (const name of ["low water", "another name"]) expect((yield* create(key, name)).body.jobId).toBe(jobId)
      expect(yield* used(key)).toBe(1)
      yield* sql`DELETE FROM idempotency_keys`
      const other = yield* create(key, "low water", { title: "Another" })
      expect([other.status, other.body.code, other.body.detail]).toEqual([
        409,
        "IDEMPOTENCY_KEY_CONFLICT",
        expect.stringContaining(jobId)
      ])
      const done = yield* askUntil(progressOf(key, jobId), isOver)
      expect(done.body).toMatchObject({
        jobId,
        status: "complete",
        progress: 1,
        steps: ["admitted", "generating", "piece_1", "complete"].map((step) => ({ step, state: "done" })),
        musicAssetId: expect.stringMatching(/^mas_/),
        audioUrl: expect.stringContaining("/media/audio/"),
        trackId: null,
        error: null
      })
      expect((yield* progressOf((yield* arrive()).key, jobId)).body.code).toBe("NOT_FOUND")

      // A day later the same content is a new job, but the key still names the old one.
      yield* sql`UPDATE music_creations SET created_at = created_at - interval '25 hours' WHERE job_id = ${jobId}`
      const next = yield* create(key, "the next day")
      expect(next.body.jobId).not.toBe(jobId)
      expect(yield* used(key)).toBe(2)

      // The request is deleted after its retention; the job's end stays known, and its key still conflicts.
      const { requestId } = done.body
      yield* sql`UPDATE music_requests SET updated_at = updated_at - interval '31 days' WHERE id = ${requestId}`
      yield* (yield* MusicDesk.client)(id).ForgetMusic({ requestId: requestId as MusicRequestId })
      expect(yield* sql`SELECT 1 FROM music_requests WHERE id = ${requestId}`).toEqual([])
      yield* sql`DELETE FROM idempotency_keys`
      expect((yield* create(key, "low water")).body.jobId).toBe(jobId)
      expect((yield* progressOf(key, jobId)).body).toMatchObject({
        status: "complete",
        progress: 1,
        musicAssetId: null,
        audioUrl: null,
        trackId: null
      })
    })
  )

  it.effect("of something that came to nothing may be asked for again under a new key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* musician()
      const dry = yield* call("POST", `${path}?dryRun=true`, {
        key,
        body: { prompt: aPrompt },
        headers: { "idempotency-key": "dry" }
      })
      expect([dry.status, dry.body.status, yield* used(key)]).toEqual([200, 202, 0])
      const { jobId } = (yield* create(key, "one", { variants: 2 })).body
      yield* askUntil(progressOf(key, jobId), isOver)
      yield* sql`
        UPDATE music_requests SET status = 'failed', error = '{"code":"GENERATION_FAILED","detail":"It broke."}' WHERE job_id = ${jobId}`
      yield* sql`DELETE FROM music_variants WHERE index = 1 AND request_id = (SELECT id FROM music_requests WHERE job_id = ${jobId})`
      expect((yield* progressOf(key, jobId)).body).toMatchObject({
        status: "failed",
        error: { code: "GENERATION_FAILED" },
        steps: [
          { step: "admitted", state: "done" },
          { step: "generating", state: "done" },
          { step: "piece_1", state: "done" },
          { step: "piece_2", state: "failed" },
          { step: "complete", state: "failed" }
        ]
      })
      yield* sql`UPDATE music_requests SET status = 'generating' WHERE job_id = ${jobId}`
      expect((yield* progressOf(key, jobId)).body).toMatchObject({ status: "rendering", progress: 0.5 })
      yield* sql`UPDATE music_requests SET status = 'failed' WHERE job_id = ${jobId}`
      const again = yield* create(key, "two", { variants: 2 })
      expect([again.status, again.body.jobId === jobId]).toEqual([202, false])
      expect((yield* create(key, "one", { variants: 2 })).body.jobId).toBe(jobId)
      const refused = yield* create(key, "three", { prompt: "A ballad like one by Taylor Swift" })
      expect([refused.status, refused.body.code]).toEqual([422, "PROMPT_REJECTED"])
    })
  )
})
