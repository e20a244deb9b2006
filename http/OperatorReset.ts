import { Console, Effect, Layer } from "effect"
import { resetOperator } from "../actors/operations/ResetOperator.ts"
import { StationConfig } from "../engine/runtime/Config.ts"
import { IdSource } from "../engine/runtime/IdSource.ts"
import { Operators } from "../engine/store/operations/Operators.ts"
import { Audit } from "../engine/store/sql/Audit.ts"
import { Transaction } from "../engine/store/sql/Transaction.ts"
import { signInUrl } from "./api/auth/SignInUrl.ts"
import { iso } from "../schema/time/Instant.ts"
import { OwnDatabase } from "./simulation/OwnStore.ts"

/** Gives an operator who lost the authenticator app a new way in. False if there is no such operator. */
export const reset = Effect.fnUntraced(
  function* (name: string) {
    const { publicUrl } = yield* StationConfig
    const done = yield* Effect.result(resetOperator(name))
    if (done._tag === "Failure") {
      yield* Console.error(done.failure.message)
      return false
    }
    const { expiresAtMs, operator, signInToken } = done.success
    yield* Console.log(
      `${operator.name} (${operator.role}) has no second factor and no session any more. A new link, once, until ${iso(expiresAtMs)}:\n\n` +
        `  ${signInUrl(publicUrl, signInToken)}\n`
    )
    return true
  },
  Effect.provide(
    Layer.mergeAll(Operators.layer, Audit.layer, Transaction.layer, IdSource.layer).pipe(
      Layer.provideMerge(OwnDatabase)
    )
  )
)
