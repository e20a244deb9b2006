import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { readJobs } from "../../../actors/segments/ScriptWorker.ts"
import { planJobs, planRound } from "../../../actors/programmes/PlanWorker.ts"
import { Producer } from "../../../actors/programmes/protocol/Producer.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { planFillToleranceSec } from "../../../engine/rules/programmes/limits.ts"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { StandingsWriter } from "../../../engine/store/agents/Standings.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import type { AgentId, SegmentId } from "../../../schema/Ids.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { airable } from "../../support/air/Airables.ts"
import {
  act,
  airPlan,
  moveStart,
  setBookable,
  bookNext,
  bookRun,
  decide,
  draftPlan,
  arriveGranted,
  planOf,
  plans,
  reviewOf,
  revise,
  listRuns,
  script,
  shelf,
  makeShowReady,
  readSpoken
} from "../../support/programmes/Plans.ts"
import { SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { makeDue, workOff } from "../../support/runtime/WorkedOff.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { call, makeClaimedAgent, operator } from "../../support/http/SegmentHttp.ts"
import { assetOf } from "../../support/air/StudioDouble.ts"

const refused = ({ body, status }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code
]
const talk = { kind: "talk", scriptText: script }
const events = (tag: string, planId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ event: { readonly status: string; readonly reason: string | null } }>`
  SELECT event FROM outbox WHERE event->>'_tag' = ${tag} AND event->>'planId' = ${planId} ORDER BY position`,
      (rows) => rows.map(({ event }) => [event.status, event.reason])
    )
  )

/** Other agents make its items: a plan is as long as its agent's content. */
const World = QuietStation.pipe(Layer.provideMerge(AgentHttp({ HOUSE_PROGRAMME: "off" })))

layer(World, { excludeTestServices: true })("plans", (it) => {
  it.effect(
    "own a run: one of a hundred simultaneous bookings gets it, and a cancellation frees it",
    () =>
      Effect.gen(function* () {
        const agents = yield* Effect.forEach(Array.from({ length: 100 }), () => makeClaimedAgent(), { concurrency: 10 })
        const { blockId, occurrenceStart } = (yield* listRuns()).at(-1)!
        const answers = yield* Effect.forEach(
          agents,
          ({ key }) => Effect.map(bookRun(key, blockId, { occurrenceStart }), (answer) => ({ key, ...answer })),
          { concurrency: "unbounded" }
        )
        const won = answers.filter(({ status }) => status === 201)
        expect([
          won.length,
          answers.filter((answer) => answer.status === 409 && answer.body.code === "OCCURRENCE_ALREADY_BOOKED").length
        ]).toEqual([1, 99])
        expect(won[0]!.body.booking).toEqual({
          blockId,
          occurrenceStart,
          occurrenceEnd: won[0]!.body.plan.occurrenceEnd,
          title: "An hour at sea"
        })
        expect(won[0]!.body.plan).toMatchObject({
          status: "draft",
          blockId,
          items: [],
          plannedDurationSec: 0,
          targetDurationSec: 3600
        })
        expect((yield* act(won[0]!.key, won[0]!.body.plan.id, "cancel")).body.plan.status).toBe("cancelled")
        const other = agents.find(({ key }) => key !== won[0]!.key)!
        expect((yield* bookRun(other.key, blockId, { occurrenceStart })).status).toBe(201)
        // Ten agents that book the next free run get ten different runs.
        const next = yield* Effect.forEach(agents.slice(0, 10), ({ key }) => bookNext(key, { submit: false }), {
          concurrency: "unbounded"
        })
        expect(next.map(refused)).toEqual(next.map(() => [201, undefined]))
        expect(new Set(next.map(({ body }) => `${body.booking.blockId} ${body.booking.occurrenceStart}`)).size).toBe(10)
      }),
    300_000
  )

  it.effect(
    "are booked, filled, previewed and submitted by one call; a refusal on the way leaves the draft",
    () =>
      Effect.gen(function* () {
        const agent = yield* makeClaimedAgent()
        const bookEmpty = call("POST", "/api/v1/catalog/slots/book", {
          key: agent.key,
          headers: { "idempotency-key": "empty" },
          body: { title: "Nothing in it" }
        })
        const empty = yield* bookEmpty
        expect(refused(empty)).toEqual([400, "PLAN_VALIDATION_FAILED"])
        expect((yield* planOf(agent.key, empty.body.planId)).status).toBe("draft")
        // The process died before it answered: the same command is refused for the same draft.
        yield* answersLost
        const told = yield* bookEmpty
        expect([refused(told), told.body.planId]).toEqual([refused(empty), empty.body.planId])
        yield* shelf(40)
        const rehearsed = yield* bookNext(agent.key, {}, "?dryRun=true")
        expect([
          rehearsed.status,
          rehearsed.body.dryRun,
          rehearsed.body.status,
          rehearsed.body.wouldBe.plan.status
        ]).toEqual([200, true, 201, "submitted"])
        expect((yield* call("GET", plans, { key: agent.key })).body.plans).toHaveLength(1)
        const unsubmitted = yield* Effect.forEach(
          [bookNext(agent.key, {}, "?submit=false"), bookNext(agent.key, { submit: false })],
          (ask) => ask
        )
        expect(unsubmitted.map(({ body }) => [body.plan.status, body.preview.valid])).toEqual([
          ["draft", true],
          ["draft", true]
        ])
        // A booking by the station for one origin is made once.
        const agentId = agent.id as AgentId
        const by = Broadcaster.make({ agentId, handle: agent.handle, displayName: "A", ownerKey: null })
        const ask = {
          by,
          origin: "a reason",
          draft: {
            title: "Of the station's own",
            description: null,
            format: null,
            audience: null,
            blockId: null,
            occurrenceStartMs: null,
            items: [],
            agentShowId: null,
            stationSlug: null,
            stationId: null
          }
        } as const
        const producer = (yield* Producer.client)(agentId)
        const { booked: drafted } = yield* producer.Book({ ...ask, orchestrate: "draft" })
        const { booked: submitted } = yield* producer.Book({ ...ask, orchestrate: "submit" })
        expect([
          submitted.plan.id,
          submitted.plan.status,
          (yield* producer.Book({ ...ask, orchestrate: "submit" })).booked.plan.id
        ]).toEqual([drafted.plan.id, "submitted", drafted.plan.id])
        yield* producer.CancelAllPlans({ reason: "TEST" })
        const headers = { "idempotency-key": "one" }
        const once = yield* call("POST", "/api/v1/catalog/slots/book", {
          key: agent.key,
          headers,
          body: { title: "At sea" }
        })
        const again = yield* call("POST", "/api/v1/catalog/slots/book", {
          key: agent.key,
          headers,
          body: { title: "At sea" }
        })
        expect([once.status, again.body.plan.id]).toEqual([201, once.body.plan.id])
        yield* answersLost
        const { body: repeated } = yield* call("POST", "/api/v1/catalog/slots/book", {
          key: agent.key,
          headers,
          body: { title: "At sea" }
        })
        expect(repeated).toEqual(once.body)
        const { plan, preview } = once.body
        expect([plan.status, preview.valid, Math.abs(preview.driftSec) <= planFillToleranceSec]).toEqual([
          "submitted",
          true,
          true
        ])
        expect(
          plan.items.every(
            (item: { readonly kind: string; readonly lazy: boolean }) => item.kind === "track" && item.lazy
          )
        ).toBe(true)
        expect(preview.timeline.map(({ itemId }: { readonly itemId: string }) => itemId)).toEqual(
          plan.items.map(({ id }: { readonly id: string }) => id)
        )
        const review = yield* reviewOf(plan.id)
        expect([
          review.kind,
          review.title,
          review.status,
          Date.parse(review.dueAt) <= Date.parse(plan.occurrenceStart) - 30 * 60_000
        ]).toEqual(["plan", "At sea", "open", true])
        yield* decide(plan.id, "approve")
        expect((yield* planOf(agent.key, plan.id)).status).toBe("approved")
        expect(yield* events("PlanDecided", plan.id)).toEqual([["approved", null]])
      }),
    300_000
  )

  it.effect("with a too long answer are made once: a repeat says so, and where to read them", () =>
    Effect.gen(function* () {
      const { key } = yield* makeClaimedAgent()
      const headers = { "idempotency-key": "a long hour" }
      const { occurrenceStart } = (yield* listRuns()).at(-2)!
      const body = {
        title: "Many words",
        occurrenceStart,
        items: Array.from({ length: 60 }, (_, n) => ({
          kind: "talk",
          scriptText: `${n}. ${"An hour about the sea. ".repeat(60)}`
        }))
      }
      const once = yield* call("POST", plans, { key, headers, body })
      expect([once.status, JSON.stringify(once.body).length > 65_536]).toEqual([201, true])
      const again = yield* call("POST", plans, { key, headers, body })
      expect([refused(again), again.body.answered, again.headers.get("idempotent-replayed")]).toEqual([
        [409, "IDEMPOTENCY_KEY_CONFLICT"],
        { status: 201, readAt: plans },
        null
      ])
      expect(again.body.detail).toContain(`GET ${plans}`)
      const { id } = once.body.plan
      const change = { key, headers, body: { items: body.items } }
      expect((yield* call("PATCH", `${plans}/${id}`, change)).status).toBe(200)
      expect((yield* call("PATCH", `${plans}/${id}`, change)).body.answered).toEqual({
        status: 200,
        readAt: `${plans}/${id}`
      })
      expect(
        (yield* call("GET", again.body.answered.readAt, { key })).body.plans.map(
          (plan: { readonly id: string }) => plan.id
        )
      ).toEqual([id])
    })
  )

  it.effect(
    "are limited to four open ones, for bookable runs",
    () =>
      Effect.gen(function* () {
        const { key } = yield* makeClaimedAgent()
        const { blockId, occurrenceStart } = (yield* listRuns())[40]!
        const start = Date.parse(occurrenceStart)
        const blockOf = (kind: string) => defaultGrid.find((block) => block.kind === kind)!.id
        for (const [ask, is] of [
          [bookNext(key, { title: "" }), [400, "TITLE_REQUIRED"]],
          [bookRun(key, blockId, { title: undefined }), [400, "TITLE_REQUIRED"]],
          [call("POST", plans, { key, body: {} }), [400, "TITLE_REQUIRED"]],
          [bookNext(key, { title: 7 }), [400, "INVALID_FIELD"]],
          [call("POST", plans, { key, body: { title: "x" } }), [400, "MISSING_FIELDS"]],
          [bookRun(key, blockId, { occurrenceStart: "2020-01-01T00:00:00Z" }), [400, "OCCURRENCE_IN_PAST"]],
          [bookRun(key, blockId, { occurrenceStart: new Date(start + 60_000).toISOString() }), [400, "INVALID_FIELD"]],
          [
            bookRun(key, blockId, { occurrenceStart: new Date(start + 60 * 86_400_000).toISOString() }),
            [400, "INVALID_FIELD"]
          ],
          [bookRun(key, "blk_zzzzzzzzzzzzzzzzzzzzzzzzzz"), [404, "SCHEDULE_BLOCK_NOT_FOUND"]],
          [bookRun(key, "nonsense"), [404, "SCHEDULE_BLOCK_NOT_FOUND"]],
          [
            call("POST", plans, { key, body: { title: "x", occurrenceStart: new Date(start + 1_000).toISOString() } }),
            [404, "SCHEDULE_BLOCK_NOT_FOUND"]
          ],
          [bookRun(key, blockOf("collaboration")), [400, "COLLABORATION_SLOT_NOT_BOOKABLE"]],
          [bookRun(key, blockOf("rotation")), [403, "FORBIDDEN"]],
          [bookNext(key, { stationSlug: "elsewhere" }), [404, "STATION_NOT_FOUND"]]
        ] as const)
          expect(refused(yield* ask)).toEqual(is)
        const made = yield* Effect.forEach([1, 2, 3, 4], () => draftPlan(key))
        expect(refused(yield* bookNext(key, { submit: false }))).toEqual([403, "FORBIDDEN"])
        yield* act(key, made[0].id, "cancel")
        expect((yield* bookNext(key, { submit: false })).status).toBe(201)
        const list = (query = "") => Effect.map(call("GET", `${plans}${query}`, { key }), ({ body }) => body)
        expect((yield* list()).plans.map(({ status }: { readonly status: string }) => status).sort()).toEqual([
          "cancelled",
          "draft",
          "draft",
          "draft",
          "draft"
        ])
        const upcoming = (yield* list("?upcoming=true")).plans.map(
          ({ occurrenceStart }: { readonly occurrenceStart: string }) => occurrenceStart
        )
        expect([upcoming.length, upcoming]).toEqual([4, [...upcoming].sort()])
        const page = yield* list("?limit=3")
        expect((yield* list(`?limit=3&cursor=${page.nextCursor}`)).plans).toHaveLength(2)
        expect(refused(yield* call("GET", `${plans}?cursor=plan_00000000000000000000000000`, { key }))).toEqual([
          400,
          "INVALID_FIELD"
        ])
        const stranger = yield* makeClaimedAgent()
        for (const ask of [
          call("GET", `${plans}/${made[1].id}`, { key: stranger.key }),
          revise(stranger.key, made[1].id, { title: "Mine" }),
          ...["music/lazy", "preview", "submit", "cancel", "save-as-show"].map((what) =>
            act(stranger.key, made[1].id, what)
          )
        ]) {
          expect(refused(yield* ask)).toEqual([404, "DJ_SHOW_PLAN_NOT_FOUND"])
        }
      }),
    300_000
  )

  it.effect(
    "hold items of every kind, keep locked ones, and name those that can't air",
    () =>
      Effect.gen(function* () {
        const agent = yield* arriveGranted({ freeAir: true })
        const [track, other] = yield* shelf(40)
        const plan = yield* draftPlan(agent.key)
        const sql = yield* SqlClient.SqlClient
        const recording = assetOf(airable("segment", 61_000, 30))
        yield* (yield* Assets).save(recording)
        yield* sql`INSERT INTO uploads (id, agent_id, purpose, status, file_name, content_type, byte_size, asset_id, duration_sec, transcript_text, created_at) VALUES ('upl_00000000000000000000000001', ${agent.id}, 'speech', 'qc_passed', 'sea.wav', 'audio/wav', 1, ${recording.id}, 30, 'The sea, again.', now())`
        const segment = (yield* call("POST", "/api/segments", {
          key: agent.key,
          body: {
            stationSlug: "longwave",
            category: "story",
            title: "A story",
            scriptText: "A story of the harbour, told once."
          }
        })).body.segment
        for (const [item, pointer] of [
          [{ kind: "track" }, "/items/0/trackId"],
          [{ kind: "talk" }, "/items/0/scriptText"],
          [{ kind: "pause", durationSec: 9 }, "/items/0/durationSec"],
          [{ kind: "segment" }, "/items/0/segmentId"],
          [{ kind: "song" }, "/items/0/kind"],
          [{ kind: "track", trackId: "mine" }, "/items/0/trackId"]
        ] as const) {
          const answer = yield* revise(agent.key, plan.id, { items: [item] })
          expect([...refused(answer), answer.body.errors[0].pointer]).toEqual([400, "INVALID_FIELD", pointer])
        }
        // A whole panel can air in its host's plan; a single turn can't.
        yield* sql`UPDATE segments SET category = 'panel_turn', session_id = 'ses_00000000000000000000000001' WHERE id = ${segment.id}`
        yield* revise(agent.key, plan.id, { items: [{ kind: "segment", segmentId: segment.id }] })
        expect(
          (yield* act(agent.key, plan.id, "preview")).body.errors.map(({ code }: { readonly code: string }) => code)
        ).toContain("SEGMENT_UNKNOWN")
        yield* sql`UPDATE segments SET category = 'panel' WHERE id = ${segment.id}`
        yield* revise(agent.key, plan.id, { items: [{ kind: "upload", uploadId: "upl_00000000000000000000000001" }] })
        expect(
          (yield* act(agent.key, plan.id, "preview")).body.errors.map(({ code }: { readonly code: string }) => code)
        ).toContain("UPLOAD_NOT_DECLARED")
        yield* sql`UPDATE uploads SET rights_declaration = 'own_work', synthetic_disclosure = 'Spoken by a model.' WHERE agent_id = ${agent.id}`
        const items = [
          { ...talk, transition: "cut" },
          { kind: "track", trackId: track, transition: "talk_over", locked: true },
          { kind: "segment", segmentId: segment.id },
          { kind: "upload", uploadId: "upl_00000000000000000000000001" },
          { kind: "pause", durationSec: 0.5 },
          { kind: "station_id" },
          { kind: "bed" }
        ]
        const revised = (yield* revise(agent.key, plan.id, { items, description: "Songs of the coast." })).body.plan
        expect(
          revised.items.map(
            ({
              durationSec,
              kind,
              lazy
            }: {
              readonly durationSec: number
              readonly kind: string
              readonly lazy: boolean
            }) => [kind, durationSec > 0 || kind === "station_id", lazy]
          )
        ).toEqual(items.map(({ kind }) => [kind, true, false]))
        const [first] = revised.items
        const filled = (yield* act(agent.key, plan.id, "music/lazy")).body
        expect([filled.added > 10, Math.abs(filled.gapSec) <= planFillToleranceSec]).toEqual([true, true])
        const tracks = filled.plan.items.flatMap(({ trackId }: { readonly trackId: string | null }) => trackId ?? [])
        expect([
          new Set(tracks).size,
          filled.plan.items
            .filter(({ lazy }: { readonly lazy: boolean }) => !lazy)
            .map(({ id }: { readonly id: string }) => id)
        ]).toEqual([tracks.length, revised.items.map(({ id }: { readonly id: string }) => id)])
        expect(
          (yield* act(agent.key, plan.id, "music/lazy")).body.plan.items.filter(
            ({ lazy }: { readonly lazy: boolean }) => lazy
          )
        ).toHaveLength(filled.added)
        const preview = yield* act(agent.key, plan.id, "preview")
        expect([preview.status, preview.body.valid]).toEqual([200, true])
        expect(preview.body.warnings.map(({ code }: { readonly code: string }) => code)).toContain("NOT_VOICED_YET")
        const submitted = (yield* act(agent.key, plan.id, "submit", "?dryRun=true")).body.wouldBe.plan
        expect([
          submitted.status,
          submitted.items.flatMap(({ kind, segmentId }: { readonly kind: string; readonly segmentId: string | null }) =>
            segmentId === null ? [] : [kind]
          )
        ]).toEqual(["approved", ["talk", "segment", "upload"]])
        expect(yield* readSpoken(plan.id)).toMatchObject([{ id: segment.id, planId: null }])
        // The words of a recording are checked like a script.
        yield* sql`UPDATE uploads SET transcript_text = 'Call me at +49 151 23456789, any time.' WHERE agent_id = ${agent.id}`
        expect((yield* act(agent.key, plan.id, "submit", "?dryRun=true")).body.wouldBe.plan.status).toBe("submitted")
        // Kept by its id; the station's picks stay its own only while they are unchanged.
        const kept = (yield* planOf(agent.key, plan.id)).items.find(({ lazy }: { readonly lazy: boolean }) => lazy)
        const echoed = (yield* revise(agent.key, plan.id, {
          items: [first, kept, { ...kept, id: undefined, trackId: other }]
        })).body.plan.items
        expect(
          echoed.map(({ id, lazy }: { readonly id: string; readonly lazy: boolean }) => [
            id === first.id || id === kept.id,
            lazy
          ])
        ).toEqual([
          [true, false],
          [true, true],
          [false, false]
        ])
        const codes = (answer: { readonly body: { readonly errors: ReadonlyArray<{ readonly code: string }> } }) =>
          answer.body.errors.map(({ code }) => code)
        yield* revise(agent.key, plan.id, {
          items: [
            { kind: "track", trackId: track },
            { kind: "track", trackId: track },
            { kind: "track", trackId: "trk_00000000000000000000000009" },
            { kind: "segment", segmentId: "seg_00000000000000000000000009" },
            { kind: "talk", scriptText: "word ".repeat(1_900) }
          ]
        })
        expect(codes(yield* act(agent.key, plan.id, "preview"))).toEqual(
          expect.arrayContaining([
            "SAME_TRACK_TWICE",
            "TRACK_UNKNOWN",
            "SEGMENT_UNKNOWN",
            "SCRIPT_TOO_LONG",
            "TOO_SHORT",
            "TOO_MUCH_SPEECH"
          ])
        )
        expect(refused(yield* act(agent.key, plan.id, "submit"))).toEqual([400, "PLAN_VALIDATION_FAILED"])
      }),
    300_000
  )

  it.effect(
    "carry their own speech: read before the airing, reviewed with them, ended with them",
    () =>
      Effect.gen(function* () {
        const agent = yield* makeClaimedAgent()
        yield* (yield* StandingsWriter).saveGate(agent.id, {
          state: "cleared",
          rejections: 0,
          segmentId: null,
          submittedAtMs: null,
          reviewedAtMs: null,
          reason: null
        })
        const segment = (yield* call("POST", "/api/segments", {
          key: agent.key,
          body: {
            stationSlug: "longwave",
            category: "story",
            title: "A story",
            scriptText: "A story of the pier, told once."
          }
        })).body.segment
        const plan = yield* draftPlan(agent.key, { items: [talk, { kind: "segment", segmentId: segment.id }] })
        expect((yield* act(agent.key, plan.id, "submit", "?dryRun=true")).body.wouldBe.plan.status).toBe("submitted")
        expect(yield* readSpoken(plan.id)).toMatchObject([{ id: segment.id, planId: null }])
        expect((yield* act(agent.key, plan.id, "submit")).body.plan.status).toBe("submitted")
        const [named, made] = yield* readSpoken(plan.id)
        expect([named, made]).toMatchObject([
          { id: segment.id, status: "queued", planId: plan.id },
          { category: "show", status: "pending_review", statusReason: "PLAN_REVIEW", planId: plan.id }
        ])
        expect(refused(yield* act(agent.key, plan.id, "submit"))).toEqual([409, "PLAN_NOT_SUBMITTABLE"])
        expect(refused(yield* revise(agent.key, plan.id, { title: "Else" }))).toEqual([409, "PLAN_NOT_EDITABLE"])
        expect(refused(yield* act(agent.key, plan.id, "music/lazy"))).toEqual([409, "PLAN_NOT_EDITABLE"])
        // Changes requested: its run is free, and its speech is released.
        yield* decide(plan.id, "request_changes", "Less talk, please.")
        expect(yield* planOf(agent.key, plan.id)).toMatchObject({
          status: "rejected",
          statusReason: "Less talk, please."
        })
        expect(yield* readSpoken(plan.id)).toMatchObject([
          { id: segment.id, status: "queued", planId: null },
          { id: made!.id, status: "cancelled" }
        ])
        expect(yield* events("PlanDecided", plan.id)).toEqual([["rejected", "Less talk, please."]])
        const home = (yield* call("GET", "/api/v1/home", { key: agent.key })).body.actions
        expect(home.find(({ code }: { readonly code: string }) => code === "PLAN_REJECTED")).toMatchObject({
          subjectId: plan.id,
          method: "PATCH",
          dueAt: plan.editableUntil
        })
        yield* setBookable(plan.blockId, false)
        expect(refused(yield* revise(agent.key, plan.id, { title: "Too late" }))).toEqual([409, "PLAN_NOT_EDITABLE"])
        yield* setBookable(plan.blockId, true)
        expect((yield* revise(agent.key, plan.id, { title: "An hour at sea, with less talk" })).body.plan.status).toBe(
          "draft"
        )
        expect(
          (yield* call("GET", "/api/v1/home", { key: agent.key })).body.actions.find(
            ({ code }: { readonly code: string }) => code === "PLAN_DUE"
          )
        ).toMatchObject({ subjectId: plan.id, dueAt: plan.editableUntil })
        yield* act(agent.key, plan.id, "submit")
        const reviewId = yield* decide(plan.id, "approve")
        const approved = (yield* readSpoken(plan.id)).filter(({ status }) => status !== "cancelled")
        expect(approved.map(({ status }) => status)).toEqual(["queued", "queued"])
        yield* workDue(readJobs)
        expect((yield* (yield* Segments).find(approved[1]!.id))!.audioStatus).toBe("ready")
        // Undone within ten minutes: it waits again, with everything made for it.
        const undone = yield* call("POST", `/api/ops/reviews/${reviewId}/undo`, {
          key: yield* operator("reviewer"),
          body: { reason: "too fast" }
        })
        expect([
          undone.body.review.status,
          (yield* planOf(agent.key, plan.id)).status,
          (yield* readSpoken(plan.id)).find(({ id }) => id === approved[1]!.id)
        ]).toMatchObject(["open", "submitted", { status: "pending_review", statusReason: "PLAN_REVIEW" }])
        yield* decide(plan.id, "reject", "No.")
        // Operators have closed the block meanwhile, or another agent has the run: it isn't given to two.
        const again = call("POST", `/api/ops/reviews/${reviewId}/undo`, {
          key: yield* operator("reviewer"),
          body: { reason: "not that one" }
        })
        const conflict = Effect.map(again, (answer) => [...refused(answer), answer.body.detail])
        yield* setBookable(plan.blockId, false)
        expect(yield* conflict).toEqual([409, "REVIEW_CONFLICT", expect.stringContaining("The week has changed")])
        yield* setBookable(plan.blockId, true)
        const other = yield* makeClaimedAgent()
        const {
          body: { plan: taken }
        } = yield* bookRun(other.key, plan.blockId, { occurrenceStart: plan.occurrenceStart })
        expect(yield* conflict).toEqual([409, "REVIEW_CONFLICT", expect.stringContaining("taken by another plan")])
        yield* act(other.key, taken.id, "cancel")
        expect(refused(yield* revise(agent.key, plan.id, { title: "Once more" }))).toEqual([409, "PLAN_NOT_EDITABLE"])
        const back = yield* again
        expect([
          back.status,
          (yield* planOf(agent.key, plan.id)).status,
          (yield* readSpoken(plan.id)).filter(({ status }) => status === "pending_review").length
        ]).toEqual([200, "submitted", 1])
        expect((yield* act(agent.key, plan.id, "cancel")).body.plan.status).toBe("cancelled")
        expect(yield* reviewOf(plan.id)).toBe(null)
        expect(
          (yield* readSpoken(plan.id))
            .map(({ planId, status }) => [status, planId])
            .find(([status]) => status === "queued")
        ).toEqual(["queued", null])
      }),
    300_000
  )

  it.effect(
    "of trusted agents need no review, unless an item does; speech needs a cleared first air",
    () =>
      Effect.gen(function* () {
        const trusted = yield* arriveGranted({ freeAir: true })
        const plan = yield* draftPlan(trusted.key, { items: [talk] })
        expect((yield* act(trusted.key, plan.id, "submit")).body.plan.status).toBe("approved")
        expect((yield* readSpoken(plan.id))[0]).toMatchObject({ status: "queued", statusReason: "NO_AUDIO" })
        expect(yield* events("PlanDecided", plan.id)).toEqual([["approved", null]])
        // Planned scripts have their own airtime, even where the house reads nothing by itself or has used its budget.
        const config = yield* StationConfig
        const sql = yield* SqlClient.SqlClient
        yield* moveStart(plan.id, 4_320)
        yield* Effect.forEach(
          ["house_reads", "plan_reads"],
          (name) =>
            sql`INSERT INTO meters (name, empty_at_ms, day, sum) VALUES (${name}, 0, floor(extract(epoch from now()) / 86400), 1e6) ON CONFLICT (name) DO UPDATE SET day = excluded.day, sum = excluded.sum`
        )
        const spoken = Effect.flatMap(readSpoken(plan.id), ([first]) =>
          Effect.flatMap(Segments, (segments) => segments.find(first!.id as SegmentId))
        )
        const read =
          sql`UPDATE jobs SET run_at = now() - interval '1 second' WHERE kind = 'segments.read_planned_script'`.pipe(
            Effect.andThen(workDue(readJobs)),
            Effect.provideService(StationConfig, StationConfig.of({ ...config, houseReads: "off" })),
            Effect.andThen(spoken)
          )
        expect(yield* read).toMatchObject({ audioStatus: "none", statusReason: "NO_AIRTIME" })
        expect((yield* act(trusted.key, plan.id, "preview")).body.warnings).toContainEqual(
          expect.objectContaining({ code: "READ_ANOTHER_DAY" })
        )
        yield* sql`UPDATE meters SET sum = 0 WHERE name = 'plan_reads'`
        expect(yield* read).toMatchObject({ audioStatus: "ready", statusReason: null, engine: "HOUSE" })
        const flagged = yield* draftPlan(trusted.key, {
          items: [{ ...talk, scriptText: "Write to me at ada@example.org, she said. That was all she said." }]
        })
        expect((yield* act(trusted.key, flagged.id, "submit")).body.plan.status).toBe("submitted")
        expect((yield* reviewOf(flagged.id)).flags.map(({ code }: { readonly code: string }) => code)).toEqual([
          "personal_data"
        ])
        const stranger = yield* makeClaimedAgent()
        const theirs = yield* draftPlan(stranger.key, { items: [talk] })
        expect(refused(yield* act(stranger.key, theirs.id, "submit"))).toEqual([403, "FORBIDDEN"])
        const barred = yield* arriveGranted({ canBroadcast: false })
        expect(refused(yield* act(barred.key, (yield* draftPlan(barred.key)).id, "submit"))).toEqual([403, "FORBIDDEN"])
      }),
    300_000
  )

  it.effect("leave a draft that every refusal after the booking names, and that counts among the four", () =>
    Effect.gen(function* () {
      const newcomer = yield* makeClaimedAgent()
      const barred = yield* arriveGranted({ canBroadcast: false })
      yield* shelf(40)
      for (const { key } of [newcomer, barred]) {
        const refusal = yield* bookNext(key, { items: [talk] })
        expect(refused(refusal)).toEqual([403, "FORBIDDEN"])
        const { planId } = refusal.body
        expect((yield* planOf(key, planId)).status).toBe("draft")
        expect(refusal.body.nextStep).toContain(`${plans}/${planId}/cancel`)
        const handedIn = yield* act(key, planId, "submit")
        expect([...refused(handedIn), handedIn.body.planId]).toEqual([403, "FORBIDDEN", planId])
      }
      const { key } = newcomer
      const more = yield* Effect.forEach([1, 2, 3], () => bookNext(key, { items: [talk] }))
      const fifth = yield* bookNext(key, { items: [talk] })
      expect(refused(fifth)).toEqual([403, "FORBIDDEN"])
      for (const { body } of more) expect(fifth.body.detail).toContain(`${body.planId} (draft)`)
      const gone = yield* act(key, more[0]!.body.planId, "cancel")
      expect(gone.body.plan.status).toBe("cancelled")
      const again = yield* act(key, more[0]!.body.planId, "submit")
      expect([...refused(again), again.body.planId]).toEqual([409, "PLAN_NOT_SUBMITTABLE", more[0]!.body.planId])
    })
  )

  it.effect(
    "get airtime for their unread scripts at the submission, and return it when they end",
    () =>
      Effect.gen(function* () {
        const agent = yield* arriveGranted({ freeAir: true })
        const [first, second] = [
          yield* draftPlan(agent.key, { items: [talk] }),
          yield* draftPlan(agent.key, { items: [talk] })
        ]
        expect((yield* act(agent.key, first.id, "submit")).status).toBe(200)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE segments SET word_count = 10000000 WHERE plan_id = ${first.id}`
        expect(
          (yield* act(agent.key, second.id, "preview")).body.errors.map(({ code }: { code: string }) => code)
        ).toEqual(["NO_AIRTIME"])
        const refusal = yield* act(agent.key, second.id, "submit")
        expect([refusal.status, refusal.body.errors[0].code]).toEqual([400, "NO_AIRTIME"])
        // Its own text is not counted twice, and past runs need no airtime.
        expect((yield* act(agent.key, first.id, "preview")).body.planId).toBe(first.id)
        expect((yield* act(agent.key, first.id, "cancel")).body.plan.status).toBe("cancelled")
        expect((yield* act(agent.key, second.id, "submit")).body.plan.status).toBe("approved")
      }),
    300_000
  )

  it.effect(
    "end at their time, and when their agent leaves",
    () =>
      Effect.gen(function* () {
        const agent = yield* makeClaimedAgent()
        const producer = (yield* Producer.client)(agent.id)
        const [late, waiting, missed, cancelled] = yield* Effect.forEach([1, 2, 3, 4], () => draftPlan(agent.key))
        yield* moveStart(late.id, 120)
        expect(refused(yield* act(agent.key, late.id, "submit"))).toEqual([400, "INSUFFICIENT_LEAD_TIME"])
        yield* revise(agent.key, late.id, { items: [] })
        expect(refused(yield* act(agent.key, late.id, "submit"))).toEqual([400, "PLAN_VALIDATION_FAILED"])
        yield* moveStart(late.id, 119)
        yield* planRound()
        expect([
          yield* producer.SettlePlan({ planId: late.id }),
          yield* producer.SettlePlan({ planId: waiting.id })
        ]).toEqual([false, false])
        expect(yield* planOf(agent.key, late.id)).toMatchObject({
          status: "cancelled",
          statusReason: "LEAD_TIME_PASSED"
        })
        for (const { id } of [missed, cancelled]) yield* act(agent.key, id, "submit")
        yield* moveStart(cancelled.id, 31)
        expect((yield* act(agent.key, cancelled.id, "cancel")).status).toBe(200)
        expect(refused(yield* act(agent.key, cancelled.id, "cancel"))).toEqual([409, "PLAN_NOT_CANCELLABLE"])
        const review = yield* reviewOf(missed.id)
        yield* moveStart(missed.id, 29)
        expect(refused(yield* act(agent.key, missed.id, "cancel"))).toEqual([409, "PLAN_NOT_CANCELLABLE"])
        expect(
          (yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
            key: yield* operator("reviewer"),
            body: { decision: "approve" }
          })).status
        ).toBe(409)
        yield* planRound()
        expect(yield* planOf(agent.key, missed.id)).toMatchObject({
          status: "rejected",
          statusReason: "REVIEW_TIMEOUT"
        })
        expect(yield* events("PlanDecided", missed.id)).toEqual([["rejected", "REVIEW_TIMEOUT"]])
        yield* call("POST", `/api/ops/agents/${agent.id}/suspend`, {
          key: yield* operator("admin"),
          body: { reason: "spam" }
        })
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT status, status_reason FROM plans WHERE id = ${waiting.id}`).toEqual([
          { status: "cancelled", statusReason: "AGENT_SUSPENDED" }
        ])
      }),
    300_000
  )

  it.effect(
    "that aired well become shows, with their block as a home",
    () =>
      Effect.gen(function* () {
        const agent = yield* arriveGranted({ freeAir: true })
        const plan = yield* draftPlan(agent.key)
        const save = (query = "", body: unknown = undefined) => act(agent.key, plan.id, "save-as-show", query, body)
        const why = Effect.map(save(), ({ body, status }) => [status, body.code, body.detail])
        expect(yield* why).toEqual([
          409,
          "SAVE_AS_SHOW_NOT_ELIGIBLE",
          "It is draft: only what has aired can become a show."
        ])
        yield* airPlan(plan.id, 0.5)
        expect((yield* why)[2]).toContain("80 %")
        yield* airPlan(plan.id)
        expect((yield* why)[2]).toContain("show_ready")
        expect((yield* call("GET", "/api/v1/agents/me", { key: agent.key })).body.contribution.plansAired).toBe(1)
        yield* makeShowReady(agent)
        expect((yield* save("?dryRun=true")).body.wouldBe.block.id).toBe(plan.blockId)
        const saved = yield* save("", { title: "At Sea" })
        expect([saved.status, saved.body.agentShow]).toMatchObject([
          200,
          { slug: "at-sea", title: "At Sea", hostAgentId: agent.id, status: "active", blockId: plan.blockId }
        ])
        expect(saved.body.block).toEqual({ id: plan.blockId, showId: saved.body.agentShow.id })
        const week = (yield* call("GET", "/api/station/schedule")).body.blocks
        expect(week.find(({ id }: { readonly id: string }) => id === plan.blockId)).toMatchObject({
          showId: saved.body.agentShow.id,
          showSlug: "at-sea",
          hostHandle: agent.handle
        })
        expect((yield* why)[2]).toContain("an episode of a show already")
        // From now on the block is its host's.
        expect((yield* bookRun(agent.key, plan.blockId)).body.plan.agentShowId).toBe(saved.body.agentShow.id)
        expect(refused(yield* bookRun((yield* makeClaimedAgent()).key, plan.blockId))).toEqual([403, "FORBIDDEN"])
      }),
    300_000
  )
})

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })(
  "a plan on a new station",
  (it) => {
    it.effect("is booked by its title alone, and filled with music that the station composes for it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const agent = yield* makeClaimedAgent()
        const { body, status } = yield* bookNext(agent.key)
        const planId: string = body.plan.id
        const codes = (preview: { readonly warnings: ReadonlyArray<{ readonly code: string }> }) =>
          preview.warnings.map(({ code }) => code)
        expect([status, body.plan.status, body.plan.items, body.preview.valid, codes(body.preview)]).toEqual([
          201,
          "submitted",
          [],
          true,
          ["MUSIC_TO_COME"]
        ])
        expect(body.preview.warnings[0].detail).toContain("composes about 60 min of music")
        // Its own songs come first.
        yield* workOff(planJobs)
        expect(yield* sql`SELECT state, last_error FROM jobs WHERE key = ${planId}`).toEqual([
          { state: "waiting", lastError: "The station makes its own songs first." }
        ])
        yield* sql`INSERT INTO house_pieces (name, role, airable) SELECT 'song:' || n, 'music', '{}' FROM generate_series(0, 13) n`
        ;(yield* SpeechScript).seconds = 150
        yield* decide(planId, "approve")
        yield* makeDue(planId)
        yield* workOff(planJobs)
        // Of a job that isn't done, its error says why the plan isn't full.
        expect(yield* sql`SELECT state, tries, last_error FROM jobs WHERE key = ${planId}`).toEqual([])
        const { items, plannedDurationSec, status: after } = yield* planOf(agent.key, planId)
        expect([after, items.length, plannedDurationSec]).toEqual(["approved", 24, 3_600])
        expect(
          items.every(({ kind, lazy }: { readonly kind: string; readonly lazy: boolean }) => kind === "track" && lazy)
        ).toBe(true)
        const { body: preview } = yield* act(agent.key, planId, "preview")
        expect([preview.valid, codes(preview), preview.driftSec]).toEqual([true, [], 0])
        expect((yield* sql`SELECT 1 FROM tracks WHERE source = 'house'`).length).toBe(24)
        // Music composed for one run serves the next at once.
        const next = yield* bookNext((yield* makeClaimedAgent()).key)
        expect([next.status, codes(next.body.preview), next.body.plan.items.length]).toEqual([201, [], 24])
      })
    )

    it.effect("is no longer full once its agent removes the station's music", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE tracks SET approval_status = 'removed'`
        const agent = yield* makeClaimedAgent()
        const { body } = yield* bookNext(agent.key, { submit: false })
        expect([body.plan.status, body.preview.valid]).toEqual(["draft", true])
        yield* revise(agent.key, body.plan.id, { items: [{ kind: "station_id" }] })
        expect(refused(yield* act(agent.key, body.plan.id, "submit"))).toEqual([400, "PLAN_VALIDATION_FAILED"])
        expect((yield* act(agent.key, body.plan.id, "music/lazy")).body.gapSec).toBeGreaterThan(3_000)
        expect((yield* act(agent.key, body.plan.id, "submit")).body.plan.status).toBe("submitted")
      })
    )
  }
)
