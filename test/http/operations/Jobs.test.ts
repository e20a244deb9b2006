import { layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { expect } from "vitest"
import { addJob, repeatEvery, jobHandler, periodicJob } from "../../../actors/runtime/Jobs.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { jobKind } from "../../../actors/runtime/protocol.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { listActs, OpsHttp } from "../../support/http/OpsHttp.ts"
import { type Answer, call, makeClaimedAgent, operator } from "../../support/http/SegmentHttp.ts"

const path = "/api/ops/jobs"
const hourMs = 3_600_000
let kinds = 0
/** Each test has its own kind, with a record of runs and of give-ups. */
const aKind = (triesMax: number | null = null) => {
  const kind = jobKind(`test.examine_${++kinds}`, Schema.Struct({ n: Schema.Int }))
  const [done, over]: [Array<number>, Array<string>] = [[], []]
  const engine = { works: true }
  const handler = jobHandler(kind, {
    triesMax,
    restMs: () => hourMs,
    work: ({ n }) =>
      engine.works ? Effect.sync(() => void done.push(n)) : Effect.fail(new Error("the engine is silent")),
    giveUp: (_, why) => Effect.sync(() => void over.push(why))
  })
  const add = (key: string, n: number, runAtMs?: number) =>
    addJob(kind, { key, payload: { n }, ...(runAtMs === undefined ? {} : { runAtMs }) })
  return { add, done, engine, handler, kind: kind.name, over }
}
const listed = (key: string, kind: string, query = "") =>
  Effect.map(call("GET", `${path}?kind=${kind}${query}`, { key }), ({ body }) => body)
const about = Effect.fnUntraced(function* (key: string, kind: string, subject: string) {
  return (yield* listed(key, kind)).jobs.find((job: { readonly about: string }) => job.about === subject)
})
const change = (key: string, id: string, verb: "retry" | "cancel", body: object = { reason: "because" }) =>
  call("POST", `${path}/${id}/${verb}`, { key, body })
/** Audit entries about a job, with their reasons. */
const audited = Effect.fnUntraced(function* (id: string) {
  const all = yield* listActs(yield* operator("admin"))
  return all.filter(({ subject }) => subject.id === id).map(({ action, reason }) => [action, reason])
})
const refused = ({ body, status }: Answer) => [status, body.code]

layer(OpsHttp, { excludeTestServices: true, timeout: 300_000 })("background work, for operators", (it) => {
  it.effect("is listed with its kind, state, age, tries, last error and next try, in pages", () =>
    Effect.gen(function* () {
      const { add, engine, handler, kind } = aKind()
      const key = yield* operator("viewer")
      engine.works = false
      yield* add("first", 1)
      yield* workDue([handler])
      const nowMs = yield* Clock.currentTimeMillis
      yield* add("second", 2, nowMs + hourMs)
      const { counts, jobs, nextCursor } = yield* listed(key, kind)
      expect(jobs).toEqual([
        {
          id: expect.stringMatching(/^wrk_/),
          kind,
          about: "second",
          state: "waiting",
          createdAt: expect.any(String),
          ageSec: expect.any(Number),
          tries: 0,
          lastTriedAt: null,
          lastError: null,
          nextTryAt: new Date(nowMs + hourMs).toISOString(),
          periodic: false
        },
        expect.objectContaining({
          about: "first",
          state: "waiting",
          tries: 1,
          lastTriedAt: expect.any(String),
          lastError: "the engine is silent",
          nextTryAt: expect.any(String)
        })
      ])
      expect(Date.parse(jobs[1].nextTryAt)).toBeGreaterThan(nowMs)
      expect([counts.waiting >= 2, nextCursor]).toEqual([true, undefined])
      const page = yield* listed(key, kind, "&limit=1")
      expect(page.jobs.map((job: { readonly about: string }) => job.about)).toEqual(["second"])
      const rest = yield* listed(key, kind, `&limit=1&cursor=${page.nextCursor}`)
      expect(rest.jobs.map((job: { readonly about: string }) => job.about)).toEqual(["first"])
      expect((yield* listed(key, kind, "&state=failed")).jobs).toEqual([])
    })
  )

  it.effect("is retried by an operator, with all its tries", () =>
    Effect.gen(function* () {
      const { add, done, engine, handler, kind, over } = aKind(1)
      const producer = yield* operator("producer")
      engine.works = false
      yield* add("silent", 7)
      yield* workDue([handler])
      const failed = yield* about(producer, kind, "silent")
      expect([failed, over]).toMatchObject([
        { state: "failed", tries: 1, lastError: "the engine is silent", nextTryAt: null },
        ["the engine is silent"]
      ])
      engine.works = true
      expect((yield* change(producer, failed.id, "retry")).body.job).toMatchObject({ state: "waiting", tries: 0 })
      expect([yield* workDue([handler]), done]).toEqual([1, [7]])
      expect((yield* listed(producer, kind)).jobs).toEqual([])
      expect(refused(yield* change(producer, failed.id, "retry"))).toEqual([404, "NOT_FOUND"])
      expect(yield* audited(failed.id)).toEqual([["job.retry", "because"]])
    })
  )

  it.effect("is cancelled by an operator: it doesn't run, and ends like a failure", () =>
    Effect.gen(function* () {
      const { add, done, handler, kind, over } = aKind()
      const producer = yield* operator("producer")
      yield* add("unwanted", 1, (yield* Clock.currentTimeMillis) + hourMs)
      const { id } = yield* about(producer, kind, "unwanted")
      expect((yield* change(producer, id, "cancel", {})).status).toBe(400)
      expect((yield* change(producer, id, "cancel")).status).toBe(200)
      expect([yield* workDue([handler]), done, over]).toEqual([1, [], [expect.stringContaining("because")]])
      expect(yield* about(producer, kind, "unwanted")).toMatchObject({ state: "cancelled", nextTryAt: null })
      expect(refused(yield* change(producer, id, "cancel"))).toEqual([409, "SUBJECT_CONFLICT"])
      expect(yield* audited(id)).toEqual([["job.cancel", "because"]])
    })
  )

  it.effect("is changed by producers only, and only in a suitable state", () =>
    Effect.gen(function* () {
      const { add, handler, kind } = aKind()
      const producer = yield* operator("producer")
      yield* add("held", 1)
      const { id } = yield* about(producer, kind, "held")
      for (const verb of ["retry", "cancel"] as const) {
        expect((yield* change((yield* makeClaimedAgent()).key, id, verb)).status).toBe(401)
        expect(refused(yield* change(yield* operator("viewer"), id, verb))).toEqual([403, "FORBIDDEN"])
        expect(refused(yield* change(producer, "wrk_none", verb))).toEqual([404, "NOT_FOUND"])
      }
      expect((yield* call("GET", path, { key: (yield* makeClaimedAgent()).key })).status).toBe(401)
      const jobs = yield* Jobs
      const nowMs = yield* Clock.currentTimeMillis
      yield* jobs.claim([kind], "wkr_else", nowMs, nowMs + hourMs)
      expect(refused(yield* change(producer, id, "retry"))).toEqual([409, "SUBJECT_CONFLICT"])
      yield* jobs.markDone(id, "wkr_else")
      const periodic = periodicJob(`${kind}_again`, { next: repeatEvery(hourMs), work: Effect.void })
      yield* jobs.addPeriodic(
        { id: `${id}again`, kind: periodic.name, key: "", payload: null, runAtMs: nowMs, createdAtMs: nowMs },
        nowMs
      )
      const own = yield* about(producer, periodic.name, "")
      expect(own.periodic).toBe(true)
      expect(refused(yield* change(producer, own.id, "cancel"))).toEqual([409, "SUBJECT_CONFLICT"])
      expect([yield* workDue([handler]), yield* workDue([periodic])]).toEqual([0, 1])
      expect(yield* audited(id)).toEqual([])
    })
  )
})
