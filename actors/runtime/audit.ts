import { Cause, Clock, Effect, Fiber, Schedule } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { auditPatienceMs, auditRetryMs, auditTriesMax } from "../../engine/rules/operations/limits.ts"
import { Audit } from "../../engine/store/sql/Audit.ts"

/** The acting operator and the reason. */
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

/** Appends to the audit log in the caller's transaction. */
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
 * Appends to the audit log with retries, for changes on the air, which don't wait for the store and can't be rolled back. Waits at most
 * `auditPatienceMs`; later retries run in the background. Id and time are set now.
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
    Effect.tapError(() => Effect.logWarning(`audit: ${action} by ${act.actor} is not stored yet, retrying`)),
    Effect.retry({ schedule: Schedule.spaced(auditRetryMs), times: auditTriesMax }),
    Effect.catchCause((cause) =>
      Effect.logError(`audit: given up, not stored: ${JSON.stringify(done)}`, Cause.squash(cause))
    ),
    Effect.forkDetach
  )
  yield* Effect.timeoutOption(Fiber.await(fiber), auditPatienceMs)
})
