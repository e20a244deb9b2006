import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { airStepsKept } from "../../rules/air/limits.ts"
import { ScriptLine } from "../../../schema/air/AirScript.ts"
import { hasChanged, rows } from "../sql/rows.ts"

const encode = Schema.encodeEffect(ScriptLine)
const storedRows = rows(Schema.Struct({ seq: Schema.Finite, body: ScriptLine }))
export type StoredLine = { readonly seq: number; readonly line: ScriptLine }

/** What the owner of the air did to its mixer, for the processes that follow it. */
export class AirStepsWriter extends Context.Service<AirStepsWriter>()("longwave/engine/store/AirStepsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Adds a line and removes old ones. False, and nothing is written, once another process has the air. */
      add: Effect.fnUntraced(function* (line: ScriptLine) {
        const body = JSON.stringify(yield* Effect.orDie(encode(line)))
        return yield* hasChanged(sql`
          WITH gone AS (
            DELETE FROM air_steps WHERE seq <= (SELECT seq FROM air_steps ORDER BY seq DESC OFFSET ${airStepsKept - 1} LIMIT 1)
              AND EXISTS (SELECT FROM stations WHERE air_owner = ${line.owner}))
          INSERT INTO air_steps (owner, number, at_sample, body)
          SELECT ${line.owner}, ${line.number}::bigint, ${line.step.atSample}::bigint, ${body}::jsonb
          WHERE EXISTS (SELECT FROM stations WHERE air_owner = ${line.owner}) RETURNING seq`)
      }),
      /** The newest lines after a place, oldest first. */
      listAfter: (seq: number) =>
        Effect.map(
          storedRows(
            sql`SELECT seq::float8 AS seq, body FROM air_steps WHERE seq > ${BigInt(seq)} ORDER BY seq DESC LIMIT ${airStepsKept}`
          ),
          (found): ReadonlyArray<StoredLine> => found.map(({ body, seq }) => ({ seq, line: body })).toReversed()
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class AirSteps extends Context.Service<AirSteps, Pick<AirStepsWriter["Service"], "listAfter">>()(
  "longwave/engine/store/AirSteps"
) {
  static readonly layer = Layer.effect(this, AirStepsWriter).pipe(Layer.provideMerge(AirStepsWriter.layer))
}
