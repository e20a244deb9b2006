import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { loreShown } from "../../rules/lore/Lore.ts"
import { loreComparedMax, loreExcerptCharsMax, loreRankedMax, loreRowsMax } from "../../rules/lore/limits.ts"
import { AgentId, AssetId, LoreId, SegmentId } from "../../../schema/Ids.ts"
import {
  type LoreCategory,
  LoreDetail,
  LoreDispute,
  LoreEntry,
  LoreForOps,
  type LoreReference,
  LoreResult,
  LoreStatus
} from "../../../schema/lore/Lore.ts"
import { StitchedTurn } from "../../../schema/panels/Replay.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, ms } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

export interface NewMention {
  readonly segmentId: SegmentId
  readonly excerpt: string
}
/** A proposed entry with the segments that mention it. */
export interface NewLore {
  readonly id: LoreId
  readonly commandKey: string
  readonly category: LoreCategory
  readonly title: string
  readonly summary: string
  readonly references: ReadonlyArray<LoreReference>
  readonly topics: ReadonlyArray<string>
  readonly proposedBy: AgentId | null
  readonly mentions: ReadonlyArray<NewMention>
}

export interface LoreFilter extends Paging {
  readonly category: LoreCategory | null
  readonly topic: string | null
  readonly q: string | null
  readonly status: ReadonlyArray<LoreStatus>
  readonly operational: boolean
}

export interface LoreSearch {
  readonly topic: string | null
  readonly q: string | null
  readonly limit: number
}

/** What operators change of an entry; its new wording becomes a version. */
export interface LoreChange {
  readonly category: LoreCategory
  readonly title: string
  readonly summary: string
  readonly topics: ReadonlyArray<string>
  readonly operational: boolean
  readonly status: LoreStatus
}

/** A stored entry, in any state. */
const LoreRecord = Schema.Struct({
  id: LoreId,
  category: LoreForOps.fields.category,
  title: Schema.String,
  summary: Schema.String,
  topics: Schema.Array(Schema.String),
  operational: Schema.Boolean,
  status: LoreStatus,
  mergedIntoId: Schema.NullOr(LoreId),
  proposedBy: Schema.NullOr(AgentId)
})
export type LoreRecord = typeof LoreRecord.Type

/** A mention with what leads to it on the air. */
const HeardMention = Schema.Struct({
  segmentId: SegmentId,
  sessionId: Schema.NullOr(Schema.String),
  excerpt: Schema.String,
  airedAtMs: Schema.Finite,
  offsetSec: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  replayId: Schema.NullOr(Schema.String)
})
export type HeardMention = typeof HeardMention.Type

/** A mention whose second of its sound isn't known yet. */
const UnlocatedMention = Schema.Struct({
  entryId: LoreId,
  segmentId: SegmentId,
  title: Schema.String,
  excerpt: Schema.String,
  assetId: AssetId,
  turns: Schema.NullOr(Schema.Array(StitchedTurn))
})
export type UnlocatedMention = typeof UnlocatedMention.Type

const { mergeLinks: MergeLinks, versions: Versions } = LoreDetail.fields
const entries = rows(LoreEntry)
const entryRow = row(LoreEntry)
const opsEntries = rows(LoreForOps)
const opsEntry = row(LoreForOps)
const record = row(LoreRecord)
const records = rows(LoreRecord)
const results = rows(LoreResult)
const mentionRows = rows(HeardMention)
const unlocatedRows = rows(UnlocatedMention)
const versionRows = rows(Versions.value)
const mergeRows = rows(MergeLinks.value)
const disputeRows = rows(LoreDispute)
const knownLore = row(Schema.Struct({ id: LoreId, status: LoreStatus, commandKey: Schema.NullOr(Schema.String) }))
const counts = onlyRow(Schema.Struct({ referenceCount: Schema.Int, mentionCount: Schema.Int }))
const titles = rows(Schema.Struct({ id: LoreId, title: Schema.String }))
const waitingRows = rows(
  Schema.Struct({ id: LoreId, title: Schema.String, summary: Schema.String, agentId: Schema.NullOr(AgentId) })
)
const scripts = rows(Schema.Struct({ id: SegmentId, text: Schema.String, isPublic: Schema.Boolean, agentId: AgentId }))
const has = onlyRow(Schema.Struct({ found: Schema.Boolean }))
const ids = rows(Schema.Struct({ id: Schema.String }))

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
    const stored = sql.literal(
      "l.id, l.category, l.title, l.summary, l.topics, l.operational, l.status, l.merged_into_id, l.proposed_by"
    )
    const from = sql.literal(`FROM lore_entries l LEFT JOIN agents a ON a.id = l.proposed_by AND a.deleted_at IS NULL`)
    const isCursor = (cursor: string) =>
      Effect.map(sql`SELECT 1 FROM lore_entries WHERE id = ${cursor}`, (rows) => rows.length > 0)
    const isContaining = (word: string): Statement.Fragment => {
      const like = `%${word.replace(/[\\%_]/gu, "\\$&")}%`
      return sql`(l.title ILIKE ${like} OR l.summary ILIKE ${like})`
    }
    const hasTopic = (topic: string) => sql`lower(l.topics::text)::jsonb @> ${json([topic.toLowerCase()])}`
    /** Asked once: Postgres gets the extension from a migration. */
    const isSimilar = Effect.runSync(
      Effect.cached(
        Effect.map(
          has(sql`SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS found`),
          ({ found }) => found
        )
      )
    )
    const conditionsOf = ({ category, cursor, operational, q, status, topic }: LoreFilter) =>
      sql.and([
        sql`l.status IN ${sql.in(status)}`,
        ...(operational ? [] : [sql`NOT l.operational`]),
        ...(category === null ? [] : [sql`l.category = ${category}`]),
        ...(topic === null ? [] : [hasTopic(topic)]),
        ...(q === null
          ? []
          : q
              .split(/\s+/u)
              .filter((word) => word !== "")
              .map(isContaining)),
        ...(cursor === null
          ? []
          : [sql`(l.created_at, l.id) < (SELECT c.created_at, c.id FROM lore_entries c WHERE c.id = ${cursor})`])
      ])
    const newestFirst = (limit: number) => sql`ORDER BY l.created_at DESC, l.id DESC LIMIT ${limit + 1}`
    const addVersion = (id: LoreId, title: string, summary: string, by: string | null, atMs: number) =>
      run(sql`
        INSERT INTO lore_versions (entry_id, version, title, summary, edited_by, edited_at)
        SELECT ${id}, coalesce(max(version), 0) + 1, ${title}, ${summary}, ${by}, ${at(atMs)} FROM lore_versions WHERE entry_id = ${id}`)
    const mention = (id: LoreId, { excerpt, segmentId }: NewMention) =>
      run(
        sql`INSERT INTO lore_mentions (entry_id, segment_id, excerpt) VALUES (${id}, ${segmentId}, ${excerpt}) ON CONFLICT DO NOTHING`
      )
    const add = Effect.fnUntraced(function* (
      entry: Omit<NewLore, "mentions"> & { readonly status: LoreStatus; readonly operational: boolean },
      by: string | null,
      atMs: number
    ) {
      yield* run(sql`
        INSERT INTO lore_entries (id, command_key, category, title, summary, refs, status, operational, topics, proposed_by, canonical_since, created_at, updated_at)
        VALUES (${entry.id}, ${entry.commandKey}, ${entry.category}, ${entry.title}, ${entry.summary}, ${json(entry.references)}, ${entry.status}, ${entry.operational},
          ${json(entry.topics)}, ${entry.proposedBy}, ${at(entry.status === "canonical" ? atMs : null)}, ${at(atMs)}, ${at(atMs)})`)
      yield* addVersion(entry.id, entry.title, entry.summary, by, atMs)
    })
    const findAny = (id: string) => record(sql`SELECT ${stored} FROM lore_entries l WHERE l.id = ${id}`)
    return {
      add,
      mention,
      /**
       * Proposes a panel's entry, within the caller's transaction; idempotent per command. For a known title it adds a mention instead; a rejected
       * title stays rejected. Answers the known entry, or null for a new one.
       */
      propose: Effect.fnUntraced(function* (entry: NewLore, atMs: number) {
        // Serialized by title: of two panels with the same name at the same time, one creates the entry.
        yield* run(sql`SELECT pg_advisory_xact_lock(hashtext(${`lore:${entry.title.toLowerCase()}`}))`)
        const known = yield* knownLore(sql`
          SELECT id, status, command_key FROM lore_entries WHERE lower(title) = lower(${entry.title}) OR command_key = ${entry.commandKey} ORDER BY command_key IS DISTINCT FROM ${entry.commandKey}, created_at LIMIT 1`)
        if (known !== null && (known.commandKey === entry.commandKey || !loreShown.includes(known.status)))
          return { isNew: false, known: null }
        const id = known?.id ?? entry.id
        if (known === null) yield* add({ ...entry, status: "proposed", operational: false }, entry.proposedBy, atMs)
        for (const one of entry.mentions) yield* mention(id, one)
        return { isNew: known === null, known: known === null ? null : yield* findAny(known.id) }
      }, Effect.orDie),
      findAny,
      /** The same, locked until the caller's transaction ends. */
      lock: (id: string) => record(sql`SELECT ${stored} FROM lore_entries l WHERE l.id = ${id} FOR UPDATE`),
      /** Canonical and disputed entries whose title is the same or nearly the same. */
      listSimilar: Effect.fnUntraced(function* (title: string, except: string) {
        const near = (yield* isSimilar) ? sql`l.title % ${title}` : sql`lower(l.title) = lower(${title})`
        return yield* records(sql`
          SELECT ${stored} FROM lore_entries l WHERE l.status IN ('canonical', 'disputed') AND NOT l.operational AND l.id <> ${except} AND (${near}
            OR l.subject = btrim(regexp_replace(regexp_replace(folded(${title}), '[^[:alnum:]]+', ' ', 'g'), '^ *(the|an|a) ', '')))
          ORDER BY l.created_at LIMIT ${loreComparedMax}`)
      }),
      /** A public entry with the same words. */
      findSame: (title: string, summary: string) =>
        record(sql`
          SELECT ${stored} FROM lore_entries l WHERE lower(l.title) = lower(${title}) AND l.summary = ${summary} AND l.status IN ${sql.in(loreShown)} AND NOT l.operational LIMIT 1`),
      /** False if the status isn't `from`. */
      move: (id: string, from: LoreStatus, to: LoreStatus, atMs: number) =>
        hasChanged(sql`
          UPDATE lore_entries SET status = ${to}, canonical_since = CASE WHEN ${to} = 'canonical' THEN coalesce(canonical_since, ${at(atMs)}) WHEN ${to} = 'proposed' THEN NULL ELSE canonical_since END, updated_at = ${at(atMs)}
          WHERE id = ${id} AND status = ${from} RETURNING id`),
      change: Effect.fnUntraced(function* (before: LoreRecord, to: LoreChange, by: string, atMs: number) {
        yield* run(sql`
          UPDATE lore_entries SET category = ${to.category}, title = ${to.title}, summary = ${to.summary}, topics = ${json(to.topics)}, operational = ${to.operational}, status = ${to.status},
            canonical_since = CASE WHEN ${to.status} = 'canonical' THEN coalesce(canonical_since, ${at(atMs)}) WHEN ${to.status} = 'proposed' THEN NULL ELSE canonical_since END, updated_at = ${at(atMs)}
          WHERE id = ${before.id}`)
        if (to.title !== before.title || to.summary !== before.summary)
          yield* addVersion(before.id, to.title, to.summary, by, atMs)
      }),
      /** Gives an entry's mentions and references to another one and links it there. */
      merge: Effect.fnUntraced(function* (id: LoreId, intoId: LoreId, atMs: number) {
        yield* run(sql`
          INSERT INTO lore_mentions (entry_id, segment_id, excerpt, offset_sec, located_at)
          SELECT ${intoId}, segment_id, excerpt, offset_sec, located_at FROM lore_mentions WHERE entry_id = ${id} ON CONFLICT DO NOTHING`)
        yield* run(sql`
          UPDATE lore_entries SET updated_at = ${at(atMs)}, reference_count = reference_count + (SELECT reference_count FROM lore_entries WHERE id = ${id}) WHERE id = ${intoId}`)
        yield* run(
          sql`UPDATE lore_entries SET status = 'merged', merged_into_id = ${intoId}, merged_at = ${at(atMs)}, updated_at = ${at(atMs)} WHERE id = ${id}`
        )
      }),
      /** One for each claim. False if this claim was noticed before. */
      dispute: (
        dispute: {
          readonly id: string
          readonly entryId: LoreId
          readonly byEntryId: LoreId | null
          readonly segmentId: SegmentId | null
          readonly difference: string
          readonly claim: string
        },
        atMs: number
      ) =>
        hasChanged(sql`
          INSERT INTO lore_disputes (id, entry_id, by_entry_id, segment_id, difference, claim, opened_at)
          VALUES (${dispute.id}, ${dispute.entryId}, ${dispute.byEntryId}, ${dispute.segmentId}, ${dispute.difference}, ${dispute.claim}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING id`),
      settleDisputes: (id: LoreId, outcome: "upheld" | "retired" | "merged", atMs: number) =>
        run(
          sql`UPDATE lore_disputes SET closed_at = ${at(atMs)}, outcome = ${outcome} WHERE entry_id = ${id} AND closed_at IS NULL`
        ),
      /** False if the agent has referred to it for this slot. */
      refer: Effect.fnUntraced(function* (
        entryId: LoreId,
        agentId: AgentId,
        reference: { readonly slot: string; readonly segmentId: SegmentId | null; readonly context: string | null },
        atMs: number
      ) {
        const isNew = yield* hasChanged(sql`
          INSERT INTO lore_references (entry_id, agent_id, slot, segment_id, context, at)
          VALUES (${entryId}, ${agentId}, ${reference.slot}, ${reference.segmentId}, ${reference.context}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING slot`)
        if (isNew) yield* run(sql`UPDATE lore_entries SET reference_count = reference_count + 1 WHERE id = ${entryId}`)
        return isNew
      }),
      count: (id: LoreId) =>
        counts(
          sql`SELECT l.reference_count, (SELECT count(*)::int ${heard}) AS mention_count FROM lore_entries l WHERE l.id = ${id}`
        ),
      /** Proposed entries without an open or decided review, such as those that waited before there were reviews. */
      listUnreviewed: (limit: number) =>
        waitingRows(sql`
          SELECT l.id, l.title, l.summary, l.proposed_by AS agent_id FROM lore_entries l
          WHERE l.status = 'proposed' AND NOT EXISTS (SELECT FROM reviews r WHERE r.subject_type = 'lore' AND r.subject_id = l.id) ORDER BY l.created_at LIMIT ${limit}`),
      /** Mentions in finished sound whose second isn't known, with the turns of a panel. */
      listUnlocated: (limit: number) =>
        unlocatedRows(sql`
          SELECT m.entry_id, m.segment_id, l.title, m.excerpt, s.asset_id, r.body->'turns' AS turns
          FROM lore_mentions m JOIN lore_entries l ON l.id = m.entry_id JOIN segments s ON s.id = m.segment_id AND s.asset_id IS NOT NULL AND s.audio_status = 'ready'
            LEFT JOIN replays r ON r.segment_id = m.segment_id
          WHERE m.located_at IS NULL ORDER BY m.segment_id LIMIT ${limit}`),
      locate: (entryId: LoreId, segmentId: SegmentId, offsetSec: number | null, atMs: number) =>
        run(
          sql`UPDATE lore_mentions SET offset_sec = ${offsetSec}, located_at = ${at(atMs)} WHERE entry_id = ${entryId} AND segment_id = ${segmentId}`
        ),
      /** Segments by id, or the segment of a panel by its session: script, agent, and whether everybody may hear it. */
      listSpoken: (names: ReadonlyArray<string>) =>
        names.length === 0
          ? Effect.succeed([])
          : scripts(sql`
          SELECT s.id, s.display_text AS text, s.agent_id, s.status = 'aired' AND NOT s.rerun_hold AS is_public FROM segments s
          WHERE (s.id IN ${sql.in(names)} OR s.id IN (SELECT r.segment_id FROM replays r WHERE r.session_id IN ${sql.in(names)}))
            AND s.status NOT IN ('rejected', 'cancelled', 'expired', 'failed') AND NOT s.rerun_hold`),
      /** Those of the ids that everybody can read: approved tracks, public posts, sessions that are not cancelled. */
      listReadable: Effect.fnUntraced(function* (of: {
        readonly tracks: ReadonlyArray<string>
        readonly posts: ReadonlyArray<string>
        readonly sessions: ReadonlyArray<string>
        readonly entries: ReadonlyArray<string>
      }) {
        const orPlaceholder = (names: ReadonlyArray<string>) => (names.length === 0 ? [""] : names)
        return (yield* ids(sql`
          SELECT id FROM tracks WHERE id IN ${sql.in(orPlaceholder(of.tracks))} AND approval_status = 'approved'
          UNION ALL SELECT id FROM posts WHERE id IN ${sql.in(orPlaceholder(of.posts))} AND status = 'approved' AND visibility = 'public'
          UNION ALL SELECT id FROM panel_sessions WHERE id IN ${sql.in(orPlaceholder(of.sessions))} AND status NOT IN ('cancelled', 'expired')
          UNION ALL SELECT id FROM lore_entries WHERE id IN ${sql.in(orPlaceholder(of.entries))} AND status IN ${sql.in(loreShown)} AND NOT operational`)).map(
          ({ id }) => id
        )
      }),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* (filter: LoreFilter) {
        if (filter.cursor !== null && !(yield* isCursor(filter.cursor))) return null
        if (filter.status.length === 0) return { records: [], next: null }
        const found = yield* entries(
          sql`SELECT ${columns} ${from} WHERE ${conditionsOf(filter)} ${newestFirst(filter.limit)}`
        )
        return pageOf(found, filter.limit)
      }, Effect.orDie),
      /** The same in any state, for operators. */
      listAny: Effect.fnUntraced(function* (filter: LoreFilter) {
        if (filter.cursor !== null && !(yield* isCursor(filter.cursor))) return null
        const found = yield* opsEntries(
          sql`SELECT ${columns}, l.operational ${from} WHERE ${conditionsOf(filter)} ${newestFirst(filter.limit)}`
        )
        return pageOf(found, filter.limit)
      }, Effect.orDie),
      entry: (id: string) => entryRow(sql`SELECT ${columns} ${from} WHERE l.id = ${id}`),
      findForOps: (id: string) => opsEntry(sql`SELECT ${columns}, l.operational ${from} WHERE l.id = ${id}`),
      /**
       * Public entries that fit the words, best first: by their words, and where these find too few, by titles that are nearly the same. Without words
       * the newest; canonical ones alone without a topic either.
       */
      search: Effect.fnUntraced(function* ({ limit, q, topic }: LoreSearch) {
        const open = sql`l.status IN ${sql.in(loreShown)} AND NOT l.operational`
        const within = topic === null ? sql`` : sql`AND ${hasTopic(topic)}`
        const columnsOf = (score: Statement.Fragment, excerpt: Statement.Fragment) =>
          sql`l.id AS entry_id, l.title, l.summary, ${score} AS score, ${excerpt} AS excerpt`
        const beginning = sql`left(l.summary, ${loreExcerptCharsMax}::int)`
        if (q === null)
          return yield* results(sql`
            SELECT ${columnsOf(sql`0::float8`, beginning)} FROM lore_entries l
            WHERE ${open} ${topic === null ? sql`AND l.status = 'canonical'` : within} ORDER BY l.created_at DESC, l.id DESC LIMIT ${limit}`)
        const query = sql`websearch_to_tsquery('english', folded(${q}))`
        // Words that are left out or kept together are no title.
        const isTrigram = !/(?:^|\s)-|"/u.test(q) && (yield* isSimilar)
        const near = isTrigram ? sql`similarity(l.title, ${q})::float8` : sql`0::float8`
        return yield* results(sql`
          WITH by_words AS MATERIALIZED (
            SELECT l.id FROM lore_entries l WHERE l.words @@ ${query} AND ${open} ${within} LIMIT ${loreRankedMax}
          ), fitting AS (
            SELECT id FROM by_words
            ${
              isTrigram
                ? sql`UNION SELECT * FROM (
                    SELECT l.id FROM lore_entries l WHERE (SELECT count(*) FROM by_words) < ${limit} AND l.title % ${q} AND ${open} ${within} LIMIT ${loreRankedMax}
                  ) by_title`
                : sql``
            }
          ), best AS (
            SELECT l.id, ts_rank_cd(l.words, ${query})::float8 + ${near} AS score FROM fitting f JOIN lore_entries l ON l.id = f.id
            ORDER BY score DESC, l.id DESC LIMIT ${limit}
          )
          SELECT ${columnsOf(
            sql`round(b.score::numeric, 4)::float8`,
            sql`left(ts_headline('english', l.summary, ${query}, 'StartSel="", StopSel="", MaxWords=40, MinWords=15'), ${loreExcerptCharsMax}::int)`
          )} FROM best b JOIN lore_entries l ON l.id = b.id ORDER BY b.score DESC, l.id DESC`)
      }),
      /** A public entry with what belongs to it; null if it isn't public. */
      find: Effect.fnUntraced(function* (id: string) {
        const { entry, ...about } = yield* Effect.all(
          {
            entry: entryRow(
              sql`SELECT ${columns} ${from} WHERE l.id = ${id} AND l.status IN ${sql.in(loreShown)} AND NOT l.operational`
            ),
            mentions: mentionRows(sql`
              SELECT m.segment_id, r.session_id, m.excerpt, ${ms("air.begun_at")} AS aired_at_ms, m.offset_sec, s.asset_id,
                CASE WHEN r.published_at IS NOT NULL AND NOT r.hidden THEN r.id END AS replay_id
              FROM lore_mentions m JOIN segments s ON s.id = m.segment_id JOIN airings air ON air.id = s.id LEFT JOIN replays r ON r.segment_id = s.id
              WHERE m.entry_id = ${id} AND s.status = 'aired' AND NOT s.rerun_hold AND air.begun_at IS NOT NULL ORDER BY air.begun_at DESC LIMIT ${loreRowsMax}`),
            versions: versionRows(sql`
              SELECT * FROM (SELECT v.version, v.title, v.summary, coalesce(a.handle, CASE WHEN v.edited_by LIKE 'agt\\_%' THEN NULL ELSE 'the station' END) AS edited_by, ${iso("v.edited_at")} AS edited_at
                FROM lore_versions v LEFT JOIN agents a ON a.id = v.edited_by AND a.deleted_at IS NULL WHERE v.entry_id = ${id} ORDER BY v.version DESC LIMIT ${loreRowsMax}) newest ORDER BY version`),
            // Also entries merged into one that was merged into this: nobody loses the way.
            mergeLinks: mergeRows(sql`
              WITH RECURSIVE links AS (
                SELECT id, merged_into_id, merged_at, updated_at, 1 AS depth FROM lore_entries WHERE merged_into_id = ${id}
                UNION ALL SELECT l.id, l.merged_into_id, l.merged_at, l.updated_at, k.depth + 1 FROM links k JOIN lore_entries l ON l.merged_into_id = k.id WHERE k.depth < ${loreRowsMax}
              ) SELECT id AS from_id, merged_into_id AS to_id, ${iso("coalesce(merged_at, updated_at)")} AS at FROM links ORDER BY coalesce(merged_at, updated_at), id LIMIT ${loreRowsMax}`),
            disputes: disputeRows(sql`
              SELECT CASE WHEN b.id IS NOT NULL OR d.by_entry_id IS NULL THEN d.by_entry_id END AS by_entry_id, d.segment_id, d.difference, d.claim, ${iso("d.opened_at")} AS opened_at, ${iso("d.closed_at")} AS closed_at, d.outcome
              FROM lore_disputes d LEFT JOIN lore_entries b ON b.id = d.by_entry_id AND b.status IN ${sql.in(loreShown)} LEFT JOIN segments s ON s.id = d.segment_id
              WHERE d.entry_id = ${id} AND (b.id IS NOT NULL OR s.status = 'aired' AND NOT s.rerun_hold) ORDER BY d.opened_at DESC, d.id DESC LIMIT ${loreRowsMax}`)
          },
          { concurrency: "unbounded" }
        )
        return entry === null ? null : { entry, ...about }
      }),
      /** Where a merged entry went: the entry at the end of the chain if it is public. */
      findMergeTarget: (id: string) =>
        record(sql`
          WITH RECURSIVE links AS (
            SELECT id, merged_into_id, 1 AS depth FROM lore_entries WHERE id = ${id} AND status = 'merged'
            UNION ALL SELECT l.id, l.merged_into_id, k.depth + 1 FROM links k JOIN lore_entries l ON l.id = k.merged_into_id WHERE k.depth < ${loreRowsMax}
          ) SELECT ${stored} FROM links k JOIN lore_entries l ON l.id = k.id WHERE l.merged_into_id IS NULL AND l.status IN ${sql.in(loreShown)} AND NOT l.operational LIMIT 1`),
      /** Newest canonical entries. */
      listNewestCanonical: (limit: number) =>
        titles(
          sql`SELECT l.id, l.title FROM lore_entries l WHERE l.status = 'canonical' AND NOT l.operational ORDER BY l.canonical_since DESC, l.id DESC LIMIT ${limit}`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Lore extends Context.Service<
  Lore,
  Pick<
    LoreWriter["Service"],
    | "count"
    | "find"
    | "findAny"
    | "findForOps"
    | "list"
    | "listAny"
    | "findMergeTarget"
    | "listNewestCanonical"
    | "listReadable"
    | "search"
    | "listSpoken"
  >
>()("longwave/engine/store/Lore") {
  static readonly layer = Layer.effect(this, LoreWriter).pipe(Layer.provideMerge(LoreWriter.layer))
}
