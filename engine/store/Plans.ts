import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { AgentId, BlockId, PlanId, ShowId } from "../../schema/Ids.ts"
import { Plan, PlanItem, PlanStatus } from "../../schema/Plan.ts"
import { ShowAudience, ShowFormat } from "../../schema/Show.ts"

/** A plan as it lies in the store; instants are milliseconds. */
export const PlanRecord = Schema.Struct({
  id: Schema.String,
  agentId: Schema.String,
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  blockId: Schema.String,
  startMs: Schema.Finite,
  endMs: Schema.Finite,
  targetDurationSec: Schema.Finite,
  status: PlanStatus,
  statusReason: Schema.NullOr(Schema.String),
  items: Schema.Array(PlanItem),
  agentShowId: Schema.NullOr(Schema.String),
  /** How often it was handed in. */
  submissions: Schema.Int,
  airedItems: Schema.NullOr(Schema.Int),
  airedAtMs: Schema.NullOr(Schema.Finite),
  plannedDurationSec: Schema.Finite,
  createdAtMs: Schema.Finite,
  updatedAtMs: Schema.Finite
})
export type PlanRecord = Omit<typeof PlanRecord.Type, "id" | "agentId" | "blockId" | "agentShowId"> & {
  readonly id: PlanId
  readonly agentId: AgentId
  readonly blockId: BlockId
  readonly agentShowId: ShowId | null
}

export type NewPlan = Omit<PlanRecord, "status" | "statusReason" | "submissions" | "airedItems" | "airedAtMs" | "updatedAtMs"> & { readonly commandKey: string }

/** What is written over: whatever isn't named stays. */
export type PlanPatch = Partial<Pick<PlanRecord, "title" | "description" | "items" | "plannedDurationSec" | "agentShowId" | "submissions">>

const decode = Schema.decodeUnknownEffect(Schema.Array(PlanRecord))
const encodeItems = Schema.encodeSync(Schema.Array(PlanItem))
const iso = (ms: number) => new Date(ms).toISOString()

/** A plan as its agent sees it. */
export const planView = (record: PlanRecord, leadMin: number): Plan => {
  const { airedAtMs: _, airedItems: __, createdAtMs, endMs, startMs, submissions: ___, updatedAtMs, ...rest } = record
  return new Plan({
    ...rest, occurrenceStart: iso(startMs), occurrenceEnd: iso(endMs), editableUntil: iso(startMs - leadMin * 60_000), createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs)
  })
}

const isTaken = (error: SqlError.SqlError): boolean => error.reason._tag === "UniqueViolation"

/** What agents mean to air, and when. Only their `Producer` writes here, and the scheduler what became of it. */
export class Plans extends Context.Service<Plans, {
  /** Saves a draft, or finds what the same command saved before; null when the run belongs to another plan. */
  readonly add: (plan: NewPlan) => Effect.Effect<PlanRecord | null>
  readonly find: (id: string) => Effect.Effect<PlanRecord | null>
  readonly byCommand: (agentId: AgentId, commandKey: string) => Effect.Effect<PlanRecord | null>
  /** Newest run first; upcoming ones are those that aren't over, the next first. Null when the cursor is none of this agent's plans. */
  readonly list: (filter: { readonly agentId: AgentId; readonly upcomingMs: number | null; readonly limit: number; readonly cursor: string | null }) => Effect.Effect<
    { readonly records: ReadonlyArray<PlanRecord>; readonly next: string | null } | null
  >
  /** In these states, the next run first. */
  readonly ofAgent: (agentId: AgentId, status: ReadonlyArray<PlanStatus>) => Effect.Effect<ReadonlyArray<PlanRecord>>
  /** Moves it if it still is in one of `from`; null when it isn't, or when its run belongs to another plan by now. */
  readonly move: (id: PlanId, change: { readonly from: ReadonlyArray<PlanStatus>; readonly to: PlanStatus; readonly reason: string | null; readonly atMs: number; readonly patch?: PlanPatch }) => Effect.Effect<PlanRecord | null>
  /** Runs of this block from `fromMs` on that belong to a plan. */
  readonly taken: (blockIds: ReadonlyArray<BlockId>, fromMs: number) => Effect.Effect<ReadonlyArray<{ readonly blockId: BlockId; readonly startMs: number }>>
  /** Those that may still air, or do, whose runs touch this stretch of time: the next run first. */
  readonly around: (fromMs: number, toMs: number) => Effect.Effect<ReadonlyArray<PlanRecord>>
  /** Drafts and submissions whose run begins before `startMs`: those that time may have decided on. */
  readonly waitingBefore: (startMs: number, limit: number) => Effect.Effect<ReadonlyArray<Pick<PlanRecord, "id" | "agentId" | "status" | "startMs">>>
}>()("longwave/engine/store/Plans") {
  static readonly layer = Layer.effect(Plans, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`
    const columns = sql.literal(`id, agent_id, title, description, format, audience, block_id, ${ms("occurrence_start")} AS start_ms, ${ms("occurrence_end")} AS end_ms, target_duration_sec, planned_duration_sec,
      status, status_reason, items, agent_show_id, submissions, aired_items, ${ms("aired_at")} AS aired_at_ms, ${ms("created_at")} AS created_at_ms, ${ms("updated_at")} AS updated_at_ms`)
    const records = (rows: ReadonlyArray<unknown>) => Effect.map(Effect.orDie(decode(rows)), (all) => all as ReadonlyArray<PlanRecord>)
    const read = (rest: Statement.Fragment) => Effect.orDie(Effect.flatMap(sql`SELECT ${columns} FROM plans WHERE ${rest}`, records))
    const one = (rest: Statement.Fragment) => Effect.map(read(rest), (rows) => rows[0] ?? null)
    const find = (id: string) => one(sql`id = ${id}`)
    const byCommand = (agentId: AgentId, commandKey: string) => one(sql`agent_id = ${agentId} AND command_key = ${commandKey}`)
    const json = (items: ReadonlyArray<PlanItem>) => sql`${JSON.stringify(encodeItems(items))}::text::jsonb`
    const set = ({ agentShowId, description, items, plannedDurationSec, submissions, title }: PlanPatch) => sql.csv([
      ...(title === undefined ? [] : [sql`title = ${title}`]),
      ...(description === undefined ? [] : [sql`description = ${description}`]),
      ...(items === undefined ? [] : [sql`items = ${json(items)}`]),
      ...(plannedDurationSec === undefined ? [] : [sql`planned_duration_sec = ${plannedDurationSec}`]),
      ...(agentShowId === undefined ? [] : [sql`agent_show_id = ${agentShowId}`]),
      ...(submissions === undefined ? [] : [sql`submissions = ${submissions}`])
    ])
    return Plans.of({
      add: Effect.fn("Plans.add")(function*(plan) {
        const rows = yield* sql`
          INSERT INTO plans (id, command_key, agent_id, title, description, format, audience, block_id, occurrence_start, occurrence_end, target_duration_sec, planned_duration_sec, status, items, agent_show_id, created_at, updated_at)
          VALUES (${plan.id}, ${plan.commandKey}, ${plan.agentId}, ${plan.title}, ${plan.description}, ${plan.format}, ${plan.audience}, ${plan.blockId}, ${at(plan.startMs)}, ${at(plan.endMs)},
            ${plan.targetDurationSec}, ${plan.plannedDurationSec}, 'draft', ${json(plan.items)}, ${plan.agentShowId}, ${at(plan.createdAtMs)}, ${at(plan.createdAtMs)})
          ON CONFLICT DO NOTHING RETURNING ${columns}`
        return (yield* records(rows))[0] ?? (yield* byCommand(plan.agentId, plan.commandKey))
      }, Effect.orDie),
      find,
      byCommand,
      list: Effect.fn("Plans.list")(function*({ agentId, cursor, limit, upcomingMs }) {
        const after = cursor === null ? null : yield* find(cursor)
        if (cursor !== null && after?.agentId !== agentId) return null
        const direction = sql.literal(upcomingMs === null ? "DESC" : "ASC")
        const further = sql.literal(upcomingMs === null ? "<" : ">")
        const rows = yield* read(sql`${sql.and([
          sql`agent_id = ${agentId}`,
          ...(upcomingMs === null ? [] : [sql`occurrence_end > ${at(upcomingMs)} AND status NOT IN ('cancelled', 'aired')`]),
          ...(after === null ? [] : [sql`(occurrence_start, id) ${further} (${at(after.startMs)}, ${after.id})`])
        ])} ORDER BY occurrence_start ${direction}, id ${direction} LIMIT ${limit + 1}`)
        const page = rows.slice(0, limit)
        return { records: page, next: rows.length > limit ? page[page.length - 1]!.id : null }
      }),
      ofAgent: (agentId, status) => read(sql`agent_id = ${agentId} AND status IN ${sql.in(status)} ORDER BY occurrence_start, id`),
      move: (id, { atMs, from, patch = {}, reason, to }) => sql.withTransaction(sql`
        UPDATE plans SET status = ${to}, status_reason = ${reason}, updated_at = ${at(atMs)}${Object.keys(patch).length === 0 ? sql`` : sql`, ${set(patch)}`}
        WHERE id = ${id} AND status IN ${sql.in(from)} RETURNING ${columns}`).pipe(
        Effect.flatMap(records),
        Effect.map((rows) => rows[0] ?? null),
        Effect.catchIf(isTaken, () => Effect.succeed(null)),
        Effect.orDie
      ),
      taken: (blockIds, fromMs) => blockIds.length === 0 ? Effect.succeed([]) : Effect.orDie(sql<{ blockId: BlockId; startMs: number }>`
        SELECT block_id, ${sql.literal(ms("occurrence_start"))} AS start_ms FROM plans WHERE block_id IN ${sql.in(blockIds)} AND occurrence_start >= ${at(fromMs)} AND status NOT IN ('cancelled', 'rejected')`),
      around: (fromMs, toMs) => read(sql`status IN ('draft', 'submitted', 'approved', 'airing') AND occurrence_end > ${at(fromMs)} AND occurrence_start < ${at(toMs)} ORDER BY occurrence_start, id`),
      waitingBefore: (startMs, limit) => Effect.orDie(sql<Pick<PlanRecord, "id" | "agentId" | "status" | "startMs">>`
        SELECT id, agent_id, status, ${sql.literal(ms("occurrence_start"))} AS start_ms FROM plans WHERE status IN ('draft', 'submitted') AND occurrence_start < ${at(startMs)} ORDER BY occurrence_start, id LIMIT ${limit}`)
    })
  }))
}
