import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { simulationsKept } from "../../rules/operations/limits.ts"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { type SimulationAsk, SimulationRecord } from "../../../schema/operations/Simulation.ts"
import { at, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const one = row(SimulationRecord)
const many = rows(SimulationRecord)

/** Simulations that operators asked for. */
export class SimulationsWriter extends Context.Service<SimulationsWriter>()("longwave/engine/store/SimulationsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      `id, state, days, faults, demand, progress, is_kept, report, detail, requested_by, ${msText("requested_at")} AS requested_at_ms, ${msText("ended_at")} AS ended_at_ms`
    )
    return {
      add: (id: string, { days, demand, faults }: SimulationAsk, by: string, atMs: number) =>
        run(
          sql`INSERT INTO simulations (id, state, days, faults, demand, progress, requested_by, requested_at)
            VALUES (${id}, 'waiting', ${days}, ${faults}, ${demand}, 0, ${by}, ${at(atMs)}) ON CONFLICT DO NOTHING`
        ),
      progress: (id: string, percent: number) =>
        run(
          sql`UPDATE simulations SET state = 'running', progress = ${percent} WHERE id = ${id} AND state IN ('waiting', 'running')`
        ),
      markDone: (id: string, isKept: boolean, report: string, atMs: number) =>
        run(
          sql`UPDATE simulations SET state = 'done', progress = 100, is_kept = ${isKept}, report = ${report}, detail = NULL, ended_at = ${at(atMs)} WHERE id = ${id}`
        ),
      markFailed: (id: string, detail: string, atMs: number) =>
        run(
          sql`UPDATE simulations SET state = 'failed', detail = ${detail}, ended_at = ${at(atMs)} WHERE id = ${id} AND state <> 'done'`
        ),
      find: (id: string) => one(sql`SELECT ${columns} FROM simulations WHERE id = ${id}`),
      /** One runs or waits for it. */
      underWay: one(sql`SELECT ${columns} FROM simulations WHERE state IN ('waiting', 'running') LIMIT 1`),
      list: many(sql`SELECT ${columns} FROM simulations ORDER BY requested_at DESC, id DESC LIMIT ${simulationsKept}`),
      /** Ended ones beyond the newest `simulationsKept`. */
      purge: countChanged(
        sql`DELETE FROM simulations WHERE state IN ('done', 'failed') AND id IN (SELECT id FROM simulations ORDER BY requested_at DESC, id DESC OFFSET ${simulationsKept} LIMIT ${purgeRows}) RETURNING 1`
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Simulations extends Context.Service<
  Simulations,
  Pick<SimulationsWriter["Service"], "find" | "list" | "underWay">
>()("longwave/engine/store/Simulations") {
  static readonly layer = Layer.effect(this, SimulationsWriter).pipe(Layer.provideMerge(SimulationsWriter.layer))
}
