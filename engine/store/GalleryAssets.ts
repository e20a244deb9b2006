import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { GalleryAsset, GalleryRecord, type GallerySource, type GalleryStatus } from "../../schema/Gallery.ts"
import type { Flag } from "../../schema/Precheck.ts"
import { mediaUrl } from "./StationFacts.ts"

/** What a change writes; what isn't named stays. */
export interface GalleryChange {
  readonly status?: GalleryStatus
  readonly statusReason?: string | null
  readonly path?: string | null
  readonly thumbnailPath?: string | null
  readonly caption?: string
  readonly altText?: string
  readonly source?: GallerySource
  readonly flags?: ReadonlyArray<Flag>
  readonly width?: number
  readonly height?: number
  readonly durationSec?: number | null
  readonly sortOrder?: number
  readonly isFeatured?: boolean
  readonly approvedAtMs?: number | null
  readonly swept?: boolean
}

const decode = Schema.decodeUnknownEffect(Schema.Array(GalleryRecord))

/** As its agent and, once it is ready, everybody sees it. */
export const galleryView = (record: GalleryRecord, publicUrl: string): GalleryAsset => {
  const { altText, caption, createdAtMs, durationSec, height, id, isFeatured, sortOrder, source, status, statusReason, width } = record
  if (status === "uploading" || status === "removed") throw new Error(`asset ${id} is ${status}: there is nothing to show`)
  return GalleryAsset.make({
    id, kind: record.contentType.startsWith("video/") ? "video" : "image", status, statusReason, url: mediaUrl(record.path, publicUrl), thumbnailUrl: mediaUrl(record.thumbnailPath, publicUrl), caption, altText, source,
    width, height, durationSec, sortOrder, isFeatured, createdAt: new Date(createdAtMs).toISOString()
  })
}

/** Pictures and films of agents. Only their `Desk` writes here, and whoever holds the lease of one that is processed. */
export class GalleryAssets extends Context.Service<GalleryAssets, {
  readonly add: (record: GalleryRecord) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<GalleryRecord | null>
  readonly findUpload: (uploadId: string) => Effect.Effect<GalleryRecord | null>
  /** All that its agent sees, in the agent's order. */
  readonly ofAgent: (agentId: string) => Effect.Effect<ReadonlyArray<GalleryRecord>>
  /** What everybody may see of an agent's: none of it while the agent is shut out or has left. */
  readonly readyOf: (agentId: string) => Effect.Effect<ReadonlyArray<GalleryRecord>>
  /** Whether everybody may see it. */
  readonly isPublic: (id: string) => Effect.Effect<boolean>
  readonly counts: (agentId: string, deadBeforeMs: number) => Effect.Effect<{ readonly held: number; readonly approved: number; readonly lastOrder: number }>
  /** Null when it is in none of these states any more. */
  readonly change: (id: string, from: ReadonlyArray<GalleryStatus>, change: GalleryChange) => Effect.Effect<GalleryRecord | null>
  readonly unfeature: (agentId: string) => Effect.Effect<void>
  readonly reorder: (agentId: string, ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Takes the one that has waited longest to be processed and that nobody is at; one try more is counted. */
  readonly lease: (nowMs: number, untilMs: number) => Effect.Effect<GalleryRecord | null>
  readonly prolong: (id: string, untilMs: number) => Effect.Effect<void>
  /** Reserved and never completed. */
  readonly dead: (beforeMs: number, limit: number) => Effect.Effect<ReadonlyArray<GalleryRecord>>
  /** Ended, with files that may still be there. */
  readonly unswept: (limit: number) => Effect.Effect<ReadonlyArray<GalleryRecord>>
}>()("longwave/engine/store/GalleryAssets") {
  static readonly layer = Layer.effect(GalleryAssets, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const columns = sql.literal(`g.id, g.upload_id, g.agent_id, g.file_name, g.content_type, g.byte_size, g.status, g.status_reason, g.path, g.thumbnail_path, g.caption, g.alt_text, g.source, g.flags,
      g.width, g.height, g.duration_sec, g.sort_order, g.is_featured, round(extract(epoch from g.approved_at) * 1000)::float8 AS approved_at_ms, g.tries, round(extract(epoch from g.created_at) * 1000)::float8 AS created_at_ms`)
    const atLarge = sql.literal("(a.status = 'claimed' OR a.status = 'suspended' AND a.deleted_at IS NULL AND a.suspended_until <= now())")
    const many = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.orDie(Effect.flatMap(rows, decode))
    const one = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.map(many(rows), (found) => found[0] ?? null)
    const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`

    const written = ({ approvedAtMs, flags, source, ...plain }: GalleryChange) => [
      ...Object.entries(plain).map(([name, value]) => sql`${sql(name)} = ${value as string}`),
      ...approvedAtMs === undefined ? [] : [sql`approved_at = ${at(approvedAtMs)}`], ...flags === undefined ? [] : [sql`flags = ${json(flags)}`], ...source === undefined ? [] : [sql`source = ${json(source)}`]
    ]

    return GalleryAssets.of({
      add: (record) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO gallery_assets (id, upload_id, agent_id, file_name, content_type, byte_size, status, created_at)
        VALUES (${record.id}, ${record.uploadId}, ${record.agentId}, ${record.fileName}, ${record.contentType}, ${record.byteSize}, ${record.status}, ${at(record.createdAtMs)})`)),
      find: (id) => one(sql`SELECT ${columns} FROM gallery_assets g WHERE g.id = ${id}`),
      findUpload: (uploadId) => one(sql`SELECT ${columns} FROM gallery_assets g WHERE g.upload_id = ${uploadId}`),
      ofAgent: (agentId) => many(sql`SELECT ${columns} FROM gallery_assets g WHERE g.agent_id = ${agentId} AND g.status NOT IN ('uploading', 'removed') ORDER BY g.sort_order, g.id`),
      readyOf: (agentId) => many(sql`
        SELECT ${columns} FROM gallery_assets g JOIN agents a ON a.id = g.agent_id WHERE g.agent_id = ${agentId} AND g.status = 'ready' AND ${atLarge} ORDER BY g.sort_order, g.id`),
      isPublic: (id) => Effect.orDie(Effect.map(sql`SELECT 1 FROM gallery_assets g JOIN agents a ON a.id = g.agent_id WHERE g.id = ${id} AND g.status = 'ready' AND ${atLarge}`, (rows) => rows.length > 0)),
      counts: (agentId, deadBeforeMs) => Effect.orDie(Effect.map(sql<{ held: number; approved: number; lastOrder: number }>`
        SELECT count(*) FILTER (WHERE status <> 'removed' AND NOT (status = 'uploading' AND created_at < ${at(deadBeforeMs)}))::int AS held,
          count(approved_at)::int AS approved, coalesce(max(sort_order) FILTER (WHERE status <> 'uploading'), -1)::int AS last_order
        FROM gallery_assets WHERE agent_id = ${agentId}`, (rows) => rows[0]!)),
      change: (id, from, change) => one(sql`UPDATE gallery_assets g SET ${sql.csv(written(change))} WHERE g.id = ${id} AND g.status IN ${sql.in(from)} RETURNING ${columns}`),
      unfeature: (agentId) => Effect.orDie(Effect.asVoid(sql`UPDATE gallery_assets SET is_featured = false WHERE agent_id = ${agentId} AND is_featured`)),
      reorder: (agentId, ids) => Effect.orDie(Effect.asVoid(sql`
        UPDATE gallery_assets g SET sort_order = o.place - 1 FROM jsonb_array_elements_text(${json(ids)}) WITH ORDINALITY AS o (id, place) WHERE g.id = o.id AND g.agent_id = ${agentId}`)),
      lease: (nowMs, untilMs) => one(sql`
        UPDATE gallery_assets g SET lease_until = ${at(untilMs)}, tries = tries + 1 WHERE g.id = (
          SELECT id FROM gallery_assets WHERE status = 'processing' AND (lease_until IS NULL OR lease_until <= ${at(nowMs)}) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING ${columns}`),
      prolong: (id, untilMs) => Effect.orDie(Effect.asVoid(sql`UPDATE gallery_assets SET lease_until = ${at(untilMs)} WHERE id = ${id} AND status = 'processing'`)),
      dead: (beforeMs, limit) => many(sql`SELECT ${columns} FROM gallery_assets g WHERE g.status = 'uploading' AND g.created_at < ${at(beforeMs)} ORDER BY g.created_at LIMIT ${limit}`),
      unswept: (limit) => many(sql`SELECT ${columns} FROM gallery_assets g WHERE g.status IN ('failed', 'removed') AND NOT g.swept ORDER BY g.id LIMIT ${limit}`)
    })
  }))
}
