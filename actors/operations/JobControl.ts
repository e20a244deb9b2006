import { Clock, Effect } from "effect"
import { isPeriodic, jobView } from "../../engine/rules/operations/Job.ts"
import { Jobs } from "../../engine/store/sql/Jobs.ts"
import { NotFound, SubjectConflict } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"

interface Asked {
  readonly payload: Act & { readonly id: string }
}

const requireJob = Effect.fnUntraced(function* (id: string) {
  return (
    (yield* (yield* Jobs).find(id)) ??
    (yield* new NotFound({ detail: `There is no job ${id}. Finished jobs are not listed.` }))
  )
})

const changeJob = (
  action: "job.retry" | "job.cancel",
  change: (
    job: Effect.Success<ReturnType<typeof requireJob>>,
    act: Act,
    nowMs: number
  ) => Effect.Effect<boolean, SubjectConflict, Jobs>,
  refusal: string
) =>
  Effect.fnUntraced(function* ({ payload: { actor, id, reason } }: Asked) {
    return yield* command({
      run: Effect.gen(function* () {
        const job = yield* requireJob(id)
        const nowMs = yield* Clock.currentTimeMillis
        if (!(yield* change(job, { actor, reason }, nowMs))) return yield* new SubjectConflict({ detail: refusal })
        const { key, kind, lastError, state, tries } = job
        yield* record(
          { actor, reason },
          action,
          { type: "job", id },
          { kind, about: key, state, tries, lastError },
          null
        )
        return jobView(yield* requireJob(id), nowMs)
      })
    })
  })

/** Operators' handlers for jobs. */
export const jobControl = {
  RetryJob: changeJob(
    "job.retry",
    ({ id }, _, nowMs) => Effect.flatMap(Jobs, (jobs) => jobs.retry(id, nowMs)),
    "The job is running. Wait for the end of this try, or cancel it."
  ),
  CancelJob: changeJob(
    "job.cancel",
    (job, { actor, reason }, nowMs) =>
      isPeriodic(job)
        ? Effect.fail(new SubjectConflict({ detail: "A periodic job can't be cancelled." }))
        : Effect.flatMap(Jobs, (jobs) => jobs.cancel(job.id, `Cancelled by ${actor}: ${reason ?? ""}`, nowMs)),
    "The job has already ended."
  )
}
