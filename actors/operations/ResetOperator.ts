import { Clock, Data, Effect } from "effect"
import { signInLinkHours } from "../../engine/rules/operations/limits.ts"
import { operatorsListMax } from "../../engine/rules/agents/limits.ts"
import { randomCode, sha256 } from "../../engine/runtime/Secrets.ts"
import { OperatorsWriter } from "../../engine/store/operations/Operators.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { record } from "../runtime/audit.ts"

export class UnknownOperator extends Data.TaggedError("UnknownOperator")<{ readonly message: string }> {}

/**
 * Removes an operator's second factor, ends all the operator's sessions and makes a new sign-in link. It runs from the host's command line,
 * while the station runs or is stopped. No actor is asked, because none may run; the rows are locked as they are written.
 */
export const resetOperator = Effect.fnUntraced(function* (name: string) {
  const operators = yield* OperatorsWriter
  const transaction = yield* Transaction
  return yield* transaction.run(
    Effect.gen(function* () {
      const operator = yield* operators.findByName(name)
      if (operator === null) {
        const names = (yield* operators.list(operatorsListMax)).map((each) => each.name)
        return yield* new UnknownOperator({
          message: `There is no operator called ${name}. ${names.length === 0 ? "The station has none yet: it has tokens only." : `There are: ${names.join(", ")}.`}`
        })
      }
      const signInToken = randomCode("ops_link_", 32)
      const expiresAtMs = (yield* Clock.currentTimeMillis) + signInLinkHours * hourMs
      yield* operators.clearSecondFactor(operator.id)
      yield* operators.endSessions(operator.id, null)
      yield* operators.addLink(operator.id, sha256(signInToken), expiresAtMs)
      yield* record(
        { actor: "host", reason: "npm start -- operator reset" },
        "operator.reset",
        { type: "operator", id: operator.id },
        { secondFactor: operator.secondFactor },
        { secondFactor: false, newLink: true }
      )
      return { operator, signInToken, expiresAtMs }
    })
  )
})
