import { Cause, Clock, Effect, Fiber, Schedule } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { auditPatienceMs, auditRetryMs, auditTriesMax } from "../../engine/rules/operations/limits.ts"
import { Audit } from "../../engine/store/sql/Audit.ts"

/** The operator who acts, and why. */
export interface Act {
  readonly actor: string
  readonly reason: string | null
}

interface Subject {
  readonly type: string
  readonly id: string
}

const row = Effect.fnUntraced(function* (act: Act, action: string, subject: Subject, before: unknown, after: unknown) {
  return {
    id: yield* (yield* IdSource).make("aud"),
    atMs: yield* Clock.currentTimeMillis,
    actor: act.actor,
    action,
    subject,
    reason: act.reason,
    before,
    after
  }
})

/** Within the transaction of what was done: neither is there without the other. */
export const record = Effect.fnUntraced(function* (
  act: Act,
  action: string,
  subject: Subject,
  before: unknown,
  after: unknown
) {
  yield* (yield* Audit).append(yield* row(act, action, subject, before, after))
})

/**
 * What is heard can't wait for a store that is away, and can't be taken back by one: it is done first, and written down as soon
 * as the store takes it. The row has its id and its time from now.
 */
export const recordWhenPossible = Effect.fnUntraced(function* (
  act: Act,
  action: string,
  subject: Subject,
  before: unknown,
  after: unknown
) {
  const done = yield* row(act, action, subject, before, after)
  const fiber = yield* (yield* Audit).append(done).pipe(
    Effect.sandbox,
    Effect.tapError(() => Effect.logWarning(`the audit log takes ${action} by ${act.actor} later`)),
    Effect.retry({ schedule: Schedule.spaced(auditRetryMs), times: auditTriesMax }),
    Effect.catchCause((cause) =>
      Effect.logError(`the audit log never took: ${JSON.stringify(done)}`, Cause.squash(cause))
    ),
    Effect.forkDetach
  )
  yield* Effect.timeoutOption(Fiber.await(fiber), auditPatienceMs)
})
