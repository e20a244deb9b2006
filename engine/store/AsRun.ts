import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Airing, AsRunBody, type AsRunEntry, type AsRunHead, type AsRunRoot, type AsRunRow } from "../../schema/AsRun.ts"
import type { ItemKind } from "../../schema/Air.ts"
import { FenceLost, Play, RundownItem } from "../../schema/Rundown.ts"
import { asRunOverlapMax, epochMs, sampleRateHz } from "../Limits.ts"
import { asOne } from "./Transaction.ts"

export const OpenItem = Schema.Struct({
  item: RundownItem,
  firstSample: Schema.Int,
  asOfSample: Schema.Int,
  /** Where the item began, when a stretch of it is logged already. */
  sinceSample: Schema.optionalKey(Schema.Int)
})
export type OpenItem = typeof OpenItem.Type

export type HistoryBefore = { readonly _tag: "Now" } | { readonly _tag: "Item"; readonly itemId: string } | { readonly _tag: "Row"; readonly seq: number } | { readonly _tag: "Time"; readonly atMs: number }

/** How a row is bound to the one before, and an hour to its rows: the station's key is in here. */
export interface AsRunSeal {
  readonly fence: number
  readonly genesis: string
  readonly link: (prevHash: string, body: AsRunBody) => AsRunRow
  readonly root: (hourMs: number, hashes: ReadonlyArray<string>) => { readonly root: string; readonly signature: string }
  readonly head: (stationId: string, seq: number, hash: string) => string
}

/** Where the log ends, and where the station last said that it does. */
export interface AsRunEnd {
  readonly last: AsRunHead
  readonly signed: { readonly seq: number; readonly hash: string; readonly signature: string } | null
}

const offAir = (firstSample: number, lastSample: number): AsRunEntry => ({
  itemId: null, kind: "other", role: null, title: "off the air", artist: null, segmentId: null, trackId: null, agentId: null, assetId: null,
  firstSample, lastSample, outcome: "off_air", layers: [], trace: ["no programme was rendered for these samples"], pcmSha256: null
})

const msOf = (sample: number): number => epochMs + Math.floor(sample / (sampleRateHz / 1_000))
const sampleOf = (atMs: number): number => Math.round((atMs - epochMs) * (sampleRateHz / 1_000))

const BodyText = Schema.fromJsonString(AsRunBody)
const encodeOpen = Schema.encodeEffect(OpenItem)
const decodeOpen = Schema.decodeUnknownEffect(OpenItem)
const decodeBody = Schema.decodeUnknownEffect(BodyText)

/** A row as it lies in the table; `agrees` when its columns say what its text says. */
export interface AsRunRecord {
  readonly row: AsRunRow
  readonly body: AsRunBody | null
  readonly agrees: boolean
}

interface Stored extends AsRunRow {
  readonly itemId: string | null
  readonly kind: string
  readonly role: string | null
  readonly title: string
  readonly segmentId: string | null
  readonly trackId: string | null
  readonly agentId: string | null
  readonly assetId: string | null
  readonly firstSample: number
  readonly lastSample: number
  readonly outcome: string
  readonly fence: number
}

const columns = ["fence", "itemId", "kind", "role", "title", "segmentId", "trackId", "agentId", "assetId", "firstSample", "lastSample", "outcome"] as const

/** That something of an agent's was heard, as the log has it. */
export interface AsRunReceipt {
  readonly seq: number
  readonly segmentId: string
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly hash: string
}

interface AiringRow {
  readonly seq: number
  readonly itemId: string
  readonly kind: ItemKind
  readonly text: string
  readonly firstSample: number
  readonly lastSample: number
}

/** The as-run log: append-only, each row bound to the one before and signed. What it says can be checked by anyone with the public key. */
export class AsRun extends Context.Service<AsRun, {
  /**
   * Adds stretches in the order of their ends. One that is already there is left out, samples nobody accounted for become an `off_air`
   * row, and the item the stretch belongs to is no longer open.
   */
  readonly append: (
    stationId: string,
    entries: ReadonlyArray<AsRunEntry>,
    by: AsRunSeal
  ) => Effect.Effect<number, FenceLost>
  /** What sounds now, each item for itself, so that a crash can be told from an end. */
  readonly open: (stationId: string, open: OpenItem, fence: number) => Effect.Effect<void, FenceLost>
  /** It doesn't sound any more, and no stretch of its own says so. */
  readonly close: (stationId: string, itemId: string, fence: number) => Effect.Effect<void, FenceLost>
  readonly opened: (stationId: string) => Effect.Effect<ReadonlyArray<OpenItem & { readonly fence: number }>>
  /** Of these items, the ones that were heard at least in part. */
  readonly logged: (stationId: string, itemIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  /** Newest first: what was heard, without stretches that had no item. */
  readonly history: (stationId: string, ask: {
    readonly types: ReadonlyArray<ItemKind>
    readonly before: HistoryBefore
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<Airing>>
  /** The last airings, oldest first, as the rotation has to know them. */
  readonly plays: (stationId: string, limit: number) => Effect.Effect<ReadonlyArray<Play>>
  /** Rows from a number on, in order, with whatever the columns that queries use say: for whoever checks the log. */
  readonly rows: (stationId: string, ask: { readonly fromSeq: number; readonly fromSample: number; readonly toSample: number; readonly limit: number }) => Effect.Effect<ReadonlyArray<AsRunRecord>>
  /** The last airings of an agent's segments, newest first: `hash` is what the log is bound together with. */
  readonly receipts: (stationId: string, agentId: string, limit: number) => Effect.Effect<ReadonlyArray<AsRunReceipt>>
  readonly roots: (stationId: string, limit: number) => Effect.Effect<ReadonlyArray<AsRunRoot>>
  readonly end: (stationId: string) => Effect.Effect<AsRunEnd>
  /** All that is read within is as of one instant, however much is added meanwhile. Not within a transaction that has begun. */
  readonly frozen: <A, E, R>(reading: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("longwave/engine/store/AsRun") {
  static readonly layer = Layer.effect(AsRun, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const headOf = Effect.fnUntraced(function*(stationId: string) {
      const rows = yield* sql<AsRunHead & { readonly fence: number }>`
        SELECT seq::float8 AS seq, hash, last_sample::float8 AS last_sample, fence::float8 AS fence FROM as_run
        WHERE station_id = ${stationId} ORDER BY seq DESC LIMIT 1`
      return rows[0] ?? { seq: 0, hash: "", lastSample: null, fence: 0 }
    })

    const insert = Effect.fnUntraced(function*(head: AsRunHead, body: AsRunBody, by: AsRunSeal) {
      const row = by.link(head.seq === 0 ? by.genesis : head.hash, body)
      yield* sql`
        INSERT INTO as_run (station_id, seq, fence, item_id, kind, role, title, segment_id, track_id, agent_id, asset_id, first_sample, last_sample,
          outcome, text, prev_hash, hash, signature)
        VALUES (${body.stationId}, ${row.seq}, ${body.fence}, ${body.itemId}, ${body.kind}, ${body.role}, ${body.title}, ${body.segmentId},
          ${body.trackId}, ${body.agentId}, ${body.assetId}, ${body.firstSample}, ${body.lastSample}, ${body.outcome}, ${row.text}, ${row.prevHash},
          ${row.hash}, ${row.signature})`
      if (body.trackId !== null) {
        yield* sql`UPDATE tracks SET play_count = play_count + 1, last_played_at = to_timestamp(${msOf(body.firstSample)}::float8 / 1000)
          WHERE id = ${body.trackId}`
      }
      return { seq: row.seq, hash: row.hash, lastSample: body.lastSample }
    })

    /** Whether the stretch stands there already: an item has one that begins at a sample, and nothing else begins and ends where another does. */
    const has = Effect.fnUntraced(function*(stationId: string, { firstSample, itemId, lastSample }: AsRunEntry) {
      const rows = itemId === null
        ? yield* sql`SELECT 1 FROM as_run WHERE station_id = ${stationId} AND first_sample = ${firstSample} AND last_sample = ${lastSample} AND item_id IS NULL`
        : yield* sql`SELECT 1 FROM as_run WHERE item_id = ${itemId} AND station_id = ${stationId} AND first_sample = ${firstSample}`
      return rows.length > 0
    })

    /** A row belongs to the hour in which it ends; an hour is sealed by the first row of a later one. */
    const seal = Effect.fnUntraced(function*(stationId: string, from: AsRunHead, to: number, by: AsRunSeal) {
      if (from.lastSample === null) return
      const hourMs = Math.floor(msOf(from.lastSample) / 3_600_000) * 3_600_000
      if (Math.floor(msOf(to) / 3_600_000) * 3_600_000 <= hourMs) return
      const rows = yield* sql<{ seq: number; hash: string }>`
        SELECT seq::float8 AS seq, hash FROM as_run WHERE station_id = ${stationId} AND last_sample >= ${sampleOf(hourMs)} AND seq <= ${from.seq} ORDER BY seq`
      if (rows.length === 0) return
      const { root, signature } = by.root(hourMs, rows.map((row) => row.hash))
      yield* sql`INSERT INTO as_run_roots (station_id, hour_ms, first_seq, last_seq, root, signature)
        VALUES (${stationId}, ${hourMs}, ${rows[0]!.seq}, ${rows.at(-1)!.seq}, ${root}, ${signature}) ON CONFLICT DO NOTHING`
    })

    return AsRun.of({
      append: Effect.fn("AsRun.append")(function*(stationId, entries, by) {
        return yield* Effect.gen(function*() {
          yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`as_run:${stationId}`}))`
          const last = yield* headOf(stationId)
          const { fence } = by
          const newer = yield* sql`SELECT 1 FROM stations WHERE id = ${stationId} AND fence > ${fence}::bigint`
          if (last.fence > fence || newer.length > 0) return yield* new FenceLost({ fence })
          let head: AsRunHead = last
          for (const entry of entries) {
            yield* sql`DELETE FROM as_run_open WHERE station_id = ${stationId} AND item_id = ${entry.itemId}`
            if (head.lastSample !== null && (entry.lastSample < head.lastSample || (yield* has(stationId, entry)))) continue
            const expected = head.lastSample === null ? entry.firstSample : head.lastSample + 1
            // Samples before it may be those of what goes on after it.
            const begins = Math.min(entry.firstSample, entry.stillSoundingFromSample ?? entry.firstSample)
            if (begins > expected) {
              yield* seal(stationId, head, begins - 1, by)
              head = yield* insert(head, new AsRunBody({ ...offAir(expected, begins - 1), seq: head.seq + 1, stationId, fence }), by)
            }
            yield* seal(stationId, head, entry.lastSample, by)
            head = yield* insert(head, new AsRunBody({ ...entry, seq: head.seq + 1, stationId, fence }), by)
          }
          if (head.seq > last.seq) yield* sql`
            INSERT INTO as_run_heads (station_id, fence, seq, hash, signature) VALUES (${stationId}, ${fence}, ${head.seq}, ${head.hash}, ${by.head(stationId, head.seq, head.hash)})
            ON CONFLICT (station_id) DO UPDATE SET fence = excluded.fence, seq = excluded.seq, hash = excluded.hash, signature = excluded.signature`
          return head.seq
        }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
      }),
      open: Effect.fn("AsRun.open")(function*(stationId, open, fence) {
        const body = JSON.stringify(yield* Effect.orDie(encodeOpen(open)))
        const rows = yield* Effect.orDie(sql`
          INSERT INTO as_run_open (station_id, item_id, fence, body, as_of_sample)
          SELECT ${stationId}, ${open.item.id}, ${fence}::bigint, ${body}::jsonb, ${open.asOfSample}::bigint
          WHERE NOT EXISTS (SELECT 1 FROM stations WHERE id = ${stationId} AND fence > ${fence}::bigint)
          ON CONFLICT (station_id, item_id) DO UPDATE SET fence = excluded.fence, body = excluded.body, as_of_sample = excluded.as_of_sample
          WHERE as_run_open.fence <= excluded.fence RETURNING station_id`)
        if (rows.length === 0) return yield* new FenceLost({ fence })
      }),
      opened: Effect.fn("AsRun.opened")(function*(stationId) {
        const rows = yield* sql<{ body: unknown; fence: number }>`SELECT body, fence::float8 AS fence FROM as_run_open WHERE station_id = ${stationId} ORDER BY as_of_sample, item_id`
        return yield* Effect.forEach(rows, ({ body, fence }) => Effect.map(decodeOpen(body), (open) => ({ ...open, fence })))
      }, Effect.orDie),
      close: Effect.fn("AsRun.close")(function*(stationId, itemId, fence) {
        const newer = yield* Effect.orDie(sql`SELECT 1 FROM stations WHERE id = ${stationId} AND fence > ${fence}::bigint`)
        if (newer.length > 0) return yield* new FenceLost({ fence })
        yield* Effect.orDie(sql`DELETE FROM as_run_open WHERE station_id = ${stationId} AND item_id = ${itemId} AND fence <= ${fence}::bigint`)
      }),
      logged: Effect.fn("AsRun.logged")(function*(stationId, itemIds) {
        if (itemIds.length === 0) return new Set<string>()
        const rows = yield* sql<{ itemId: string }>`SELECT item_id FROM as_run WHERE station_id = ${stationId} AND item_id IN ${sql.in(itemIds)}`
        return new Set(rows.map((row) => row.itemId))
      }, Effect.orDie),
      history: Effect.fn("AsRun.history")(function*(stationId, { before, limit, types }) {
        const until = before._tag === "Now" ? sql`true`
          : before._tag === "Time" ? sql`first_sample < ${sampleOf(before.atMs)}`
          : before._tag === "Row" ? sql`(first_sample, seq) < (SELECT first_sample, seq FROM as_run WHERE station_id = ${stationId} AND seq = ${before.seq})`
          : sql`(first_sample, seq) < (SELECT first_sample, seq FROM as_run WHERE item_id = ${before.itemId} ORDER BY first_sample, seq LIMIT 1)`
        const kinds = types.length === 0 ? sql`true` : sql`kind IN ${sql.in(types)}`
        const rows = yield* sql<AiringRow>`
          SELECT seq::float8 AS seq, item_id, kind, text, first_sample::float8 AS first_sample, last_sample::float8 AS last_sample FROM as_run
          WHERE station_id = ${stationId} AND item_id IS NOT NULL AND ${kinds} AND ${until} ORDER BY first_sample DESC, as_run.seq DESC LIMIT ${limit}`
        return yield* Effect.forEach(rows, (row) => Effect.map(decodeBody(row.text), (body) => new Airing({
          asRunSeq: row.seq, itemId: row.itemId, kind: row.kind, title: body.title, artist: body.artist, segmentId: body.segmentId, trackId: body.trackId,
          agentId: body.agentId, startedAtMs: msOf(row.firstSample), endedAtMs: msOf(row.lastSample + 1), complete: body.outcome === "complete",
          assetIds: [...new Set([body.assetId, ...body.layers.map(({ assetId, layer }) => layer === "bed" ? assetId : null)].filter((id) => id !== null))]
        })))
      }, Effect.orDie),
      plays: Effect.fn("AsRun.plays")(function*(stationId, limit) {
        const rows = yield* sql<{ text: string }>`
          SELECT text FROM as_run WHERE station_id = ${stationId} AND role IS NOT NULL AND asset_id IS NOT NULL ORDER BY first_sample DESC, seq DESC LIMIT ${limit}`
        const bodies = yield* Effect.forEach(rows, (row) => decodeBody(row.text))
        return bodies.toReversed().map((body) => new Play({
          atMs: msOf(body.firstSample), role: body.role!, assetId: body.assetId!, artist: body.artist, agentId: body.agentId, topic: null,
          ...body.songRequestIds === undefined ? {} : { requested: true }
        }))
      }, Effect.orDie),
      rows: Effect.fn("AsRun.rows")(function*(stationId, { fromSample, fromSeq, limit, toSample }) {
        const stored = yield* sql<Stored>`
          SELECT seq::float8 AS seq, fence::float8 AS fence, item_id, kind, role, title, segment_id, track_id, agent_id, asset_id,
            first_sample::float8 AS first_sample, last_sample::float8 AS last_sample, outcome, text, prev_hash, hash, signature FROM as_run
          WHERE station_id = ${stationId} AND seq >= ${fromSeq} AND last_sample >= ${fromSample}
            AND seq <= (SELECT max(begun.seq) FROM (SELECT seq FROM as_run WHERE station_id = ${stationId} AND first_sample < ${toSample} ORDER BY first_sample DESC LIMIT ${asRunOverlapMax}) begun)
          ORDER BY seq LIMIT ${limit}`
        return yield* Effect.forEach(stored, (record) => Effect.map(Effect.option(decodeBody(record.text)), (found): AsRunRecord => ({
          row: record, body: found._tag === "Some" ? found.value : null,
          agrees: found._tag === "Some" && columns.every((name) => found.value[name] === record[name])
        })))
      }, Effect.orDie),
      receipts: Effect.fn("AsRun.receipts")(function*(stationId, agentId, limit) {
        const rows = yield* sql<{ seq: number; segmentId: string; firstSample: number; lastSample: number; hash: string }>`
          SELECT seq::float8 AS seq, segment_id, first_sample::float8 AS first_sample, last_sample::float8 AS last_sample, hash FROM as_run
          WHERE station_id = ${stationId} AND agent_id = ${agentId} AND segment_id IS NOT NULL ORDER BY as_run.seq DESC LIMIT ${limit}`
        return rows.map(({ firstSample, hash, lastSample, segmentId, seq }) => ({ seq, segmentId, startedAtMs: msOf(firstSample), endedAtMs: msOf(lastSample + 1), hash }))
      }, Effect.orDie),
      roots: Effect.fn("AsRun.roots")((stationId, limit) =>
        Effect.orDie(sql<AsRunRoot>`
          SELECT hour_ms::float8 AS hour_ms, first_seq::float8 AS first_seq, last_seq::float8 AS last_seq, root, signature FROM as_run_roots
          WHERE station_id = ${stationId} ORDER BY hour_ms DESC LIMIT ${limit}`)),
      end: Effect.fn("AsRun.end")(function*(stationId) {
        const signed = yield* sql<NonNullable<AsRunEnd["signed"]>>`SELECT seq::float8 AS seq, hash, signature FROM as_run_heads WHERE station_id = ${stationId}`
        return { last: yield* headOf(stationId), signed: signed[0] ?? null }
      }, Effect.orDie),
      frozen: (reading) => asOne(sql)(Effect.andThen(Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`), reading))
    })
  }))
}
