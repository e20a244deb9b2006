import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Airing, AsRunBody, type AsRunEntry, type AsRunHead, AsRunRoot, AsRunRow } from "../../../schema/air/AsRun.ts"
import { ItemKind, Sample } from "../../../schema/air/Air.ts"
import { FenceLost, Play, RundownItem } from "../../../schema/air/Rundown.ts"
import { asRunOverlapMax, asRunSealRows } from "../../rules/air/limits.ts"
import { ItemId, SegmentId } from "../../../schema/Ids.ts"
import { epochMs, sampleRateHz } from "../../../schema/time/Samples.ts"
import { runAsOne } from "../sql/Transaction.ts"
import { fenced, isAirOwner } from "../sql/fenced.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

export const OpenItem = Schema.Struct({
  item: RundownItem,
  firstSample: Schema.Int,
  asOfSample: Schema.Int,
  /** Start of the item, if a stretch of it is already logged. */
  sinceSample: Schema.optionalKey(Schema.Int)
})
export type OpenItem = typeof OpenItem.Type

export type HistoryBefore =
  | { readonly _tag: "Now" }
  | { readonly _tag: "Item"; readonly itemId: string }
  | { readonly _tag: "Row"; readonly seq: number }
  | { readonly _tag: "Time"; readonly atMs: number }

/** Chains a row to the previous one and an hour to its rows, with the station's key. */
export interface AsRunSeal {
  readonly fence: number
  readonly genesis: string
  readonly link: (prevHash: string, body: AsRunBody) => AsRunRow
  readonly root: (
    hourMs: number,
    hashes: ReadonlyArray<string>
  ) => { readonly root: string; readonly signature: string }
  readonly head: (stationId: string, seq: number, hash: string) => string
}

/** End of the log, and the end last announced by the station. */
export interface AsRunEnd {
  readonly last: AsRunHead
  readonly signed: { readonly seq: number; readonly hash: string; readonly signature: string } | null
}

const offAirEntry = (firstSample: number, lastSample: number): AsRunEntry => ({
  itemId: null,
  kind: "other",
  role: null,
  title: "off the air",
  artist: null,
  segmentId: null,
  trackId: null,
  agentId: null,
  assetId: null,
  firstSample,
  lastSample,
  outcome: "off_air",
  layers: [],
  trace: ["no programme was rendered for these samples"],
  pcmSha256: null
})

const msOf = (sample: number): number => epochMs + Math.floor(sample / (sampleRateHz / 1_000))
const hourMsOf = (sample: number): number => Math.floor(msOf(sample) / 3_600_000) * 3_600_000
const sampleOf = (atMs: number): number => Math.round((atMs - epochMs) * (sampleRateHz / 1_000))

const BodyText = Schema.fromJsonString(AsRunBody)
const encodeOpen = Schema.encodeEffect(OpenItem)
const decodeBody = Schema.decodeUnknownEffect(BodyText)

/** A stored row; `agrees` if its columns match its text. */
export interface AsRunRecord {
  readonly row: AsRunRow
  readonly body: AsRunBody | null
  readonly agrees: boolean
}

/** Columns used in queries. Verification needs them as stored, whatever their values. */
const columns = {
  fence: Schema.Finite,
  itemId: Schema.NullOr(Schema.String),
  kind: Schema.String,
  role: Schema.NullOr(Schema.String),
  title: Schema.String,
  segmentId: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(Schema.String),
  agentId: Schema.NullOr(Schema.String),
  assetId: Schema.NullOr(Schema.String),
  firstSample: Schema.Finite,
  lastSample: Schema.Finite,
  outcome: Schema.String
}
const columnNames = Struct.keys(columns)

/** Proof from the log that an agent's segment aired. */
export interface AsRunReceipt {
  readonly seq: number
  readonly segmentId: string
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly hash: string
}

const heads = row(Schema.Struct({ seq: Schema.Int, hash: Schema.String, lastSample: Sample, fence: Schema.Int }))
const endRows = rows(Schema.Struct({ seq: Schema.Int, hash: Schema.String, lastSample: Sample }))
const lastRoot = row(Schema.Struct({ lastSeq: Schema.Int }))
const openRows = rows(Schema.Struct({ body: OpenItem, fence: Schema.Int }))
const itemIds = rows(Schema.Struct({ itemId: ItemId }))
const airings = rows(
  Schema.Struct({
    seq: Schema.Int,
    itemId: ItemId,
    kind: ItemKind,
    text: BodyText,
    firstSample: Sample,
    lastSample: Sample
  })
)
const texts = rows(Schema.Struct({ text: BodyText }))
const storedRows = rows(Schema.Struct({ ...AsRunRow.fields, ...columns }))
const receiptRows = rows(
  Schema.Struct({
    seq: Schema.Int,
    segmentId: SegmentId,
    firstSample: Sample,
    lastSample: Sample,
    hash: Schema.String
  })
)
const rootRows = rows(AsRunRoot)
const signedHead = row(Schema.Struct({ seq: Schema.Int, hash: Schema.String, signature: Schema.String }))

/** The as-run log: append-only, each row chained to the previous one and signed. The public key verifies it. */
export class AsRunWriter extends Context.Service<AsRunWriter>()("longwave/engine/store/AsRunWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const isOwner = (fence: number) => hasChanged(sql`SELECT 1 WHERE ${isAirOwner(fence)}`)

    // A bare name in ORDER BY is the column of the answer, cast to float8: no index has its order. So the table is named.
    const headOf = Effect.fnUntraced(function* (stationId: string) {
      const last = yield* heads(sql`
        SELECT seq::float8 AS seq, hash, last_sample::float8 AS last_sample, fence::float8 AS fence FROM as_run
        WHERE station_id = ${stationId} ORDER BY as_run.seq DESC LIMIT 1`)
      return last ?? { seq: 0, hash: "", lastSample: null, fence: 0 }
    })

    const insert = Effect.fnUntraced(function* (head: AsRunHead, body: AsRunBody, by: AsRunSeal) {
      const row = by.link(head.seq === 0 ? by.genesis : head.hash, body)
      yield* sql`
        INSERT INTO as_run (station_id, seq, fence, item_id, kind, role, title, segment_id, track_id, agent_id, asset_id, first_sample, last_sample,
          outcome, text, prev_hash, hash, signature)
        VALUES (${body.stationId}, ${row.seq}, ${body.fence}, ${body.itemId}, ${body.kind}, ${body.role}, ${body.title}, ${body.segmentId},
          ${body.trackId}, ${body.agentId}, ${body.assetId}, ${body.firstSample}, ${body.lastSample}, ${body.outcome}, ${row.text}, ${row.prevHash},
          ${row.hash}, ${row.signature})`
      return { seq: row.seq, hash: row.hash, lastSample: body.lastSample }
    })

    /** Whether the stretch is already logged. An item has at most one stretch from a given sample; without an item both ends must match. */
    const has = Effect.fnUntraced(function* (stationId: string, { firstSample, itemId, lastSample }: AsRunEntry) {
      const found =
        itemId === null
          ? yield* sql`SELECT 1 FROM as_run WHERE station_id = ${stationId} AND first_sample = ${firstSample} AND last_sample = ${lastSample} AND item_id IS NULL`
          : yield* sql`SELECT 1 FROM as_run WHERE item_id = ${itemId} AND station_id = ${stationId} AND first_sample = ${firstSample}`
      return found.length > 0
    })

    /** Rows that end before this hour, from a number on. Rows are ordered by their ends, so the key finds them at any length of the log. */
    const rowsBefore = Effect.fnUntraced(function* (stationId: string, fromSeq: number, endMs: number) {
      const hour: Array<{ readonly seq: number; readonly hash: string }> = []
      for (;;) {
        const page = yield* endRows(sql`
          SELECT seq::float8 AS seq, hash, last_sample::float8 AS last_sample FROM as_run
          WHERE station_id = ${stationId} AND seq >= ${fromSeq + hour.length} ORDER BY as_run.seq LIMIT ${asRunSealRows}`)
        const within = page.filter(({ lastSample }) => msOf(lastSample) < endMs)
        hour.push(...within)
        if (within.length < asRunSealRows) return hour
      }
    })

    return {
      /**
       * Appends stretches in the order of their ends. Skips known stretches, logs missing samples as an `off_air` row, and closes the stretch's item.
       * Returns the added rows.
       */
      append: Effect.fnUntraced(function* (stationId: string, entries: ReadonlyArray<AsRunEntry>, by: AsRunSeal) {
        return yield* Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`as_run:${stationId}`}))`
          const last = yield* headOf(stationId)
          const { fence } = by
          if (last.fence > fence || !(yield* isOwner(fence))) return yield* new FenceLost({ fence })
          let head: AsRunHead = last
          const added: Array<AsRunBody> = []
          const add = Effect.fnUntraced(function* (body: AsRunBody) {
            head = yield* insert(head, body, by)
            added.push(body)
          })
          for (const entry of entries) {
            yield* sql`DELETE FROM as_run_open WHERE station_id = ${stationId} AND item_id = ${entry.itemId}`
            if (head.lastSample !== null && (entry.lastSample < head.lastSample || (yield* has(stationId, entry))))
              continue
            const expected = head.lastSample === null ? entry.firstSample : head.lastSample + 1
            // Earlier samples may belong to a sound that continues after this one.
            const begins = Math.min(entry.firstSample, entry.stillSoundingFromSample ?? entry.firstSample)
            if (begins > expected) {
              yield* add(new AsRunBody({ ...offAirEntry(expected, begins - 1), seq: head.seq + 1, stationId, fence }))
            }
            yield* add(new AsRunBody({ ...entry, seq: head.seq + 1, stationId, fence }))
          }
          if (head.seq > last.seq)
            yield* sql`
            INSERT INTO as_run_heads (station_id, fence, seq, hash, signature) VALUES (${stationId}, ${fence}, ${head.seq}, ${head.hash}, ${by.head(stationId, head.seq, head.hash)})
            ON CONFLICT (station_id) DO UPDATE SET fence = excluded.fence, seq = excluded.seq, hash = excluded.hash, signature = excluded.signature`
          return added
        }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
      }),
      /**
       * Seals the oldest hour that has ended and has no root yet. A row belongs to the hour in which it ends; an hour has ended once the log has
       * a row of a later one. False if there is none. Holds no lock: rows never change.
       */
      seal: Effect.fnUntraced(function* (stationId: string, by: AsRunSeal) {
        const sealed = yield* lastRoot(
          sql`SELECT last_seq::float8 AS last_seq FROM as_run_roots WHERE station_id = ${stationId} ORDER BY hour_ms DESC LIMIT 1`
        )
        const fromSeq = (sealed?.lastSeq ?? 0) + 1
        const [first] = yield* endRows(
          sql`SELECT seq::float8 AS seq, hash, last_sample::float8 AS last_sample FROM as_run WHERE station_id = ${stationId} AND seq >= ${fromSeq} ORDER BY as_run.seq LIMIT 1`
        )
        const { lastSample } = yield* headOf(stationId)
        if (first === undefined || lastSample === null) return false
        const hourMs = hourMsOf(first.lastSample)
        if (hourMsOf(lastSample) <= hourMs) return false
        const hour = yield* rowsBefore(stationId, first.seq, hourMs + 3_600_000)
        const { root, signature } = by.root(
          hourMs,
          hour.map(({ hash }) => hash)
        )
        if (!(yield* isOwner(by.fence))) return yield* new FenceLost({ fence: by.fence })
        yield* run(sql`INSERT INTO as_run_roots (station_id, hour_ms, first_seq, last_seq, root, signature)
          SELECT ${stationId}, ${hourMs}::bigint, ${first.seq}::bigint, ${hour.at(-1)!.seq}::bigint, ${root}, ${signature} WHERE ${isAirOwner(by.fence)} ON CONFLICT DO NOTHING`)
        return true
      }),
      /** Saves the sounding items, so that a crash can be told from an end. */
      open: Effect.fnUntraced(function* (stationId: string, open: OpenItem, fence: number) {
        const body = JSON.stringify(yield* Effect.orDie(encodeOpen(open)))
        const isOpen = yield* hasChanged(sql`
          INSERT INTO as_run_open (station_id, item_id, fence, body, as_of_sample)
          SELECT ${stationId}, ${open.item.id}, ${fence}::bigint, ${body}::jsonb, ${open.asOfSample}::bigint
          WHERE ${isAirOwner(fence)}
          ON CONFLICT (station_id, item_id) DO UPDATE SET fence = excluded.fence, body = excluded.body, as_of_sample = excluded.as_of_sample
          WHERE ${fenced(fence, "as_run_open.fence")} RETURNING station_id`)
        if (!isOpen) return yield* new FenceLost({ fence })
      }),
      listOpen: Effect.fnUntraced(function* (stationId: string) {
        const open = yield* openRows(
          sql`SELECT body, fence::float8 AS fence FROM as_run_open WHERE station_id = ${stationId} ORDER BY as_of_sample, item_id`
        )
        return open.map(({ body, fence }) => ({ ...body, fence }))
      }),
      /** Closes an item that ended without a stretch of its own. */
      close: Effect.fnUntraced(function* (stationId: string, itemId: string, fence: number) {
        if (!(yield* isOwner(fence))) return yield* new FenceLost({ fence })
        yield* run(
          sql`DELETE FROM as_run_open WHERE station_id = ${stationId} AND item_id = ${itemId} AND ${fenced(fence)}`
        )
      }),
      /** Those of the items of which at least a part aired. */
      findLogged: Effect.fnUntraced(function* (stationId: string, wanted: ReadonlyArray<string>) {
        if (wanted.length === 0) return new Set<string>()
        const found = yield* itemIds(
          sql`SELECT item_id FROM as_run WHERE station_id = ${stationId} AND item_id IN ${sql.in(wanted)}`
        )
        return new Set(found.map(({ itemId }) => itemId))
      }),
      /** Newest first, without stretches that had no item. */
      history: Effect.fnUntraced(function* (
        stationId: string,
        {
          before,
          limit,
          types
        }: {
          readonly types: ReadonlyArray<ItemKind>
          readonly before: HistoryBefore
          readonly limit: number
        }
      ) {
        const until =
          before._tag === "Now"
            ? sql`true`
            : before._tag === "Time"
              ? sql`first_sample < ${sampleOf(before.atMs)}`
              : before._tag === "Row"
                ? sql`(first_sample, seq) < (SELECT first_sample, seq FROM as_run WHERE station_id = ${stationId} AND seq = ${before.seq})`
                : sql`(first_sample, seq) < (SELECT first_sample, seq FROM as_run WHERE item_id = ${before.itemId} ORDER BY first_sample, seq LIMIT 1)`
        const kinds = types.length === 0 ? sql`true` : sql`kind IN ${sql.in(types)}`
        const found = yield* airings(sql`
          SELECT seq::float8 AS seq, item_id, kind, text, first_sample::float8 AS first_sample, last_sample::float8 AS last_sample FROM as_run
          WHERE station_id = ${stationId} AND item_id IS NOT NULL AND ${kinds} AND ${until} ORDER BY as_run.first_sample DESC, as_run.seq DESC LIMIT ${limit}`)
        return found.map(
          ({ firstSample, itemId, kind, lastSample, seq, text: body }) =>
            new Airing({
              asRunSeq: seq,
              itemId,
              kind,
              title: body.title,
              artist: body.artist,
              segmentId: body.segmentId,
              trackId: body.trackId,
              agentId: body.agentId,
              startedAtMs: msOf(firstSample),
              endedAtMs: msOf(lastSample + 1),
              complete: body.outcome === "complete",
              assetIds: [
                ...new Set(
                  [body.assetId, ...body.layers.map(({ assetId, layer }) => (layer === "bed" ? assetId : null))].filter(
                    (id) => id !== null
                  )
                )
              ]
            })
        )
      }),
      /** The last airings, oldest first, for rotation. */
      listPlays: Effect.fnUntraced(function* (stationId: string, limit: number) {
        const found = yield* texts(sql`
          SELECT text FROM as_run WHERE station_id = ${stationId} AND role IS NOT NULL AND asset_id IS NOT NULL ORDER BY first_sample DESC, seq DESC LIMIT ${limit}`)
        return found.toReversed().map(
          ({ text: body }) =>
            new Play({
              atMs: msOf(body.firstSample),
              role: body.role!,
              assetId: body.assetId!,
              artist: body.artist,
              agentId: body.agentId,
              topic: null,
              ...(body.songRequestIds === undefined ? {} : { requested: true })
            })
        )
      }),
      /** Rows from a number on, in order, with their columns as stored, for verification. */
      rows: Effect.fnUntraced(function* (
        stationId: string,
        {
          fromSample,
          fromSeq,
          limit,
          toSample
        }: { readonly fromSeq: number; readonly fromSample: number; readonly toSample: number; readonly limit: number }
      ) {
        const stored = yield* storedRows(sql`
          SELECT seq::float8 AS seq, fence::float8 AS fence, item_id, kind, role, title, segment_id, track_id, agent_id, asset_id,
            first_sample::float8 AS first_sample, last_sample::float8 AS last_sample, outcome, text, prev_hash, hash, signature FROM as_run
          WHERE station_id = ${stationId} AND last_sample >= ${fromSample} AND seq >= greatest(${fromSeq}::bigint,
              (SELECT seq FROM as_run WHERE station_id = ${stationId} AND last_sample >= ${fromSample} ORDER BY last_sample, seq LIMIT 1))
            AND seq <= (SELECT max(begun.seq) FROM (SELECT seq FROM as_run WHERE station_id = ${stationId} AND first_sample < ${toSample} ORDER BY first_sample DESC LIMIT ${asRunOverlapMax}) begun)
          ORDER BY as_run.seq LIMIT ${limit}`)
        return yield* Effect.forEach(stored, (record) =>
          Effect.map(Effect.option(decodeBody(record.text)), (found): AsRunRecord => ({
            row: record,
            body: found._tag === "Some" ? found.value : null,
            agrees: found._tag === "Some" && columnNames.every((name) => found.value[name] === record[name])
          }))
        )
      }),
      /** The last airings of an agent's segments, newest first; `hash` is the row's hash in the chain. */
      receipts: Effect.fnUntraced(function* (stationId: string, agentId: string, limit: number) {
        const found = yield* receiptRows(sql`
          SELECT seq::float8 AS seq, segment_id, first_sample::float8 AS first_sample, last_sample::float8 AS last_sample, hash FROM as_run
          WHERE station_id = ${stationId} AND agent_id = ${agentId} AND segment_id IS NOT NULL ORDER BY as_run.seq DESC LIMIT ${limit}`)
        return found.map(({ firstSample, hash, lastSample, segmentId, seq }) => ({
          seq,
          segmentId,
          startedAtMs: msOf(firstSample),
          endedAtMs: msOf(lastSample + 1),
          hash
        }))
      }),
      roots: (stationId: string, limit: number) =>
        rootRows(sql`
          SELECT hour_ms::float8 AS hour_ms, first_seq::float8 AS first_seq, last_seq::float8 AS last_seq, root, signature FROM as_run_roots
          WHERE station_id = ${stationId} ORDER BY as_run_roots.hour_ms DESC LIMIT ${limit}`),
      end: Effect.fnUntraced(function* (stationId: string) {
        const signed = yield* signedHead(
          sql`SELECT seq::float8 AS seq, hash, signature FROM as_run_heads WHERE station_id = ${stationId}`
        )
        const end: AsRunEnd = { last: yield* headOf(stationId), signed }
        return end
      }),
      /** Runs all reads in one snapshot. Not allowed inside an open transaction. */
      runInSnapshot: <A, E, R>(reading: Effect.Effect<A, E, R>) =>
        runAsOne(sql)(
          Effect.andThen(Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`), reading)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class AsRun extends Context.Service<
  AsRun,
  Pick<
    AsRunWriter["Service"],
    "listOpen" | "findLogged" | "history" | "listPlays" | "rows" | "receipts" | "roots" | "end" | "runInSnapshot"
  >
>()("longwave/engine/store/AsRun") {
  static readonly layer = Layer.effect(this, AsRunWriter).pipe(Layer.provideMerge(AsRunWriter.layer))
}
