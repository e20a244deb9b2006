import { Effect } from "effect"
import { docketAtOnce, docketRetryMostMs } from "../../engine/rules/lore/limits.ts"
import { backOff, deadlineJob, jobHandler, rescheduleAfter } from "../runtime/Jobs.ts"
import { Council } from "./protocol/Council.ts"
import { CloseDocket, TellDocket } from "./protocol/Jobs.ts"

const restMs = backOff(1_000, docketRetryMostMs)

/** Deadlines of the docket. Each job is stored with what makes it necessary, and a repeat of it changes nothing. */
export const councilJobs = [
  deadlineJob(CloseDocket, {
    atOnce: docketAtOnce,
    restMs,
    close: ({ itemId }) => Effect.flatMap(Council.client, (council) => council(itemId).Close({ itemId }))
  }),
  jobHandler(TellDocket, {
    atOnce: docketAtOnce,
    restMs,
    work: Effect.fnUntraced(function* ({ itemId }) {
      return (yield* (yield* Council.client)(itemId).Tell({ itemId })) ? yield* rescheduleAfter(0) : undefined
    })
  })
] as const
