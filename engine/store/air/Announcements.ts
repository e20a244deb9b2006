import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type AnnouncementForOps,
  AnnouncementKind,
  AnnouncementState,
  type Fact,
  Sentence,
  textOf
} from "../../../schema/air/Announcement.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import { AnnouncementId, AssetId, type HumanId } from "../../../schema/Ids.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { type Announced, announcedItemId } from "../../rules/air/Planner.ts"
import type { AnnouncementDraft, Said } from "../../rules/air/Announcer.ts"
import { announcementKeptDays, announcementsReadyMax, phraseRestMs } from "../../rules/air/limits.ts"
import { at, ms } from "../sql/instants.ts"
import { fenced, isAirOwner } from "../sql/fenced.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { countChanged, rows, run, hasChanged } from "../sql/rows.ts"

const Sentences = Schema.Array(Sentence)
const encodeSentences = Schema.encodeEffect(Sentences)
const encodeAirable = Schema.encodeEffect(Airable)
const openRows = rows(Schema.Struct({ kind: AnnouncementKind, airable: Airable, sentences: Sentences }))
const saidRows = rows(Schema.Struct({ kind: AnnouncementKind, atMs: Schema.Finite, sentences: Sentences }))
const spokenRows = rows(Schema.Struct({ kind: AnnouncementKind, ms: Schema.Finite }))
const switchRows = rows(Schema.Struct({ kind: AnnouncementKind }))
const oldRows = rows(Schema.Struct({ id: AnnouncementId, assetId: AssetId }))
const listed = rows(
  Schema.Struct({
    id: AnnouncementId,
    kind: AnnouncementKind,
    state: AnnouncementState,
    reason: Schema.NullOr(Schema.String),
    sentences: Sentences,
    assetId: AssetId,
    lengthMs: Schema.NullOr(Schema.Int),
    atMs: Schema.Finite
  })
)
/** An announcement that may air, with its facts as they were read. */
export interface OpenAnnouncement {
  readonly kind: AnnouncementKind
  readonly airable: Announced
  readonly facts: ReadonlyArray<Fact>
}
const isAnnounced = (airable: Airable): airable is Announced => airable.announcement !== undefined

/** What the station says between contributions. Each announcement airs at most once. */
export class AnnouncementsWriter extends Context.Service<AnnouncementsWriter>()(
  "longwave/engine/store/AnnouncementsWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const isOpen = sql.literal("state IN ('making', 'ready')")
      return {
        /** Reserves an announcement's words before its sound is made. False if it exists. */
        claim: Effect.fnUntraced(function* (
          {
            id,
            humanId,
            ...draft
          }: AnnouncementDraft & {
            readonly id: AnnouncementId
            readonly assetId: AssetId
            readonly atMs: number
            readonly humanId: HumanId | null
          },
          fence: number
        ) {
          const sentences = JSON.stringify(yield* encodeSentences(draft.sentences))
          return yield* hasChanged(sql`
            INSERT INTO announcements (id, kind, state, title, sentences, after_item_id, before_item_id, valid_from, valid_until, at, asset_id, human_id, kept_until, fence)
            SELECT ${id}, ${draft.kind}, 'making', ${draft.title}, ${sentences}::text::jsonb, ${draft.afterItemId}, ${draft.beforeItemId}, ${at(draft.validFromMs)}, ${at(draft.validUntilMs)},
              ${at(draft.atMs)}, ${draft.assetId}, ${humanId}, ${at(draft.atMs + announcementKeptDays * dayMs)}, ${fence}::bigint
            WHERE ${isAirOwner(fence)} ON CONFLICT (id) DO NOTHING RETURNING id`)
        }, Effect.orDie),
        /** It has a sound and may air. */
        ready: Effect.fnUntraced(function* (id: AnnouncementId, airable: Announced, lengthMs: number, fence: number) {
          const body = JSON.stringify(yield* encodeAirable(airable))
          return yield* hasChanged(sql`
            UPDATE announcements SET state = 'ready', airable = ${body}::text::jsonb, length_ms = ${lengthMs}, valid_until = ${at(airable.validUntilMs)}
            WHERE id = ${id} AND state = 'making' AND ${fenced(fence)} RETURNING id`)
        }, Effect.orDie),
        /** Those that haven't begun won't air any more. */
        drop: (ids: ReadonlyArray<AnnouncementId>, reason: string, fence: number) =>
          ids.length === 0
            ? Effect.void
            : run(sql`
                UPDATE announcements SET state = 'dropped', reason = ${reason} WHERE id IN ${sql.in(ids)} AND ${isOpen} AND ${fenced(fence)}`),
        /** What an earlier incarnation was making, and what is past its time. */
        dropOld: (nowMs: number, fence: number) =>
          run(sql`
            UPDATE announcements SET state = 'dropped', reason = CASE WHEN state = 'making' THEN 'INTERRUPTED' ELSE 'LATE' END
            WHERE (state = 'making' AND fence < ${fence}::bigint OR ${isOpen} AND valid_until <= ${at(nowMs)}) AND ${fenced(fence)}`),
        /** It began. From now on it never airs again. */
        begun: (id: AnnouncementId, atMs: number, fence: number) =>
          run(
            sql`UPDATE announcements SET state = 'aired', at = ${at(atMs)} WHERE id = ${id} AND ${isOpen} AND ${isAirOwner(fence)}`
          ),
        /** Those that may air, oldest first. One that the log knows doesn't. */
        open: Effect.fnUntraced(function* (nowMs: number) {
          const found = yield* openRows(sql`
            SELECT a.kind, a.airable, a.sentences FROM announcements a WHERE a.state = 'ready' AND a.valid_until > ${at(nowMs)}
              AND NOT EXISTS (SELECT FROM as_run r WHERE r.item_id = 'itm_' || substr(a.id, 5))
              AND NOT EXISTS (SELECT FROM as_run_open o WHERE o.item_id = 'itm_' || substr(a.id, 5))
            ORDER BY a.at, a.id LIMIT ${announcementsReadyMax}`)
          return found.flatMap(({ airable, kind, sentences }): ReadonlyArray<OpenAnnouncement> =>
            isAnnounced(airable) ? [{ kind, airable, facts: sentences.map(({ fact }) => fact) }] : []
          )
        }),
        /** What aired or may still air, for the choice of the next words. */
        said: (atMs: number): Effect.Effect<ReadonlyArray<Said>> =>
          saidRows(sql`
            SELECT kind, ${ms("at")} AS at_ms, sentences FROM announcements WHERE at > ${at(atMs - phraseRestMs)} AND state <> 'dropped' ORDER BY at`),
        /** Spoken time of seven days by kind, with that of announcements that may still air. */
        spokenMs: (nowMs: number) =>
          Effect.map(
            spokenRows(sql`
              SELECT kind, coalesce(sum(length_ms), 0)::float8 AS ms FROM announcements WHERE at > ${at(nowMs - 7 * dayMs)} AND state IN ('ready', 'aired') GROUP BY kind`),
            (found): Partial<Record<AnnouncementKind, number>> =>
              Object.fromEntries(found.map(({ kind, ms }) => [kind, ms]))
          ),
        /** The kinds that operators have switched off. */
        off: Effect.map(
          switchRows(sql`SELECT kind FROM announcement_switches WHERE NOT is_on`),
          (found) => new Set(found.map(({ kind }) => kind))
        ),
        switch: (kind: AnnouncementKind, isOn: boolean) =>
          run(sql`
            INSERT INTO announcement_switches (kind, is_on) VALUES (${kind}, ${isOn}) ON CONFLICT (kind) DO UPDATE SET is_on = excluded.is_on`),
        /** Newest first; null when the cursor is unknown. */
        list: Effect.fnUntraced(function* ({ cursor, limit }: Paging) {
          if (
            cursor !== null &&
            (yield* Effect.orDie(sql`SELECT 1 FROM announcements WHERE id = ${cursor}`)).length === 0
          )
            return null
          const found = yield* listed(sql`
            SELECT id, kind, state, reason, sentences, asset_id, length_ms, ${ms("at")} AS at_ms FROM announcements
            WHERE ${cursor === null ? sql`true` : sql`(at, id) < (SELECT c.at, c.id FROM announcements c WHERE c.id = ${cursor})`} ORDER BY at DESC, id DESC LIMIT ${limit + 1}`)
          return pageOf(
            found.map(({ assetId, atMs, id, kind, lengthMs, reason, sentences, state }): AnnouncementForOps => ({
              id,
              kind,
              state,
              reason,
              text: textOf(sentences),
              sentences: sentences.map(({ fact, text }) => ({ text, fact: { kind: fact.kind, id: fact.id } })),
              durationSec: lengthMs === null ? null : lengthMs / 1_000,
              itemId: announcedItemId(id),
              assetId,
              at: iso(atMs)
            })),
            limit
          )
        }),
        /** Past their retention, with their sounds. */
        old: (nowMs: number, limit: number) =>
          oldRows(
            sql`SELECT id, asset_id FROM announcements WHERE kept_until <= ${at(nowMs)} AND ${sql.literal("state <> 'ready'")} ORDER BY kept_until LIMIT ${limit}`
          ),
        remove: (id: AnnouncementId) => countChanged(sql`DELETE FROM announcements WHERE id = ${id} RETURNING id`),
        /** Erases the words about a person. Their sound goes with the next purge. */
        forget: (humanId: string) =>
          run(sql`
            UPDATE announcements SET sentences = '[]', human_id = NULL, kept_until = to_timestamp(0), state = CASE WHEN state = 'aired' THEN state ELSE 'dropped' END,
              reason = CASE WHEN state = 'aired' THEN reason ELSE 'ACCOUNT_DELETED' END WHERE human_id = ${humanId}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Announcements extends Context.Service<
  Announcements,
  Pick<AnnouncementsWriter["Service"], "list" | "off" | "spokenMs">
>()("longwave/engine/store/Announcements") {
  static readonly layer = Layer.effect(this, AnnouncementsWriter).pipe(Layer.provideMerge(AnnouncementsWriter.layer))
}
