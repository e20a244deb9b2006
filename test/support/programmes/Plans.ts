import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { defaultGrid, runsOf, weekFrom } from "../../../engine/rules/time/WeekSchedule.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { WeekSchedulesWriter } from "../../../engine/store/programmes/WeekSchedules.ts"
import { Block, GridRevision } from "../../../schema/programmes/Block.ts"
import { airable } from "../air/Airables.ts"
import { call, makeClaimedAgent, operator } from "../http/SegmentHttp.ts"
import { assetOf } from "../air/StudioDouble.ts"
import { setSegments } from "../air/Airings.ts"

let songs = 50_000
/** Songs in rotation, with different lengths and artists. */
export const shelf = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* IdSource
    const assets = yield* Assets
    return yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function* () {
        const n = ++songs
        const id = yield* ids.make("trk")
        const sec = 140 + ((n * 7.3) % 90)
        const asset = assetOf(airable("music", n, sec))
        yield* assets.save(asset)
        yield* sql`
      INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, created_at, updated_at)
      VALUES (${id}, ${asset.id}, ${`Song ${n}`}, ${`Artist ${n}`}, 'jazz', 'song', true, ${sec}, 'approved', 'house', 'house', now(), now())`
        return id
      })
    )
  })

export const plans = "/api/v1/agents/me/shows/plans"
export const script = "Good evening. This is an hour about the sea, with songs that know it well."

export const bookNext = (key: string, body: object = {}, query = "") =>
  call("POST", `/api/v1/catalog/slots/book${query}`, { key, body: { title: "An hour at sea", ...body } })
export const bookRun = (key: string, blockId: string, body: object = {}, query = "") =>
  call("POST", `/api/v1/catalog/slots/${blockId}/book${query}`, { key, body: { title: "An hour at sea", ...body } })
export const act = (key: string, planId: string, what: string, query = "", body: unknown = undefined) =>
  call("POST", `${plans}/${planId}/${what}${query}`, { key, ...(body === undefined ? {} : { body }) })
export const revise = (key: string, planId: string, body: object, query = "") =>
  call("PATCH", `${plans}/${planId}${query}`, { key, body })
export const planOf = (key: string, planId: string) =>
  Effect.map(call("GET", `${plans}/${planId}`, { key }), ({ body }) => body.plan)

/** A draft of an agent in the next free run. */
export const draftPlan = (key: string, body: object = {}) =>
  Effect.map(bookNext(key, { submit: false, ...body }), ({ body }) => body.plan)

/** Moves the plan's run, so that it begins in this many minutes. */
export const moveStart = (planId: string, minutes: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
  UPDATE plans SET occurrence_end = now() + make_interval(mins => ${minutes}::int) + (occurrence_end - occurrence_start), occurrence_start = now() + make_interval(mins => ${minutes}::int) WHERE id = ${planId}`
  )

/** Marks this share of a plan as aired. */
export const airPlan = (planId: string, share = 1) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
  UPDATE plans SET status = 'aired', aired_items = floor(jsonb_array_length(items) * ${share}::float8)::int, aired_at = now() - interval '1 hour' WHERE id = ${planId}`
  )

export const arriveGranted = Effect.fnUntraced(function* (grants: object) {
  const agent = yield* makeClaimedAgent()
  yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, { key: yield* operator("producer"), body: grants })
  return agent
})

/** The open review of a plan, in the operators' list. */
export const reviewOf = Effect.fnUntraced(function* (planId: string) {
  const { body } = yield* call("GET", "/api/ops/reviews?kind=plan&limit=100", { key: yield* operator("reviewer") })
  return body.items.find(({ subject }: { readonly subject: { readonly id: string } }) => subject.id === planId) ?? null
})

export const decide = Effect.fnUntraced(function* (planId: string, decision: string, reason = "because") {
  const review = yield* reviewOf(planId)
  yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
    key: yield* operator("reviewer"),
    body: { decision, reason }
  })
  return review.id as string
})

/** Speech of a plan, oldest first. */
export const readSpoken = (planId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: string; status: string; statusReason: string | null; planId: string | null; category: string }>`
  SELECT id, status, status_reason, plan_id, category FROM segments WHERE plan_id = ${planId} OR id IN (SELECT i->>'segmentId' FROM plans, jsonb_array_elements(items) i WHERE plans.id = ${planId}) ORDER BY created_at, id`
  )

/** Runs that begin within four weeks, in order, of the default week. */
export const listRuns = (kind = "show") =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    runsOf(weekFrom([], nowMs), "UTC", nowMs, nowMs + 28 * 86_400_000).flatMap(({ block, startMs }) =>
      block.kind === kind && startMs > nowMs
        ? [{ blockId: block.id, occurrenceStart: new Date(startMs).toISOString() }]
        : []
    )
  )

/** An agent with everything that shows require: a picture, a voice of its own, and an aired segment. */
export const makeShowReady = Effect.fnUntraced(function* ({ id, key }: { readonly id: string; readonly key: string }) {
  const sql = yield* SqlClient.SqlClient
  yield* call("PATCH", "/api/v1/agents/me/profile", {
    key,
    body: { bio: "b", tagline: "t", speakingStyle: "s", specialties: ["sea"], syntheticDisclosure: "Made by a model." }
  })
  yield* sql`UPDATE agents SET avatar_path = 'x.png' WHERE id = ${id}`
  yield* sql`INSERT INTO voice_claims (agent_id, voice_id, claimed_at) SELECT ${id}, voice_id, now() FROM voices WHERE voice_id NOT IN (SELECT voice_id FROM voice_claims) LIMIT 1`
  const { body } = yield* call("POST", "/api/segments", {
    key,
    body: { stationSlug: "longwave", category: "story", title: "Heard", scriptText: "Heard once, and well." }
  })
  const sound = assetOf(airable("segment", ++songs, 30))
  yield* (yield* Assets).save(sound)
  yield* sql`UPDATE segments SET audio_status = 'ready', asset_id = ${sound.id}, duration_sec = 30, engine = 'HOUSE' WHERE id = ${body.segment.id}`
  yield* setSegments(sql`id = ${body.segment.id}`, "aired")
})

/** From now on the block is for agents, or the station's own; all others stay unchanged. */
export const setBookable = (blockId: string, is: boolean) =>
  Effect.gen(function* () {
    const blocks = defaultGrid.map((block) => (block.id === blockId ? new Block({ ...block, bookable: is }) : block))
    yield* (yield* WeekSchedulesWriter).add(
      new GridRevision({ validFromMs: yield* Clock.currentTimeMillis, blocks }),
      "test"
    )
  })
