import { layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { lookAt } from "../../../actors/programmes/ProductionSteps.ts"
import { productionJobs } from "../../../actors/programmes/ProductionWorker.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { readJobs } from "../../../actors/segments/ScriptWorker.ts"
import { runsOf, weekFrom } from "../../../engine/rules/time/WeekSchedule.ts"
import { startLocalOf } from "../../../engine/rules/programmes/ScheduleView.ts"
import { Productions } from "../../../engine/store/programmes/Productions.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { act, airPlan, moveStart, decide, planOf, shelf } from "../../support/programmes/Plans.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { host } from "../../support/programmes/Shows.ts"
import { writerDouble } from "../../support/media/WriterDouble.ts"

const shows = "/api/v1/agents/me/shows"
const one = (what: string) => ({
  title: what,
  notes: `Good evening. This is about ${what}, and the sea is calm tonight.`,
  minutes: 1
})
const guided = {
  mode: "guided",
  title: "The lamp is lit",
  format: "late_night",
  targetMinutes: 10,
  outline: [one("lamps"), one("ropes")]
}
const idea = {
  mode: "idea",
  title: "Of tides",
  format: "talk",
  targetMinutes: 20,
  idea: "What the tide brings and takes."
}
const generate = (key: string, body: object = guided, headers: Record<string, string> = {}, query = "") =>
  call("POST", `${shows}/generate${query}`, { key, body, headers })
const upload = (key: string, body: object) => call("POST", `${shows}/upload`, { key, body })
const refused = ({
  body,
  status
}: {
  readonly status: number
  readonly body: { readonly code?: string; readonly errors?: ReadonlyArray<{ readonly pointer: string }> }
}) => [status, body.code, body.errors?.[0]?.pointer]
const read = (key: string, id: string) =>
  // oxlint-disable-next-line typescript/no-explicit-any
  Effect.map(call("GET", `${shows}/productions/${id}`, { key }), ({ body }) => body.production as any)
const at = (key: string, id: string, status: string) =>
  Effect.suspend(() => {
    let last: unknown
    const asked = Effect.tap(read(key, id), (production) => Effect.sync(() => (last = production)))
    return askUntil(asked, (production) => production.status === status).pipe(
      Effect.onInterrupt(() => Effect.sync(() => console.error(`it is ${JSON.stringify(last)}, not ${status}`)))
    )
  })
const steps = (production: { readonly steps: ReadonlyArray<{ readonly name: string; readonly status: string }> }) =>
  Object.fromEntries(production.steps.map(({ name, status }) => [name, status]))
/** Moves the next step far into the past: the database's clock is finer than the station's, and "now" may be a millisecond away. */
const look = Effect.fnUntraced(function* (id: string) {
  yield* lookAt((yield* (yield* Productions).find(id))!, 0)
  yield* workDue(productionJobs)
})
/** The station's own worker may be running with the former state: this repeats the step until it has seen the change. */
const seen = (key: string, id: string, status: string) =>
  askUntil(Effect.andThen(look(id), read(key, id)), (production) => production.status === status)
const told = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        status: string
      }>`SELECT event->>'status' AS status FROM outbox WHERE event->>'_tag' = 'ProductionUpdated' AND event->>'productionId' = ${id} ORDER BY position`,
      (rows) => rows.map(({ status }) => status)
    )
  )
/** A weekly time that agents can book, as far away as allowed, so that other tests don't use it. */
const weekly = Effect.map(Clock.currentTimeMillis, (nowMs) => {
  const run = runsOf(weekFrom([], nowMs), "UTC", nowMs, nowMs + 7 * 86_400_000).findLast(
    ({ block }) => block.bookable && block.kind === "show"
  )!
  return { weekday: run.block.weekday, time: startLocalOf(run.block), startMs: run.startMs }
})

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })("productions", (it) => {
  it.effect(
    "go from an outline to the air: booked, filled with music, submitted, spoken, aired",
    () =>
      Effect.gen(function* () {
        yield* shelf(60)
        const { id: agentId, key } = yield* arriveGranted()
        const made = yield* generate(key)
        expect([made.status, made.body.production]).toEqual([
          200,
          expect.objectContaining({
            id: expect.stringMatching(/^job_/),
            agentId,
            kind: "generate",
            title: "The lamp is lit",
            status: "queued",
            progress: 0.17,
            showId: null,
            recurring: null,
            error: null,
            triesLeft: 3
          })
        ])
        const { id } = made.body.production
        const sql = yield* SqlClient.SqlClient
        expect(
          yield* sql`SELECT (event->>'progress')::float8 AS progress FROM outbox WHERE event->>'productionId' = ${id} ORDER BY position LIMIT 1`
        ).toEqual([{ progress: 0.17 }])
        const rendering = yield* at(key, id, "rendering")
        const plan = yield* planOf(key, rendering.planId)
        expect([
          plan.status,
          plan.format,
          plan.items
            .filter(({ kind }: { kind: string }) => kind === "talk")
            .map(({ title }: { title: string }) => title)
        ]).toEqual(["approved", "late_night", ["lamps", "ropes"]])
        expect(
          plan.items.filter(({ kind, lazy }: { kind: string; lazy: boolean }) => kind === "track" && lazy).length
        ).toBeGreaterThan(5)
        expect(rendering.segmentIds.length).toBe(2)
        expect(steps(rendering)).toEqual({
          script: "done",
          plan: "done",
          music: "done",
          review: "done",
          speech: "running",
          air: "waiting"
        })
        // Killed before it had recorded its work: that work is found again, and nothing is made twice.
        for (const status of ["queued", "assembling"]) {
          yield* sql`UPDATE productions SET status = ${status}, body = jsonb_set(jsonb_set(body, '{status}', to_jsonb(${status}::text)), '{runs,0,planId}', 'null') WHERE id = ${id}`
          yield* look(id)
          expect((yield* at(key, id, "rendering")).planId).toBe(plan.id)
        }
        expect(
          yield* sql`SELECT (SELECT count(*) FROM plans WHERE agent_id = ${agentId})::int AS plans, (SELECT count(*) FROM segments WHERE agent_id = ${agentId})::int AS segments`
        ).toEqual([{ plans: 1, segments: 2 }])
        expect(yield* workDue(readJobs)).toBe(2)
        const scheduled = yield* at(key, id, "scheduled")
        expect([steps(scheduled)["speech"], scheduled.occurrences]).toEqual([
          "done",
          [
            {
              occurrenceStart: plan.occurrenceStart,
              occurrenceEnd: plan.occurrenceEnd,
              status: "waiting",
              planId: plan.id,
              detail: null
            }
          ]
        ])
        yield* airPlan(plan.id)
        expect(yield* seen(key, id, "aired")).toMatchObject({
          status: "aired",
          progress: 1,
          steps: expect.arrayContaining([{ name: "air", status: "done", detail: null }])
        })
        expect(new Set(yield* told(id))).toEqual(new Set(["queued", "assembling", "rendering", "scheduled", "aired"]))
        expect((yield* call("POST", `${shows}/productions/${id}/retry`, { key })).body.code).toBe(
          "PRODUCTION_STATE_CONFLICT"
        )
        expect((yield* call("POST", `${shows}/productions/${id}/skip`, { key })).body.code).toBe(
          "PRODUCTION_STATE_CONFLICT"
        )
      }),
    300_000
  )

  it.effect(
    "are one for each key, limited to five a day, and private",
    () =>
      Effect.gen(function* () {
        const { key } = yield* arriveGranted()
        const other = yield* arriveGranted()
        const dry = yield* generate(key, guided, {}, "?dryRun=true")
        expect([dry.status, dry.body.dryRun, dry.body.wouldBe.production.status]).toEqual([200, true, "queued"])
        const headers = { "idempotency-key": "once" }
        const [first, second] = yield* Effect.all([generate(key, idea, headers), generate(key, idea, headers)], {
          concurrency: 2
        })
        yield* answersLost
        const again = yield* generate(key, idea, headers)
        expect(again.status).toBe(200)
        const ids = [first, second, again].flatMap(({ body }) => body.production?.id ?? [])
        expect(new Set(ids).size).toBe(1)
        for (let n = 0; n < 4; n++) expect((yield* generate(key, { ...idea, title: `Of tides ${n}` })).status).toBe(200)
        const sixth = yield* generate(key, idea)
        expect([...refused(sixth).slice(0, 2), Number(sixth.headers.get("retry-after")) > 0]).toEqual([
          429,
          "RATE_LIMITED",
          true
        ])
        const page = yield* call("GET", `${shows}/productions?limit=4`, { key })
        const rest = yield* call("GET", `${shows}/productions?limit=4&cursor=${page.body.nextCursor}`, { key })
        expect([page.body.productions.length, rest.body.productions.length, rest.body.nextCursor]).toEqual([
          4,
          1,
          undefined
        ])
        for (const answer of [
          call("GET", `${shows}/productions/${ids[0]}`, { key: other.key }),
          call("PATCH", `${shows}/productions/${ids[0]}`, { key: other.key, body: { includeMusic: false } }),
          call("POST", `${shows}/productions/${ids[0]}/retry`, { key: other.key }),
          call("POST", `${shows}/productions/${ids[0]}/skip`, { key: other.key })
        ])
          expect((yield* answer).status).toBe(404)
        expect((yield* call("GET", `${shows}/productions?cursor=${ids[0]}`, { key: other.key })).body.code).toBe(
          "INVALID_FIELD"
        )
      }),
    300_000
  )

  it.effect(
    "return an outline of the right length without a writer, and continue once the agent has filled it",
    () =>
      Effect.gen(function* () {
        const { key } = yield* arriveGranted()
        const {
          body: { production }
        } = yield* generate(key, { ...idea, includeMusic: false, targetMinutes: 12 })
        expect([
          production.status,
          steps(production)["script"],
          production.outline.reduce((sum: number, { minutes }: { minutes: number }) => sum + minutes, 0)
        ]).toEqual(["needs_script", "waiting", 12])
        const { id, outline } = production as {
          readonly id: string
          readonly outline: ReadonlyArray<{ readonly index: number; readonly words: number }>
        }
        const revise = (body: object) => call("PATCH", `${shows}/productions/${id}`, { key, body })
        expect(refused(yield* revise({}))).toEqual([400, "MISSING_FIELDS", "/outline"])
        expect(refused(yield* revise({ outline: [{ index: 40, scriptText: "Good evening." }] }))).toEqual([
          400,
          "INVALID_FIELD",
          "/outline/0/index"
        ])
        expect(refused(yield* revise({ outline: [{ index: 0, scriptText: "<think>what now</think>" }] }))).toEqual([
          400,
          "INVALID_FIELD",
          "/outline/0/scriptText"
        ])
        expect(
          refused(yield* revise({ outline: [{ index: 0, scriptText: "word ".repeat(1_300) }] })).slice(0, 2)
        ).toEqual([413, "SCRIPT_TOO_LONG"])
        const half = yield* revise({ outline: [{ index: 0, scriptText: " Good evening, this is the tide. " }] })
        expect([half.body.production.status, half.body.production.outline[0].scriptText]).toEqual([
          "needs_script",
          "Good evening, this is the tide."
        ])
        const all = outline.map(({ index, words }) => ({
          index,
          scriptText:
            Array.from({ length: words }, (_, n) => `tide ${index} ${n}`)
              .slice(0, Math.ceil(words / 3))
              .join(", ") + "."
        }))
        expect((yield* revise({ outline: all, includeMusic: true })).body.production.status).toBe("queued")
        yield* at(key, id, "rendering")
        expect(refused(yield* revise({ includeMusic: false })).slice(0, 2)).toEqual([409, "PRODUCTION_STATE_CONFLICT"])
      }),
    300_000
  )

  it.effect(
    "fail if their plan is impossible, are retried three times, and follow the station's decisions",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id: agentId, key } = yield* arriveGranted()
        // Two sentences don't fill an hour.
        const {
          body: {
            production: { id }
          }
        } = yield* generate(key, { ...guided, includeMusic: false })
        const failed = yield* at(key, id, "failed")
        expect([failed.error, steps(failed)["music"], steps(failed)["review"]]).toEqual([
          expect.stringContaining("PLAN_VALIDATION_FAILED"),
          "skipped",
          "failed"
        ])
        const retry = call("POST", `${shows}/productions/${id}/retry`, { key })
        for (let n = 2; n >= 1; n--) {
          expect((yield* retry).body.production.triesLeft).toBe(n)
          yield* at(key, id, "failed")
        }
        // Operators must review the content.
        yield* call("PUT", `/api/ops/agents/${agentId}/grants`, {
          key: yield* operator("producer"),
          body: { requiresSegmentReview: true }
        })
        expect(
          (yield* call("PATCH", `${shows}/productions/${id}`, { key, body: { includeMusic: true } })).body.production
            .status
        ).toBe("failed")
        expect((yield* retry).body.production).toMatchObject({ status: "queued", triesLeft: 0 })
        const review = yield* at(key, id, "review")
        expect(yield* sql`SELECT id FROM plans WHERE agent_id = ${agentId}`).toHaveLength(1)
        yield* decide(review.planId, "reject", "not tonight")
        expect(yield* at(key, id, "failed")).toMatchObject({
          error: "not tonight",
          occurrences: [{ status: "failed", detail: "not tonight" }]
        })
        expect((yield* retry).body.code).toBe("PRODUCTION_STATE_CONFLICT")

        const {
          body: { production: second }
        } = yield* generate(key, guided)
        const waiting = yield* at(key, second.id, "review")
        yield* act(key, waiting.planId, "cancel")
        expect(yield* seen(key, second.id, "cancelled")).toMatchObject({ status: "cancelled", error: null })
      }),
    300_000
  )

  it.effect(
    "recur every week: one run after the other, with changeable scripts, and can be skipped",
    () =>
      Effect.gen(function* () {
        yield* shelf(60)
        const { key } = yield* host()
        const { startMs, time, weekday } = yield* weekly
        const recurring = { weekday, time, count: 3 }
        expect(refused(yield* generate(key, { ...guided, recurring: { ...recurring, time: "03:17" } }))).toEqual([
          400,
          "INVALID_FIELD",
          "/recurring"
        ])
        const {
          body: { production }
        } = yield* generate(key, {
          ...guided,
          recurring,
          show: { title: "The Weekly Watch", audience: "night_owls" }
        })
        const starts = production.occurrences.map(({ occurrenceStart }: { occurrenceStart: string }) =>
          Date.parse(occurrenceStart)
        )
        expect([starts[0] >= startMs, starts[1] - starts[0], starts[2] - starts[1]]).toEqual([
          true,
          7 * 86_400_000,
          7 * 86_400_000
        ])
        const show = (yield* call("GET", "/api/shows/the-weekly-watch")).body.show
        expect([show.id, show.audience]).toEqual([production.showId, "night_owls"])
        // A draft holds its run.
        const { id } = production
        const held = yield* askUntil(read(key, id), ({ planId }) => planId !== null)
        expect([(yield* planOf(key, held.planId)).agentShowId, (yield* planOf(key, held.planId)).status]).toEqual([
          production.showId,
          "draft"
        ])
        expect(
          (yield* call("PATCH", `${shows}/productions/${id}`, {
            key,
            body: { outline: [{ index: 1, title: "nets", scriptText: "Tonight it is about nets." }] }
          })).status
        ).toBe(200)
        const dry = yield* call("POST", `${shows}/productions/${id}/skip?dryRun=true`, { key })
        expect([dry.body.wouldBe.production.occurrences[0].status, (yield* planOf(key, held.planId)).status]).toEqual([
          "skipped",
          "draft"
        ])
        const skipped = yield* call("POST", `${shows}/productions/${id}/skip`, { key })
        expect([
          skipped.status,
          skipped.body.production.occurrences.map(({ status }: { status: string }) => status)
        ]).toEqual([200, ["skipped", "waiting", "waiting"]])
        expect((yield* planOf(key, held.planId)).status).toBe("cancelled")
        const next = yield* askUntil(read(key, id), ({ planId }) => planId !== null && planId !== held.planId)
        expect(Date.parse((yield* planOf(key, next.planId)).occurrenceStart)).toBe(starts[1])
        // A day before its submission deadline.
        const sql = yield* SqlClient.SqlClient
        const soon = new Date((yield* Clock.currentTimeMillis) + 20 * 3_600_000).toISOString()
        yield* moveStart(next.planId, 20 * 60)
        yield* sql`UPDATE productions SET body = jsonb_set(body, '{runs,1,startMs}', to_jsonb(${Date.parse(soon)}::float8)) WHERE id = ${id}`
        const handed = yield* seen(key, id, "rendering")
        expect(
          (yield* planOf(key, handed.planId)).items
            .filter(({ kind }: { kind: string }) => kind === "talk")
            .map(({ title }: { title: string }) => title)
        ).toEqual(["lamps", "nets"])
        yield* airPlan(handed.planId)
        const third = yield* askUntil(
          Effect.andThen(look(id), read(key, id)),
          ({ planId }) => planId !== null && planId !== handed.planId
        )
        expect([third.status, third.occurrences.map(({ status }: { status: string }) => status)]).toEqual([
          "queued",
          ["skipped", "aired", "waiting"]
        ])
      }),
    300_000
  )

  it.effect(
    "refuse impossible requests before anything is spent",
    () =>
      Effect.gen(function* () {
        const agent = yield* arriveGranted()
        const { key } = agent
        const beginner = yield* arrive()
        const soon = new Date((yield* Clock.currentTimeMillis) + 60_000).toISOString()
        const title = "Harbour stories"
        const segments = [{ title: "The ferry", scriptText: "There was once a ferry that came every night at nine." }]
        for (const [ask, is] of [
          [generate(key, {}), [400, "MISSING_FIELDS"]],
          [generate(key, { ...guided, outline: undefined }), [400, "MISSING_FIELDS", "/outline"]],
          [generate(key, { ...idea, idea: undefined }), [400, "MISSING_FIELDS", "/idea"]],
          [generate(key, { ...guided, targetMinutes: 61 }), [400, "INVALID_FIELD", "/targetMinutes"]],
          [generate(key, { ...guided, format: "opera" }), [400, "INVALID_FIELD", "/format"]],
          [
            generate(key, { ...guided, outline: Array.from({ length: 13 }, () => one("x")) }),
            [400, "INVALID_FIELD", "/outline"]
          ],
          [
            generate(key, { ...guided, outline: [{ title: "x", notes: "``` code ```" }] }),
            [400, "INVALID_FIELD", "/outline/0/notes"]
          ],
          [
            generate(key, { ...guided, outline: [{ title: "x", notes: "word ".repeat(1_201) }] }),
            [413, "SCRIPT_TOO_LONG"]
          ],
          [generate(key, { ...idea, idea: "I will kill you tonight, and here is how." }), [422, "CONTENT_REJECTED"]],
          [
            generate(key, { ...guided, occurrenceStart: "2020-01-01T00:00:00Z" }),
            [400, "OCCURRENCE_IN_PAST", "/occurrenceStart"]
          ],
          [generate(key, { ...guided, occurrenceStart: soon }), [400, "INSUFFICIENT_LEAD_TIME"]],
          [generate(key, { ...guided, agentShowId: "show_00000000000000000000000000" }), [403, "FORBIDDEN"]],
          [generate(key, { ...guided, show: { title: "Mine" } }), [403, "FORBIDDEN"]],
          [generate(key, { ...guided, recurring: { weekday: 7, time: "25:00", count: 0 } }), [400, "INVALID_FIELD"]],
          [generate(beginner.key), [403, "FORBIDDEN"]],
          [upload(key, { title }), [400, "MISSING_FIELDS", "/scriptText"]],
          [upload(key, { title, scriptText: "Good evening.", segments }), [400, "INVALID_FIELD", "/segments"]],
          [
            upload(key, { title, uploadIds: ["upl_00000000000000000000000000"] }),
            [400, "INVALID_FIELD", "/uploadIds/0"]
          ],
          [
            upload(key, { title, segments: [{ title: "x", scriptText: "<b>bold</b>" }] }),
            [400, "INVALID_FIELD", "/segments/0/scriptText"]
          ]
        ] as const)
          expect(refused(yield* ask).slice(0, is.length)).toEqual(is)
        expect((yield* call("GET", `${shows}/productions`, { key })).body.productions).toEqual([])
        const guest = yield* arrive({ role: "guest" })
        expect(refused(yield* generate(guest.key))).toEqual([403, "FORBIDDEN", undefined])
        expect((yield* upload(key, { title, segments })).body.production).toMatchObject({
          kind: "upload",
          includeMusic: true,
          outline: [{ index: 0, title: "The ferry", minutes: null, words: null }]
        })
      }),
    300_000
  )
})

let double: Effect.Success<typeof writerDouble>
const withWriter = Layer.unwrap(
  Effect.map(writerDouble, (made) => {
    double = made
    return QuietStation.pipe(Layer.provideMerge(AgentHttp({ WRITER_URL: made.url })))
  })
)

layer(withWriter, { excludeTestServices: true })("ideas with a writer", (it) => {
  it.effect(
    "are spoken once their scripts are reviewed, and returned to the agent if the writer fails",
    () =>
      Effect.gen(function* () {
        yield* shelf(60)
        const { key } = yield* arriveGranted()
        const {
          body: { production }
        } = yield* generate(key, idea)
        expect([production.status, steps(production)["script"]]).toEqual(["queued", "running"])
        const rendering = yield* at(key, production.id, "rendering")
        // Characters that an engine could read aloud by mistake are removed.
        expect(
          rendering.outline.every(({ scriptText }: { scriptText: string }) =>
            scriptText.startsWith("Good evening. Here is ")
          )
        ).toBe(true)
        double.answer.answerWith = (parts) =>
          JSON.stringify({ scripts: parts.map(() => "Call me at +49 151 23456789 or write to ada@example.org.") })
        const second = yield* generate(key, idea)
        expect((yield* at(key, second.body.production.id, "needs_script")).error).toContain("personal_data")
        double.answer.status = 503
        const third = yield* generate(key, idea)
        yield* look(third.body.production.id)
        expect((yield* read(key, third.body.production.id)).status).toBe("queued")
        expect(double.asked.length).toBeLessThan(8)
      }),
    300_000
  )
})
