import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Block, GridRevision } from "../../schema/Block.ts"
import type { BlockId, PlanId, ShowId } from "../../schema/Ids.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ validFromMs: Schema.Finite, blocks: Schema.Array(Block) })))
const encode = Schema.encodeEffect(Schema.Array(Block))

/** A run of a block that an agent means to fill. */
export interface BookedRun {
  readonly planId: PlanId
  readonly title: string
  readonly handle: string
  readonly status: "draft" | "submitted" | "approved" | "airing"
  readonly blockId: BlockId
  readonly startMs: number
  readonly endMs: number
}

/** The week as it was, is and will be: what is changed becomes a revision that holds from an instant on, and none is ever edited. */
export class Grids extends Context.Service<Grids, {
  /** The revision that holds at `fromMs` and all that come after it, in order, of those that hold from one instant the last that was made; before the first there is the week of `weekFrom`. */
  readonly from: (fromMs: number) => Effect.Effect<ReadonlyArray<GridRevision>>
  /** The latest, whether it holds already or not, with a lock on all: who writes next has seen it. Null where nobody has programmed anything. */
  readonly newest: Effect.Effect<GridRevision | null>
  /** Until the caller's transaction ends nobody changes the week; others may hold it as well. */
  readonly hold: Effect.Effect<void>
  /** Runs that belong to a plan and aren't over at an instant, in order. */
  readonly booked: (fromMs: number) => Effect.Effect<ReadonlyArray<BookedRun>>
  /** What is told of shows that have their homes in it, by their ids. */
  readonly showsOf: (ids: ReadonlyArray<ShowId>) => Effect.Effect<ReadonlyMap<string, { readonly slug: string; readonly hostHandle: string }>>
  readonly add: (revision: GridRevision, madeBy: string) => Effect.Effect<void>
}>()("longwave/engine/store/Grids") {
  static readonly layer = Layer.effect(Grids, Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal("round(extract(epoch from valid_from) * 1000)::float8 AS valid_from_ms, blocks")
    const revisions = (rows: ReadonlyArray<unknown>) => Effect.map(decode(rows), (all) => all.map((each) => new GridRevision(each)))
    return Grids.of({
      from: Effect.fn("Grids.from")(function*(fromMs) {
        return yield* revisions(yield* sql`
          SELECT DISTINCT ON (valid_from) ${columns} FROM grid_revisions
          WHERE valid_from >= coalesce((SELECT max(valid_from) FROM grid_revisions WHERE valid_from <= to_timestamp(${fromMs}::float8 / 1000)), '-infinity')
          ORDER BY valid_from, id DESC`)
      }, Effect.orDie),
      newest: Effect.orDie(Effect.gen(function*() {
        yield* sql`LOCK TABLE grid_revisions IN SHARE ROW EXCLUSIVE MODE`
        return (yield* revisions(yield* sql`SELECT ${columns} FROM grid_revisions ORDER BY valid_from DESC, id DESC LIMIT 1`))[0] ?? null
      })),
      hold: Effect.orDie(Effect.asVoid(sql`LOCK TABLE grid_revisions IN SHARE MODE`)),
      booked: (fromMs) => Effect.orDie(sql<BookedRun>`
        SELECT p.id AS plan_id, p.title, a.handle, p.status, p.block_id, round(extract(epoch from p.occurrence_start) * 1000)::float8 AS start_ms, round(extract(epoch from p.occurrence_end) * 1000)::float8 AS end_ms
        FROM plans p JOIN agents a ON a.id = p.agent_id
        WHERE p.status IN ('draft', 'submitted', 'approved', 'airing') AND p.occurrence_end > to_timestamp(${fromMs}::float8 / 1000) ORDER BY p.occurrence_start, p.id`),
      showsOf: (ids) => ids.length === 0 ? Effect.succeed(new Map()) : Effect.orDie(Effect.map(
        sql<{ id: string; slug: string; hostHandle: string }>`SELECT s.id, s.slug, a.handle AS host_handle FROM shows s JOIN agents a ON a.id = s.host_agent_id WHERE s.id IN ${sql.in(ids)}`,
        (rows) => new Map(rows.map(({ id, ...show }) => [id, show])))),
      add: Effect.fn("Grids.add")(function*({ blocks, validFromMs }, madeBy) {
        yield* sql`INSERT INTO grid_revisions (valid_from, blocks, made_by) VALUES (to_timestamp(${validFromMs}::float8 / 1000), ${JSON.stringify(yield* encode(blocks))}::text::jsonb, ${madeBy})`
      }, Effect.orDie)
    })
  }))
}
