import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { type AgentId, type BlockId, ItemId, PlanId } from "../../../schema/Ids.ts"
import { type PlanStatus, PlanItem, PlanRecord } from "../../../schema/programmes/Plan.ts"
import { Episode } from "../../../schema/programmes/WeekSchedule.ts"
import { at, ms, msText } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"
import { fenced } from "../sql/fenced.ts"
import { statesAllowing } from "../../rules/programmes/PlanState.ts"

const episodes = rows(Episode)

/** Plans that are certain to air. */
export class Episodes extends Context.Service<Episodes>()("longwave/engine/store/Episodes", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    return {
      /** Approved or airing, and not over before `fromMs`, in order. */
      listUpcoming: (fromMs: number, untilMs: number) =>
        episodes(sql`
          SELECT p.id AS plan_id, p.title, a.handle AS host_handle, p.block_id, ${ms("p.occurrence_start")} AS starts_at_ms, ${ms("p.occurrence_end")} AS ends_at_ms, p.status
          FROM plans p JOIN agents a ON a.id = p.agent_id
          WHERE p.status IN ('approved', 'airing') AND p.occurrence_end > ${at(fromMs)} AND p.occurrence_start < ${at(untilMs)} ORDER BY p.occurrence_start, p.id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export type NewPlan = Omit<
  PlanRecord,
  "status" | "statusReason" | "submissions" | "airedItems" | "airedAtMs" | "musicToComeSec" | "updatedAtMs"
> & {
  /** Idempotency key of a plan made by the station; null for an agent's own plan. */
  readonly origin: string | null
}
/** Columns to overwrite; missing ones stay. */
export type PlanPatch = Partial<
  Pick<
    PlanRecord,
    "title" | "description" | "items" | "plannedDurationSec" | "musicToComeSec" | "agentShowId" | "submissions"
  >
>
/** The scheduler's note on a part: its planned start, or the reason it doesn't air. */
const PartNote = Schema.Struct({
  planId: PlanId,
  itemId: ItemId,
  plannedAtMs: Schema.NullOr(Schema.Finite),
  why: Schema.NullOr(Schema.String)
})
export type PartNote = typeof PartNote.Type
/** A plan that has begun or ended on air. */
const PlanMoved = Schema.Struct({
  ...Struct.pick(PlanRecord.fields, ["id", "agentId", "title"]),
  status: Schema.Literals(["airing", "aired", "cancelled"]),
  airedItems: Schema.Int,
  items: Schema.Int
})
const partNotes = rows(PartNote)
const planMoved = row(PlanMoved)
const plans = rows(PlanRecord)
const plan = row(PlanRecord)
const takenRuns = rows(Schema.Struct(Struct.pick(PlanRecord.fields, ["blockId", "startMs"])))
const waitingPlans = rows(Schema.Struct(Struct.pick(PlanRecord.fields, ["id", "agentId", "status", "startMs"])))
const encodeItems = Schema.encodeSync(Schema.Array(PlanItem))

const isTaken = (error: SqlError.SqlError): boolean => error.reason._tag === "UniqueViolation"
/** Plans of agents. Only the agent's `Producer` writes here, and `PlanAirings` their results. */
export class PlansWriter extends Context.Service<PlansWriter>()("longwave/engine/store/PlansWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const columns =
      sql.literal(`id, agent_id, title, description, format, audience, block_id, ${msText("occurrence_start")} AS start_ms, ${msText("occurrence_end")} AS end_ms, target_duration_sec, planned_duration_sec, music_to_come_sec,
      status, status_reason, items, agent_show_id, submissions, aired_items, ${msText("aired_at")} AS aired_at_ms, ${msText("created_at")} AS created_at_ms, ${msText("updated_at")} AS updated_at_ms`)
    const select = (rest: Statement.Fragment) => sql`SELECT ${columns} FROM plans WHERE ${rest}`
    const find = (id: string) => plan(select(sql`id = ${id}`))
    const findByOrigin = (agentId: AgentId, origin: string) =>
      plan(select(sql`agent_id = ${agentId} AND command_key = ${origin}`))
    const moved = sql.literal(
      "id, agent_id, title, status, coalesce(aired_items, 0) AS aired_items, jsonb_array_length(items) AS items"
    )
    const json = (items: ReadonlyArray<PlanItem>) => sql`${JSON.stringify(encodeItems(items))}::text::jsonb`
    const set = ({
      agentShowId,
      description,
      items,
      musicToComeSec,
      plannedDurationSec,
      submissions,
      title
    }: PlanPatch) =>
      sql.csv([
        ...(title === undefined ? [] : [sql`title = ${title}`]),
        ...(description === undefined ? [] : [sql`description = ${description}`]),
        ...(items === undefined ? [] : [sql`items = ${json(items)}`]),
        ...(plannedDurationSec === undefined ? [] : [sql`planned_duration_sec = ${plannedDurationSec}`]),
        ...(musicToComeSec === undefined ? [] : [sql`music_to_come_sec = ${musicToComeSec}`]),
        ...(agentShowId === undefined ? [] : [sql`agent_show_id = ${agentShowId}`]),
        ...(submissions === undefined ? [] : [sql`submissions = ${submissions}`])
      ])
    return {
      /** Saves a draft, or returns the one of the same origin; null if the run belongs to another plan. */
      add: Effect.fnUntraced(function* (draft: NewPlan) {
        const added = yield* plan(sql`
          INSERT INTO plans (id, command_key, agent_id, title, description, format, audience, block_id, occurrence_start, occurrence_end, target_duration_sec, planned_duration_sec, status, items, agent_show_id, created_at, updated_at)
          VALUES (${draft.id}, ${draft.origin}, ${draft.agentId}, ${draft.title}, ${draft.description}, ${draft.format}, ${draft.audience}, ${draft.blockId}, ${at(draft.startMs)}, ${at(draft.endMs)},
            ${draft.targetDurationSec}, ${draft.plannedDurationSec}, 'draft', ${json(draft.items)}, ${draft.agentShowId}, ${at(draft.createdAtMs)}, ${at(draft.createdAtMs)})
          ON CONFLICT DO NOTHING RETURNING ${columns}`)
        return added ?? (draft.origin === null ? null : yield* findByOrigin(draft.agentId, draft.origin))
      }),
      find,
      findByOrigin,
      /** Latest run first; upcoming ones are those not over, the next first. Null if the cursor isn't one of this agent's plans. */
      list: Effect.fnUntraced(function* ({
        agentId,
        cursor,
        limit,
        upcomingMs
      }: {
        readonly agentId: AgentId
        readonly upcomingMs: number | null
        readonly limit: number
        readonly cursor: string | null
      }) {
        const after = cursor === null ? null : yield* find(cursor)
        if (cursor !== null && after?.agentId !== agentId) return null
        const direction = sql.literal(upcomingMs === null ? "DESC" : "ASC")
        const further = sql.literal(upcomingMs === null ? "<" : ">")
        const found = yield* plans(
          select(
            sql`${sql.and([
              sql`agent_id = ${agentId}`,
              ...(upcomingMs === null
                ? []
                : [sql`occurrence_end > ${at(upcomingMs)} AND status NOT IN ('cancelled', 'aired')`]),
              ...(after === null ? [] : [sql`(occurrence_start, id) ${further} (${at(after.startMs)}, ${after.id})`])
            ])} ORDER BY occurrence_start ${direction}, id ${direction} LIMIT ${limit + 1}`
          )
        )
        const page = found.slice(0, limit)
        return { records: page, next: found.length > limit ? page[page.length - 1]!.id : null }
      }),
      /** In these states, the next run first. */
      listByAgent: (agentId: AgentId, status: ReadonlyArray<PlanStatus>) =>
        plans(select(sql`agent_id = ${agentId} AND status IN ${sql.in(status)} ORDER BY occurrence_start, id`)),
      /** Moves a plan in one of the states `from`; null if it isn't, or if its run belongs to another plan by now. */
      move: (
        id: PlanId,
        {
          atMs,
          from,
          patch = {},
          reason,
          to
        }: {
          readonly from: ReadonlyArray<PlanStatus>
          readonly to: PlanStatus
          readonly reason: string | null
          readonly atMs: number
          readonly patch?: PlanPatch
        }
      ) =>
        sql
          .withTransaction(sql`
        UPDATE plans SET status = ${to}, status_reason = ${reason}, updated_at = ${at(atMs)}${Object.keys(patch).length === 0 ? sql`` : sql`, ${set(patch)}`}
        WHERE id = ${id} AND status IN ${sql.in(from)} RETURNING ${columns}`)
          .pipe(
            Effect.flatMap((moved) => plan(Effect.succeed(moved))),
            Effect.catchIf(isTaken, () => Effect.succeed(null)),
            Effect.orDie
          ),
      /** Marks the plan as airing. Null if that changes nothing or the station lost the fence. */
      begin: (id: PlanId, atMs: number, fence: number) =>
        planMoved(sql`
        UPDATE plans SET status = 'airing', status_reason = NULL, fence = ${BigInt(fence)}, updated_at = ${at(atMs)} WHERE id = ${id} AND status IN ${sql.in(statesAllowing("Start"))} AND ${fenced(fence)} RETURNING ${moved}`),
      /** Ends the plan: aired if at least one item aired, otherwise cancelled. Null as with `begin`. */
      finish: (id: PlanId, airedItems: number, atMs: number, fence: number) =>
        planMoved(sql`
        UPDATE plans SET status = ${airedItems > 0 ? "aired" : "cancelled"}, status_reason = ${airedItems > 0 ? null : "NOT_AIRED"}, aired_items = ${airedItems},
          aired_at = ${airedItems > 0 ? at(atMs) : null}, fence = ${BigInt(fence)}, updated_at = ${at(atMs)}
        WHERE id = ${id} AND status IN ${sql.in(statesAllowing(airedItems > 0 ? "Finish" : "Fail"))} AND ${fenced(fence)} RETURNING ${moved}`),
      /** Keeps the last planned time of a part from before its plan began, and the last reason. */
      noteParts: (notes: ReadonlyArray<PartNote>) =>
        Effect.forEach(
          notes,
          ({ itemId, planId, plannedAtMs, why }) =>
            run(sql`
        INSERT INTO plan_parts (plan_id, item_id, planned_at, why) VALUES (${planId}, ${itemId}, ${at(plannedAtMs)}, ${why})
        ON CONFLICT (plan_id, item_id) DO UPDATE SET why = coalesce(excluded.why, plan_parts.why),
          planned_at = CASE (SELECT status FROM plans WHERE id = ${planId}) WHEN 'approved' THEN coalesce(excluded.planned_at, plan_parts.planned_at) ELSE coalesce(plan_parts.planned_at, excluded.planned_at) END`),
          { discard: true }
        ),
      partNotes: (planId: PlanId) =>
        partNotes(sql`
        SELECT plan_id, item_id, ${ms("planned_at")} AS planned_at_ms, why FROM plan_parts WHERE plan_id = ${planId}`),
      /** Runs of these blocks from `fromMs` on that belong to a plan. */
      listTaken: (blockIds: ReadonlyArray<BlockId>, fromMs: number) =>
        blockIds.length === 0
          ? Effect.succeed([])
          : takenRuns(sql`
        SELECT block_id, ${sql.literal(msText("occurrence_start"))} AS start_ms FROM plans WHERE block_id IN ${sql.in(blockIds)} AND occurrence_start >= ${at(fromMs)} AND status NOT IN ('cancelled', 'rejected')`),
      /** Plans that may air or are airing and overlap this stretch of time, the next first. */
      listAround: (fromMs: number, toMs: number) =>
        plans(
          select(
            sql`status IN ('draft', 'submitted', 'approved', 'airing') AND occurrence_end > ${at(fromMs)} AND occurrence_start < ${at(toMs)} ORDER BY occurrence_start, id`
          )
        ),
      /** Drafts and submissions whose run begins before `startMs`, whose deadlines may have passed. */
      listWaitingBefore: (startMs: number, limit: number) =>
        waitingPlans(sql`
        SELECT id, agent_id, status, ${sql.literal(msText("occurrence_start"))} AS start_ms FROM plans WHERE status IN ('draft', 'submitted') AND occurrence_start < ${at(startMs)} ORDER BY occurrence_start, id LIMIT ${limit}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Plans extends Context.Service<
  Plans,
  Pick<
    PlansWriter["Service"],
    "find" | "findByOrigin" | "list" | "listByAgent" | "partNotes" | "listTaken" | "listAround" | "listWaitingBefore"
  >
>()("longwave/engine/store/Plans") {
  static readonly layer = Layer.effect(this, PlansWriter).pipe(Layer.provideMerge(PlansWriter.layer))
}
