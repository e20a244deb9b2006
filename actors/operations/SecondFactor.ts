import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { makeTotpSecret, totpStep, totpUri } from "../../engine/runtime/Totp.ts"
import { wrongSecondFactorsPerDay } from "../../engine/rules/operations/limits.ts"
import { type OperatorRecord, OperatorsWriter } from "../../engine/store/operations/Operators.ts"
import { OperatorConflict, OperatorRequired } from "../../schema/Problems.ts"
import { record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { checkAllowance, spendAllowance } from "../runtime/spendAllowance.ts"

const wrongCodes = { name: "wrong_operator_codes", perDay: wrongSecondFactorsPerDay } as const

/** The secret of one operator can't be put in another's row. */
const contextOf = (operatorId: string) => `operator-totp:${operatorId}`
const subjectOf = ({ id }: OperatorRecord) => ({ type: "operator", id })

const refusal = (detail: string) =>
  new OperatorRequired({ detail, errors: [{ pointer: "/code", code: "OPERATOR_REQUIRED", detail }] })

/**
 * The time step of an operator's code. Fails without the right one. A wrong code counts also when the rest of the command is rolled back, so
 * this runs before the command.
 */
const judge = Effect.fnUntraced(function* (operatorId: string, sealed: string, step: number | null, code: string) {
  yield* checkAllowance(wrongCodes, operatorId)
  const taken = totpStep((yield* Keys).open(sealed, contextOf(operatorId)), code, yield* Clock.currentTimeMillis)
  if (taken !== null && (step === null || taken > step)) return taken
  yield* spendAllowance(wrongCodes, operatorId)
  return yield* refusal("The code is wrong, or was used before. Wait for the next one and send that.")
})

/** The step of the code that signs an operator in; null for one without a second factor. */
export const secondFactorOf = Effect.fnUntraced(function* (operator: OperatorRecord, code: string | null) {
  const factor = yield* (yield* OperatorsWriter).secondFactor(operator.id)
  if (factor === null || factor.secret === null) return null
  if (code === null)
    return yield* refusal(
      "This operator has a second factor. Send the six digits of the authenticator app as code too."
    )
  return yield* judge(operator.id, factor.secret, factor.step, code)
})

/** Uses the code up, in the command that it allows. */
export const takeCode = Effect.fnUntraced(function* (operatorId: string, step: number | null) {
  if (step !== null && !(yield* (yield* OperatorsWriter).takeStep(operatorId, step)))
    return yield* refusal("The code was used before. Wait for the next one and send that.")
})

interface OfSession {
  readonly payload: { readonly sessionId: string | null }
}
interface WithCode {
  readonly payload: { readonly sessionId: string | null; readonly code: string }
}

/** A token is no person: it is revoked and made anew instead. */
const findBySession = Effect.fnUntraced(function* (sessionId: string | null) {
  const operators = yield* OperatorsWriter
  const operator = sessionId === null ? null : yield* operators.findBySession(sessionId)
  if (operator === null)
    return yield* new OperatorConflict({ detail: "A second factor belongs to a person. Sign in with a link first." })
  return { operator, factor: (yield* operators.secondFactor(operator.id))! }
})

/** Authenticator apps of operators (TOTP, RFC 6238). */
export const secondFactors = {
  BeginSecondFactor: Effect.fnUntraced(function* ({ payload }: OfSession) {
    const { factor, operator } = yield* findBySession(payload.sessionId)
    if (factor.secret !== null)
      return yield* new OperatorConflict({
        detail: "You have a second factor. Remove it with one of its codes before you set another."
      })
    const secret = makeTotpSecret()
    return yield* command({
      run: Effect.gen(function* () {
        const sealed = (yield* Keys).seal(secret, contextOf(operator.id))
        yield* (yield* OperatorsWriter).awaitSecondFactor(operator.id, sealed)
        yield* record(
          { actor: operator.name, reason: null },
          "operator.second_factor_begin",
          subjectOf(operator),
          null,
          null
        )
        return { secret, uri: totpUri(secret, (yield* StationConfig).stationName, operator.name) }
      })
    })
  }),
  ConfirmSecondFactor: Effect.fnUntraced(function* ({ payload }: WithCode) {
    const { factor, operator } = yield* findBySession(payload.sessionId)
    if (factor.waiting === null)
      return yield* new OperatorConflict({ detail: "No second factor waits for its first code. Begin one first." })
    const step = yield* judge(operator.id, factor.waiting, null, payload.code)
    return yield* command({
      run: Effect.gen(function* () {
        const operators = yield* OperatorsWriter
        yield* operators.setSecondFactor(operator.id, step)
        yield* operators.endSessions(operator.id, payload.sessionId)
        yield* record(
          { actor: operator.name, reason: null },
          "operator.second_factor_set",
          subjectOf(operator),
          { secondFactor: false },
          { secondFactor: true }
        )
        return { secondFactor: true }
      })
    })
  }),
  RemoveSecondFactor: Effect.fnUntraced(function* ({ payload }: WithCode) {
    const { factor, operator } = yield* findBySession(payload.sessionId)
    if (factor.secret === null) return yield* new OperatorConflict({ detail: "You have no second factor." })
    const step = yield* judge(operator.id, factor.secret, factor.step, payload.code)
    return yield* command({
      run: Effect.gen(function* () {
        yield* takeCode(operator.id, step)
        yield* (yield* OperatorsWriter).clearSecondFactor(operator.id)
        yield* record(
          { actor: operator.name, reason: null },
          "operator.second_factor_remove",
          subjectOf(operator),
          { secondFactor: true },
          { secondFactor: false }
        )
        return { secondFactor: false }
      })
    })
  })
}
