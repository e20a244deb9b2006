import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Whether the store answers. A store that is frozen answers late, when it is given up: whoever asks waits as long as he likes. */
export class StoreHealth extends Context.Service<StoreHealth, {
  readonly answers: Effect.Effect<boolean>
}>()("longwave/engine/store/StoreHealth") {
  static readonly layer = Layer.effect(StoreHealth, Effect.map(SqlClient.SqlClient, (sql) => StoreHealth.of({
    answers: sql`SELECT 1`.pipe(Effect.as(true), Effect.orElseSucceed(() => false))
  })))
}
