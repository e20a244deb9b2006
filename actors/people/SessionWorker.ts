import { Effect } from "effect"
import { HumanAgentsWriter } from "../../engine/store/people/HumanAgents.ts"
import { HumanIdentitiesWriter } from "../../engine/store/people/HumanIdentities.ts"
import { HumanSessionsWriter } from "../../engine/store/people/HumanSessions.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"

const next = repeatEvery(hourMs)

/** Deletes sessions, sign-ins and links that have expired. */
export const sessionJobs = [
  purgeJob("people.purge_sessions", {
    next,
    batch: (nowMs) => Effect.flatMap(HumanSessionsWriter, ({ purge }) => purge(nowMs))
  }),
  purgeJob("people.purge_sign_ins", {
    next,
    batch: (nowMs) => Effect.flatMap(HumanIdentitiesWriter, ({ purgeUsed }) => purgeUsed(nowMs))
  }),
  purgeJob("people.purge_link_requests", {
    next,
    batch: (nowMs) => Effect.flatMap(HumanAgentsWriter, ({ purge }) => purge(nowMs))
  })
] as const
