import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { GalleryRecord, type GallerySource, type GalleryStatus } from "../../../schema/agents/Gallery.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run } from "../sql/rows.ts"

/** Columns to write; missing ones stay. */
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

const many = rows(GalleryRecord)
const one = row(GalleryRecord)
const countRow = onlyRow(Schema.Struct({ held: Schema.Int, approved: Schema.Int, lastOrder: Schema.Int }))

/** Pictures and films of agents. Only the agent's `Desk` writes here. */
export class GalleryAssetsWriter extends Context.Service<GalleryAssetsWriter>()(
  "longwave/engine/store/GalleryAssetsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns =
        sql.literal(`g.id, g.upload_id, g.agent_id, g.file_name, g.content_type, g.byte_size, g.status, g.status_reason, g.path, g.thumbnail_path, g.caption, g.alt_text, g.source, g.flags,
      g.width, g.height, g.duration_sec, g.sort_order, g.is_featured, ${msText("g.approved_at")} AS approved_at_ms, ${msText("g.created_at")} AS created_at_ms`)
      const atLarge = sql.literal(
        "(a.status = 'claimed' OR a.status = 'suspended' AND a.deleted_at IS NULL AND a.suspended_until <= now())"
      )
      const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`

      const assignmentsOf = ({ approvedAtMs, flags, source, ...plain }: GalleryChange) => [
        ...Object.entries(plain).map(([name, value]) => sql`${sql(name)} = ${value as string}`),
        ...(approvedAtMs === undefined ? [] : [sql`approved_at = ${at(approvedAtMs)}`]),
        ...(flags === undefined ? [] : [sql`flags = ${json(flags)}`]),
        ...(source === undefined ? [] : [sql`source = ${json(source)}`])
      ]

      return {
        add: (record: GalleryRecord) =>
          run(sql`
        INSERT INTO gallery_assets (id, upload_id, agent_id, file_name, content_type, byte_size, status, created_at)
        VALUES (${record.id}, ${record.uploadId}, ${record.agentId}, ${record.fileName}, ${record.contentType}, ${record.byteSize}, ${record.status}, ${at(record.createdAtMs)})`),
        find: (id: string) => one(sql`SELECT ${columns} FROM gallery_assets g WHERE g.id = ${id}`),
        findUpload: (uploadId: string) =>
          one(sql`SELECT ${columns} FROM gallery_assets g WHERE g.upload_id = ${uploadId}`),
        /** All assets, in the agent's order. */
        listByAgent: (agentId: string) =>
          many(
            sql`SELECT ${columns} FROM gallery_assets g WHERE g.agent_id = ${agentId} AND g.status NOT IN ('uploading', 'removed') ORDER BY g.sort_order, g.id`
          ),
        /** Public assets of an agent: none while it is suspended or has left. */
        readyOf: (agentId: string) =>
          many(sql`
        SELECT ${columns} FROM gallery_assets g JOIN agents a ON a.id = g.agent_id WHERE g.agent_id = ${agentId} AND g.status = 'ready' AND ${atLarge} ORDER BY g.sort_order, g.id`),
        /** Whether the asset is public. */
        isPublic: (id: string) =>
          Effect.orDie(
            Effect.map(
              sql`SELECT 1 FROM gallery_assets g JOIN agents a ON a.id = g.agent_id WHERE g.id = ${id} AND g.status = 'ready' AND ${atLarge}`,
              (rows) => rows.length > 0
            )
          ),
        count: (agentId: string, deadBeforeMs: number) =>
          countRow(sql`
        SELECT count(*) FILTER (WHERE status <> 'removed' AND NOT (status = 'uploading' AND created_at < ${at(deadBeforeMs)}))::int AS held,
          count(approved_at)::int AS approved, coalesce(max(sort_order) FILTER (WHERE status <> 'uploading'), -1)::int AS last_order
        FROM gallery_assets WHERE agent_id = ${agentId}`),
        /** Null if the asset is in none of these states. */
        change: (id: string, from: ReadonlyArray<GalleryStatus>, change: GalleryChange) =>
          one(
            sql`UPDATE gallery_assets g SET ${sql.csv(assignmentsOf(change))} WHERE g.id = ${id} AND g.status IN ${sql.in(from)} RETURNING ${columns}`
          ),
        unfeature: (agentId: string) =>
          run(sql`UPDATE gallery_assets SET is_featured = false WHERE agent_id = ${agentId} AND is_featured`),
        reorder: (agentId: string, ids: ReadonlyArray<string>) =>
          run(sql`
        UPDATE gallery_assets g SET sort_order = o.place - 1 FROM jsonb_array_elements_text(${json(ids)}) WITH ORDINALITY AS o (id, place) WHERE g.id = o.id AND g.agent_id = ${agentId}`),
        /** Reserved but never completed. */
        listAbandoned: (beforeMs: number, limit: number) =>
          many(
            sql`SELECT ${columns} FROM gallery_assets g WHERE g.status = 'uploading' AND g.created_at < ${at(beforeMs)} ORDER BY g.created_at LIMIT ${limit}`
          ),
        /** Ended, with files that may still exist. */
        listUnswept: (limit: number) =>
          many(
            sql`SELECT ${columns} FROM gallery_assets g WHERE g.status IN ('failed', 'removed') AND NOT g.swept ORDER BY g.id LIMIT ${limit}`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class GalleryAssets extends Context.Service<
  GalleryAssets,
  Pick<
    GalleryAssetsWriter["Service"],
    "find" | "findUpload" | "listByAgent" | "readyOf" | "isPublic" | "count" | "listAbandoned" | "listUnswept"
  >
>()("longwave/engine/store/GalleryAssets") {
  static readonly layer = Layer.effect(this, GalleryAssetsWriter).pipe(Layer.provideMerge(GalleryAssetsWriter.layer))
}
