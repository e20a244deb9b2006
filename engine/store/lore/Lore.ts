import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AgentId, LoreId, type SegmentId } from "../../../schema/Ids.ts"
import { type LoreCategory, LoreDetail, LoreEntry, type LoreReference, LoreStatus } from "../../../schema/lore/Lore.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

/** A proposed entry with the segment that mentions it. */
export interface NewLore {
  readonly id: LoreId
  readonly commandKey: string
  readonly category: LoreCategory
  readonly title: string
  readonly summary: string
  readonly references: ReadonlyArray<typeof LoreReference.Type>
  readonly topics: ReadonlyArray<string>
  readonly proposedBy: AgentId | null
  readonly mention: { readonly segmentId: SegmentId; readonly excerpt: string }
}

export interface LoreFilter extends Paging {
  readonly category: LoreCategory | null
  readonly topic: string | null
  readonly q: string | null
  readonly status: ReadonlyArray<LoreStatus>
  readonly operational: boolean
}

const { mentions: Mentions, mergeLinks: MergeLinks, versions: Versions } = LoreDetail.fields
const entries = rows(LoreEntry)
const entryRow = row(LoreEntry)
const mentionRows = rows(Mentions.value)
const versionRows = rows(Versions.value)
const mergeRows = rows(MergeLinks.value)
const knownLore = row(Schema.Struct({ id: LoreId, status: LoreStatus, commandKey: Schema.NullOr(Schema.String) }))

/** Public statuses; rejected and merged entries aren't public. */
export const loreShown: ReadonlyArray<LoreStatus> = ["proposed", "canonical", "disputed", "retired"]

/** The station's lore. */
export class LoreWriter extends Context.Service<LoreWriter>()("longwave/engine/store/LoreWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`
    const iso = (column: string) =>
      sql.literal(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
    const heard = sql.literal(
      `FROM lore_mentions m JOIN segments s ON s.id = m.segment_id WHERE m.entry_id = l.id AND s.status = 'aired' AND NOT s.rerun_hold`
    )
    const columns = sql`l.id, l.category, l.title, l.summary, l.refs AS references, l.status, l.reference_count, l.merged_into_id, l.topics,
      CASE WHEN a.handle IS NULL THEN NULL ELSE jsonb_build_object('handle', a.handle) END AS proposed_by, ${iso("l.canonical_since")} AS canonical_since,
      ${iso("l.created_at")} AS created_at, ${iso("l.updated_at")} AS updated_at, (SELECT count(*)::int ${heard}) AS mention_count`
    const from = sql.literal(`FROM lore_entries l LEFT JOIN agents a ON a.id = l.proposed_by`)
    const isCursor = (cursor: string) =>
      Effect.map(sql`SELECT 1 FROM lore_entries WHERE id = ${cursor}`, (rows) => rows.length > 0)
    const holds = (word: string): Statement.Fragment => {
      const like = `%${word.replace(/[\\%_]/gu, "\\$&")}%`
      return sql`(l.title ILIKE ${like} OR l.summary ILIKE ${like})`
    }
    return {
      /**
       * Proposes an entry, within the caller's transaction; idempotent per command. For a known title it adds a mention instead; a rejected title
       * stays rejected. True for a new entry.
       */
      propose: Effect.fn("Lore.propose")(function* (entry: NewLore, atMs: number) {
        // Serialized by title: of two panels with the same name at the same time, one creates the entry.
        yield* run(sql`SELECT pg_advisory_xact_lock(hashtext(${`lore:${entry.title.toLowerCase()}`}))`)
        const known = yield* knownLore(sql`
          SELECT id, status, command_key FROM lore_entries WHERE lower(title) = lower(${entry.title}) OR command_key = ${entry.commandKey} ORDER BY command_key IS DISTINCT FROM ${entry.commandKey}, created_at LIMIT 1`)
        if (known !== null && (known.commandKey === entry.commandKey || !loreShown.includes(known.status))) return false
        const id = known?.id ?? entry.id
        if (known === null) {
          yield* sql`
            INSERT INTO lore_entries (id, command_key, category, title, summary, refs, status, topics, proposed_by, created_at, updated_at)
            VALUES (${id}, ${entry.commandKey}, ${entry.category}, ${entry.title}, ${entry.summary}, ${json(entry.references)}, 'proposed', ${json(entry.topics)}, ${entry.proposedBy}, ${at(atMs)}, ${at(atMs)})`
          yield* sql`INSERT INTO lore_versions (entry_id, version, title, summary, edited_by, edited_at) VALUES (${id}, 1, ${entry.title}, ${entry.summary}, ${entry.proposedBy}, ${at(atMs)})`
        }
        yield* sql`INSERT INTO lore_mentions (entry_id, segment_id, excerpt) VALUES (${id}, ${entry.mention.segmentId}, ${entry.mention.excerpt}) ON CONFLICT DO NOTHING`
        return known === null
      }, Effect.orDie),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fn("Lore.list")(function* ({ category, cursor, limit, operational, q, status, topic }: LoreFilter) {
        if (cursor !== null && !(yield* isCursor(cursor))) return null
        if (status.length === 0) return { records: [], next: null }
        const found = yield* entries(
          sql`SELECT ${columns} ${from} WHERE ${sql.and([
            sql`l.status IN ${sql.in(status)}`,
            ...(operational ? [] : [sql`NOT l.operational`]),
            ...(category === null ? [] : [sql`l.category = ${category}`]),
            ...(topic === null
              ? []
              : [sql`EXISTS (SELECT 1 FROM jsonb_array_elements_text(l.topics) t WHERE lower(t) = lower(${topic}))`]),
            ...(q === null
              ? []
              : q
                  .split(/\s+/u)
                  .filter((word) => word !== "")
                  .map(holds)),
            ...(cursor === null
              ? []
              : [sql`(l.created_at, l.id) < (SELECT c.created_at, c.id FROM lore_entries c WHERE c.id = ${cursor})`])
          ])} ORDER BY l.created_at DESC, l.id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }, Effect.orDie),
      /** A public entry. */
      find: Effect.fn("Lore.find")(function* (id: string) {
        const entry = yield* entryRow(
          sql`SELECT ${columns} ${from} WHERE l.id = ${id} AND l.status IN ${sql.in(loreShown)} AND NOT l.operational`
        )
        if (entry === null) return null
        const mentions =
          yield* mentionRows(sql`SELECT m.segment_id, ${iso("air.begun_at")} AS aired_at, m.excerpt FROM lore_mentions m JOIN segments s ON s.id = m.segment_id JOIN airings air ON air.id = s.id
          WHERE m.entry_id = ${id} AND s.status = 'aired' AND NOT s.rerun_hold ORDER BY air.begun_at DESC LIMIT 100`)
        const versions = yield* versionRows(
          sql`SELECT v.version, v.title, v.summary, coalesce(a.handle, v.edited_by) AS edited_by, ${iso("v.edited_at")} AS edited_at FROM lore_versions v LEFT JOIN agents a ON a.id = v.edited_by WHERE v.entry_id = ${id} ORDER BY v.version`
        )
        const mergeLinks = yield* mergeRows(
          sql`SELECT id AS from_id, merged_into_id AS to_id, ${iso("coalesce(merged_at, updated_at)")} AS at FROM lore_entries WHERE merged_into_id = ${id} ORDER BY merged_at`
        )
        return new LoreDetail({ ...entry, mentions, versions, mergeLinks })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Lore extends Context.Service<Lore, Pick<LoreWriter["Service"], "list" | "find">>()(
  "longwave/engine/store/Lore"
) {
  static readonly layer = Layer.effect(this, LoreWriter).pipe(Layer.provideMerge(LoreWriter.layer))
}
