import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AiringsWriter } from "../../../engine/store/air/Airings.ts"
import { endSubject } from "../../../actors/air/AiringEvents.ts"
import type { InteractionsWriter } from "../../../engine/store/listeners/Messages.ts"
import type { SongRequestsWriter } from "../../../engine/store/music/SongRequests.ts"
import type { SegmentsWriter } from "../../../engine/store/segments/Segments.ts"
import { requestStatus } from "../../../engine/rules/music/SongRequest.ts"
import type { AiringState } from "../../../schema/air/Airing.ts"
import type { ItemId } from "../../../schema/Ids.ts"

/** A requested song in any state, bypassing the rules. */
export const setRequests = (which: Statement.Fragment, state: AiringState, displacements = 0) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const status = requestStatus[state] === "scheduled" ? "pending" : requestStatus[state]
    yield* sql`UPDATE airings SET state = ${state}, displacements = ${displacements}, updated_at = now(), ended_at = CASE WHEN ${state} = 'aired' THEN now() END
      WHERE subject = 'song_request' AND subject_id IN (SELECT id FROM song_requests WHERE ${which})`
    yield* sql`UPDATE song_requests SET status = ${status} WHERE ${which}`
  })

/** Segments in any state on their way to the air, bypassing the rules. */
export const setSegments = (
  which: Statement.Fragment,
  state: "waiting" | "placed" | "airing" | "aired",
  { atMs = Date.now(), complete = null }: { readonly atMs?: number | null; readonly complete?: boolean | null } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const instant = sql`to_timestamp(${atMs}::float8 / 1000)`
    const [begunAt, expectedAt] =
      state === "placed" ? [sql`NULL::timestamptz`, instant] : [instant, sql`NULL::timestamptz`]
    yield* sql`UPDATE segments SET status = ${state === "aired" ? state : "queued"}, status_changed_at = now() WHERE ${which}`
    yield* sql`INSERT INTO airings (id, subject, subject_id, state, begun_at, expected_at, complete, changed_at, updated_at)
      SELECT id, 'segment', id, ${state}, ${begunAt}, ${expectedAt}, ${complete}::boolean, now(), now() FROM segments WHERE ${which}
      ON CONFLICT (id) DO UPDATE SET state = excluded.state, begun_at = excluded.begun_at, expected_at = excluded.expected_at, complete = excluded.complete, changed_at = excluded.changed_at`
  })

/** A segment that a test inserted directly waits like one sent over HTTP. */
export const offerRequests = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`INSERT INTO airings (id, subject, subject_id, state, changed_at, updated_at)
      SELECT id, 'song_request', id, 'waiting', created_at, updated_at FROM song_requests ON CONFLICT DO NOTHING`
)

/** Airings whose end is passed on to their subjects, as on the station. */
export const airingsOfSubjects = Layer.effect(
  AiringsWriter,
  Effect.gen(function* () {
    const airings = yield* AiringsWriter
    const context = yield* Effect.context<InteractionsWriter | SegmentsWriter | SongRequestsWriter>()
    const endSubjects = (moved: ReturnType<typeof airings.move>) =>
      Effect.provideContext(
        Effect.tap(moved, (all) => Effect.forEach(all, ({ after }) => endSubject(after), { discard: true })),
        context
      )
    return AiringsWriter.of({
      ...airings,
      move: (...asked) => endSubjects(airings.move(...asked)),
      reclaim: (...asked) => endSubjects(airings.reclaim(...asked))
    })
  })
)

/** The stored marks of one airing, in the terms of the tests. */
export const marksOf = Effect.map(AiringsWriter, (airings) => {
  const mark =
    <Rest extends ReadonlyArray<unknown>>(event: (...rest: Rest) => Parameters<typeof airings.move>[1]) =>
    (id: string | ReadonlyArray<string>, fence: number, ...rest: Rest) =>
      airings.move(typeof id === "string" ? [id] : id, event(...rest), fence)
  return {
    place: mark((atMs: number, placement: ItemId = "itm_00000000000000000000000001" as ItemId) => ({
      _tag: "Place",
      placement,
      expectedAtMs: atMs,
      atMs
    })),
    displace: mark((reason: string) => ({ _tag: "Displace", reason, atMs: 0 })),
    giveUp: mark((reason: string) => ({ _tag: "GiveUp", reason, atMs: 0 })),
    begin: mark((atMs: number) => ({ _tag: "Begin", atMs })),
    /** For a sound of 100 s. */
    end: mark((heardShare: number, endedAtMs: number) => ({
      _tag: "End",
      atMs: endedAtMs,
      heard: {
        sinceMs: endedAtMs - heardShare * 100_000,
        endedAtMs,
        heardMs: heardShare * 100_000,
        lengthMs: 100_000,
        complete: heardShare === 1
      }
    })),
    reclaim: airings.reclaim
  }
})
