import { Effect } from "effect"
import type { JobHandler } from "../../../actors/runtime/Jobs.ts"

type Needs<Handler> = Handler extends JobHandler<infer R> ? R : never

/** Runs each of these periodic jobs once, whether it is due or not. */
export const runJobs = <const Handlers extends ReadonlyArray<JobHandler<unknown>>>(all: Handlers) =>
  Effect.forEach(
    all as ReadonlyArray<JobHandler<unknown>> as ReadonlyArray<JobHandler<Needs<Handlers[number]>>>,
    ({ work }) => work(null, { key: "", tries: 1 }),
    { discard: true }
  )
