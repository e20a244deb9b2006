import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Whether the store answers. A frozen store answers only after its time limit, so the caller sets its own. */
export class StoreHealth extends Context.Service<StoreHealth>()("longwave/engine/store/StoreHealth", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    answers: sql`SELECT 1`.pipe(
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
