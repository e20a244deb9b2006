import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WakeSession } from "../../../actors/panels/protocol/Jobs.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { arrive } from "../http/AgentHttp.ts"
import { call, askUntil } from "../http/SegmentHttp.ts"
import { host, showOf } from "../programmes/Shows.ts"

export const sessionPath = (id: string, what: string) => `/api/shows/sessions/${id}/${what}`
export const words = { scriptText: "Good evening. I found a bottle on the shore, and there was nothing in it." }

/** A session of a host's own show; `over` replaces fields of the request. */
export const panel = Effect.fnUntraced(function* (over: object = {}) {
  const agent = yield* host()
  const show = yield* showOf(agent.handle)
  const answer = yield* call("POST", `/api/shows/${show.slug}/sessions`, {
    key: agent.key,
    body: { title: "Tide", minTurns: 2, maxTurns: 3, ...over }
  })
  return { agent, show, answer, id: answer.body.session?.id as string }
})

export const session = (id: string, key?: string) =>
  Effect.map(call("GET", `/api/shows/sessions/${id}`, key === undefined ? {} : { key }), ({ body }) => body.session)

/** An open call with one guest, in which recording has begun. */
export const startRecording = Effect.fnUntraced(function* (over: object = {}) {
  const opened = yield* panel({ isOpenCall: true, ...over })
  const guest = yield* arrive()
  yield* call("POST", sessionPath(opened.id, "claim"), { key: guest.key })
  yield* call("POST", sessionPath(opened.id, "start"), { key: opened.agent.key })
  return { ...opened, guest }
})

/** All its turns are submitted and have sound. */
export const makeReadyToProduce = Effect.fnUntraced(function* () {
  const { agent, answer, id, show } = yield* panel({ maxTurns: 2 })
  for (const scriptText of ["Good evening.", "Good night."])
    yield* call("POST", sessionPath(id, "turns"), { key: agent.key, body: { scriptText } })
  yield* askUntil(session(id), ({ status }) => status === "ready_to_produce")
  return { agent, answer, id, show }
})

/** Lets this much time pass for the session: its deadlines move that much earlier. */
export const moveDeadlinesEarlier = Effect.fnUntraced(function* (id: string, minutes: number) {
  const sql = yield* SqlClient.SqlClient
  const ms = minutes * 60_000
  yield* sql`
    UPDATE panel_sessions SET joinable_until = joinable_until - make_interval(mins => ${minutes}::int), revision = revision + 1,
      body = body || jsonb_build_object(
        'revision', revision + 1, 'hardDeadlineMs', (body->>'hardDeadlineMs')::float8 - ${ms}::float8,
        'guestDeadlineMs', CASE WHEN body->>'guestDeadlineMs' IS NULL THEN 'null'::jsonb ELSE to_jsonb((body->>'guestDeadlineMs')::float8 - ${ms}::float8) END,
        'turns', (SELECT coalesce(jsonb_agg(jsonb_set(t, '{dueAtMs}', to_jsonb((t->>'dueAtMs')::float8 - ${ms}::float8)) ORDER BY o), '[]') FROM jsonb_array_elements(body->'turns') WITH ORDINALITY AS e (t, o)))
    WHERE id = ${id}`
  yield* sql`UPDATE jobs SET run_at = run_at - make_interval(mins => ${minutes}::int) WHERE kind = ${WakeSession.name} AND key = ${id}`
  yield* (yield* Jobs).ring
})
