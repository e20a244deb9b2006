import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Block, GridRevision } from "../../../schema/programmes/Block.ts"
import { PlanStatus } from "../../../schema/programmes/Plan.ts"
import { BlockId, PlanId, ShowId } from "../../../schema/Ids.ts"
import { msText, ms, at } from "../sql/instants.ts"
import { onlyRow, row, rows, run } from "../sql/rows.ts"

const revisions = rows(GridRevision)
const revision = row(GridRevision)
const encode = Schema.encodeEffect(Schema.Array(Block))

/** A run of a block with a plan. */
const BookedRun = Schema.Struct({
  planId: PlanId,
  title: Schema.String,
  handle: Schema.String,
  status: PlanStatus.pick(["draft", "submitted", "approved", "airing"]),
  blockId: BlockId,
  startMs: Schema.Finite,
  endMs: Schema.Finite
})
export type BookedRun = typeof BookedRun.Type

const versions = onlyRow(Schema.Struct({ version: Schema.Int }))
const bookedRuns = rows(BookedRun)
const toldShows = rows(Schema.Struct({ id: ShowId, slug: Schema.String, hostHandle: Schema.String }))

/** The week schedule as revisions, each in force from an instant on and never edited. */
export class WeekSchedulesWriter extends Context.Service<WeekSchedulesWriter>()(
  "longwave/engine/store/WeekSchedulesWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const columns = sql.literal(`${msText("valid_from")} AS valid_from_ms, blocks`)
      return {
        /**
         * The revision in force at `fromMs` and all later ones, in order; of several for one instant only the last. `weekFrom` supplies the week
         * before the first. With `version`, the weeks as they were at that version.
         */
        from: (fromMs: number, version: number = Number.MAX_SAFE_INTEGER) =>
          revisions(sql`
          SELECT DISTINCT ON (valid_from) ${columns} FROM grid_revisions
          WHERE id <= ${version} AND valid_from >= coalesce((SELECT max(valid_from) FROM grid_revisions WHERE id <= ${version} AND valid_from <= ${at(fromMs)}), '-infinity')
          ORDER BY valid_from, id DESC`),
        /** Rises with every change of the week; 0 before the first. */
        version: Effect.map(
          versions(sql`SELECT coalesce(max(id), 0)::int AS version FROM grid_revisions`),
          (found) => found.version
        ),
        /** The newest revision, in force or not, with a lock on all, so that the next writer has read it. Null before the first revision. */
        newest: Effect.andThen(
          run(sql`LOCK TABLE grid_revisions IN SHARE ROW EXCLUSIVE MODE`),
          revision(sql`SELECT ${columns} FROM grid_revisions ORDER BY valid_from DESC, id DESC LIMIT 1`)
        ),
        /** Prevents changes of the week until the caller's transaction ends. Shared. */
        hold: run(sql`LOCK TABLE grid_revisions IN SHARE MODE`),
        /** Runs with a plan that aren't over at an instant, in order. */
        listBooked: (fromMs: number) =>
          bookedRuns(sql`
        SELECT p.id AS plan_id, p.title, a.handle, p.status, p.block_id, ${ms("p.occurrence_start")} AS start_ms, ${ms("p.occurrence_end")} AS end_ms
        FROM plans p JOIN agents a ON a.id = p.agent_id
        WHERE p.status IN ('draft', 'submitted', 'approved', 'airing') AND p.occurrence_end > ${at(fromMs)} ORDER BY p.occurrence_start, p.id`),
        /** The shows of the week's blocks by id. */
        showsOf: (ids: ReadonlyArray<ShowId>) =>
          ids.length === 0
            ? Effect.succeed(new Map())
            : Effect.map(
                toldShows(
                  sql`SELECT s.id, s.slug, a.handle AS host_handle FROM shows s JOIN agents a ON a.id = s.host_agent_id WHERE s.id IN ${sql.in(ids)}`
                ),
                (found) => new Map(found.map(({ id, ...show }) => [id, show]))
              ),
        add: Effect.fnUntraced(function* ({ blocks, validFromMs }: GridRevision, madeBy: string) {
          yield* sql`INSERT INTO grid_revisions (valid_from, blocks, made_by) VALUES (${at(validFromMs)}, ${JSON.stringify(yield* encode(blocks))}::text::jsonb, ${madeBy})`
        }, Effect.orDie)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class WeekSchedules extends Context.Service<
  WeekSchedules,
  Pick<WeekSchedulesWriter["Service"], "from" | "newest" | "listBooked" | "showsOf" | "version">
>()("longwave/engine/store/WeekSchedules") {
  static readonly layer = Layer.effect(this, WeekSchedulesWriter).pipe(Layer.provideMerge(WeekSchedulesWriter.layer))
}
