import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Fact } from "../../../schema/air/Announcement.ts"
import { BlockId, HumanId, InteractionId, SongRequestId, TrackId } from "../../../schema/Ids.ts"
import { aListener, Interaction } from "../../../schema/listeners/Message.ts"
import { DocketStatus } from "../../../schema/lore/Council.ts"
import { LoreCategory } from "../../../schema/lore/Lore.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { dayMs, hourMs } from "../../../schema/time/Units.ts"
import {
  councilFact,
  dayFact,
  factKey,
  highlightFact,
  instantIn,
  loreFact,
  messageFact,
  programmeFact,
  requestFact,
  trackFact
} from "../../rules/air/Facts.ts"
import { announcementFactsMax, dailySummaryHour, programmePreviewMaxMs } from "../../rules/air/limits.ts"
import { instantOf, runsOf, wallOf, weekFrom } from "../../rules/time/WeekSchedule.ts"
import { Highlights } from "../lore/Highlights.ts"
import { WeekSchedules } from "../programmes/WeekSchedules.ts"
import { at, ms } from "../sql/instants.ts"
import { onlyRow, rows } from "../sql/rows.ts"
import { StationFacts } from "../sql/StationFacts.ts"

const trackRows = rows(
  Schema.Struct({
    id: TrackId,
    title: Schema.String,
    artist: Schema.String,
    genre: Schema.NullOr(Schema.String),
    bpm: Schema.NullOr(Schema.Finite),
    musicalKey: Schema.NullOr(Schema.String),
    isHouse: Schema.Boolean
  })
)
const requestRows = rows(Schema.Struct({ id: SongRequestId, label: Schema.String, humanId: Schema.NullOr(HumanId) }))
const messageRows = rows(
  Schema.Struct({
    id: InteractionId,
    type: Interaction.fields.type,
    label: Schema.String,
    humanId: Schema.NullOr(HumanId)
  })
)
const hostRows = rows(Schema.Struct({ blockId: BlockId, startMs: Schema.Finite, host: Schema.NullOr(Schema.String) }))
const loreRows = rows(
  Schema.Struct({ id: Schema.String, title: Schema.String, category: LoreCategory, atMs: Schema.Finite })
)
const councilRows = rows(
  Schema.Struct({
    id: Schema.String,
    title: Schema.String,
    status: DocketStatus,
    voters: Schema.Int,
    atMs: Schema.Finite
  })
)
const figureRow = onlyRow(
  Schema.Struct({ songs: Schema.Int, talks: Schema.Int, agents: Schema.Int, requests: Schema.Int })
)
const lastSong = rows(Schema.Struct({ trackId: Schema.NullOr(TrackId) }))

const known = (facts: ReadonlyArray<Fact | null>): ReadonlyArray<Fact> => facts.flatMap((fact) => fact ?? [])

/** The approved facts that announcements may state, as they are now. Withdrawn and hidden ones are left out. */
export class AnnouncementFacts extends Context.Service<AnnouncementFacts>()("longwave/engine/store/AnnouncementFacts", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schedules = yield* WeekSchedules
    const highlights = yield* Highlights
    const { timeZone: zone } = yield* StationFacts

    const tracks = (ids: ReadonlyArray<string>) =>
      ids.length === 0
        ? Effect.succeed([])
        : Effect.map(
            trackRows(sql`
              SELECT id, title, artist, genre, bpm::float8 AS bpm, musical_key, source = 'house' AND agent_id IS NULL AS is_house
              FROM tracks WHERE id IN ${sql.in(ids)} AND approval_status = 'approved'`),
            (found) => known(found.map(trackFact))
          )
    /** Only of listeners who agreed to be named, and whose requests were neither withdrawn nor refused. */
    const named = (ids: ReadonlyArray<string>) =>
      ids.length === 0
        ? Effect.succeed([])
        : requestRows(sql`
            SELECT id, listener_label AS label, human_id FROM song_requests
            WHERE id IN ${sql.in(ids)} AND listener_label <> ${aListener} AND human_id IS NOT NULL AND status IN ('pending', 'fulfilled') ORDER BY created_at, id`)
    /** Of listeners who agreed to be named. The chat knows no such consent. */
    const messages = (which: Statement.Fragment) =>
      messageRows(sql`
        SELECT id, type, listener_label AS label, human_id FROM interactions
        WHERE moderation_status IN ('approved', 'aired') AND listener_label <> ${aListener} AND human_id IS NOT NULL AND ${which}
        ORDER BY created_at, id LIMIT ${announcementFactsMax}`)
    const programmes = Effect.fnUntraced(function* (nowMs: number) {
      const untilMs = nowMs + programmePreviewMaxMs + hourMs
      const week = weekFrom(yield* schedules.from(nowMs), nowMs)
      const runs = runsOf(week, zone, nowMs, untilMs).filter(
        ({ block, endMs, startMs }) => startMs > nowMs && endMs > startMs && block.kind !== "rotation"
      )
      const hosts = yield* hostRows(sql`
        SELECT p.block_id, ${ms("p.occurrence_start")} AS start_ms, a.persona->>'displayName' AS host FROM plans p JOIN agents a ON a.id = p.agent_id AND a.deleted_at IS NULL
        WHERE p.status = 'approved' AND p.occurrence_start > ${at(nowMs)} AND p.occurrence_start < ${at(untilMs)}`)
      return known(
        runs.map(({ block, startMs }) =>
          programmeFact(zone, {
            blockId: block.id,
            startMs,
            title: block.title,
            host: hosts.find((one) => one.blockId === block.id && one.startMs === startMs)?.host ?? null
          })
        )
      )
    })
    const day = (untilMs: number) => {
      const midnightMs = instantOf(zone, Math.floor(wallOf(zone, untilMs - 1) / dayMs) * dayMs)
      const within = sql`first_sample >= ${sampleOf(midnightMs)}::bigint AND first_sample < ${sampleOf(untilMs)}::bigint AND outcome = 'complete'`
      return Effect.map(
        figureRow(sql`
          SELECT count(*) FILTER (WHERE r.kind = 'music')::int AS songs,
            count(DISTINCT s.id)::int AS talks, count(DISTINCT s.agent_id)::int AS agents,
            (SELECT count(*)::int FROM airings air WHERE air.subject = 'song_request' AND air.state = 'aired' AND air.begun_at >= ${at(midnightMs)} AND air.begun_at < ${at(untilMs)}) AS requests
          FROM as_run r LEFT JOIN segments s ON s.id = r.segment_id AND r.kind = 'segment' AND NOT s.rerun_hold WHERE r.station_id = (SELECT id FROM stations LIMIT 1) AND ${within}`),
        (figures) => known([dayFact(zone, untilMs, figures)])
      )
    }
    const lore = (which: Statement.Fragment) =>
      Effect.map(
        loreRows(sql`
          SELECT id, title, category, ${ms("canonical_since")} AS at_ms FROM lore_entries
          WHERE status = 'canonical' AND NOT operational AND ${which} ORDER BY canonical_since DESC, id DESC LIMIT ${announcementFactsMax}`),
        (found) => found.map((row) => ({ atMs: row.atMs, fact: loreFact(row) }))
      )
    const council = (which: Statement.Fragment) =>
      Effect.map(
        councilRows(sql`
          SELECT id, title, status, (outcome->>'voters')::int AS voters, ${ms("(outcome->>'closedAt')::timestamptz")} AS at_ms FROM council_items
          WHERE outcome IS NOT NULL AND NOT hidden AND ${which} ORDER BY closes_at DESC, id DESC LIMIT ${announcementFactsMax}`),
        (found) => found.map((row) => ({ atMs: row.atMs, fact: councilFact(row) }))
      )
    /** What the last edition names and is still public; lore and council tell their news themselves. */
    const highlighted = (subjectIds: ReadonlyArray<string> | null, sinceMs: number) =>
      Effect.gen(function* () {
        const edition = yield* highlights.latest
        if (edition === null || edition.createdAtMs < sinceMs) return []
        const named = edition.items.filter(
          ({ kind, subjectId }) =>
            (kind === "segment" || kind === "track") && (subjectIds === null || subjectIds.includes(subjectId))
        )
        const subjects = yield* highlights.subjects(named.slice(0, announcementFactsMax))
        return subjects.map(({ subjectId: id, title }) => ({
          atMs: edition.createdAtMs,
          fact: highlightFact({ id, title })
        }))
      })
    const idsOf = (facts: ReadonlyArray<Fact>, kind: Fact["kind"]) =>
      facts.flatMap((fact) => (fact.kind === kind ? [fact.id] : []))
    const within = (ids: ReadonlyArray<string>) => sql`id IN ${sql.in(ids)}`
    const whenAny = <A>(
      ids: ReadonlyArray<string>,
      read: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>>
    ) => (ids.length === 0 ? Effect.succeed([]) : read(ids))

    return {
      tracks,
      named,
      /** Messages of the last day, oldest first. */
      messages: (nowMs: number) => messages(sql`created_at > ${at(nowMs - dayMs)}`),
      programmes,
      /** The newest track of the log that aired completely before an instant; null if something else ended last. */
      playedLast: Effect.map(
        lastSong(sql`
          SELECT CASE WHEN kind = 'music' AND outcome = 'complete' THEN track_id END AS track_id FROM as_run
          WHERE station_id = (SELECT id FROM stations LIMIT 1) AND item_id IS NOT NULL AND kind NOT IN ('station_id', 'filler') ORDER BY as_run.first_sample DESC, as_run.seq DESC LIMIT 1`),
        ([found]) => found?.trackId ?? null
      ),
      /** The day up to its evening; null before that. */
      day: Effect.fnUntraced(function* (nowMs: number) {
        const untilMs = instantOf(zone, Math.floor(wallOf(zone, nowMs) / dayMs) * dayMs + dailySummaryHour * hourMs)
        return untilMs > nowMs ? null : ((yield* day(untilMs))[0] ?? null)
      }),
      /** News of the last day, newest first. */
      news: Effect.fnUntraced(function* (nowMs: number) {
        const sinceMs = nowMs - dayMs
        const found = [
          ...(yield* lore(sql`canonical_since > ${at(sinceMs)}`)),
          ...(yield* council(
            sql`closes_at > ${at(sinceMs - dayMs)} AND (outcome->>'closedAt')::timestamptz > ${at(sinceMs)}`
          )),
          ...(yield* highlighted(null, sinceMs))
        ]
        return known(found.toSorted((a, b) => b.atMs - a.atMs).map(({ fact }) => fact))
      }),
      /** The same facts as they are known now, by key; one that isn't approved any more is missing. */
      current: Effect.fnUntraced(function* (facts: ReadonlyArray<Fact>, nowMs: number) {
        const days = idsOf(facts, "day").flatMap((id) => instantIn(id) ?? [])
        const found = [
          ...(yield* tracks(idsOf(facts, "track"))),
          ...known((yield* named(idsOf(facts, "request"))).map(requestFact)),
          ...(yield* whenAny(idsOf(facts, "message"), (ids) =>
            Effect.map(messages(within(ids)), (all) => known(all.map(messageFact)))
          )),
          ...(yield* whenAny(idsOf(facts, "programme"), () => programmes(nowMs))),
          ...(yield* Effect.forEach(days, day)).flat(),
          ...(yield* whenAny(idsOf(facts, "lore"), (ids) =>
            Effect.map(lore(within(ids)), (all) => known(all.map(({ fact }) => fact)))
          )),
          ...(yield* whenAny(idsOf(facts, "highlight"), (ids) =>
            Effect.map(highlighted(ids, nowMs - 2 * dayMs), (all) => known(all.map(({ fact }) => fact)))
          )),
          ...(yield* whenAny(idsOf(facts, "council"), (ids) =>
            Effect.map(council(within(ids)), (all) => known(all.map(({ fact }) => fact)))
          ))
        ]
        return new Map(found.map((fact) => [factKey(fact), fact]))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide([StationFacts.layer, WeekSchedules.layer, Highlights.layer])
  )
}
