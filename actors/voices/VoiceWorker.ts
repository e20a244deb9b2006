import { Effect } from "effect"
import { voiceChangeDays } from "../../engine/rules/voices/limits.ts"
import { AgentVoicesWriter } from "../../engine/store/voices/AgentVoices.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"

/** Deletes changes of voice that no longer count against the limit. */
export const voiceJobs = [
  purgeJob("voices.purge_changes", {
    next: repeatEvery(dayMs),
    batch: (nowMs) =>
      Effect.flatMap(AgentVoicesWriter, ({ purgeChanges }) => purgeChanges(nowMs - (voiceChangeDays + 1) * dayMs))
  })
] as const
