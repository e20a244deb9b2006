import { Effect } from "effect"
import { docketAtOnce, docketRetryMostMs } from "../../engine/rules/lore/limits.ts"
import { backOff, jobHandler, later, Later } from "../runtime/Jobs.ts"
import { Council } from "./protocol/Council.ts"
import { CloseDocket, TellDocket } from "./protocol/Jobs.ts"

const restMs = backOff(1_000, docketRetryMostMs)

/** Deadlines of the docket. Each job is stored with what makes it necessary, and a repeat of it changes nothing. */
export const councilJobs = [
  jobHandler(CloseDocket, {
    atOnce: docketAtOnce,
    restMs,
    work: Effect.fnUntraced(function* ({ itemId }) {
      const dueAtMs = yield* (yield* Council.client)(itemId).Close({ itemId })
      return dueAtMs === null ? undefined : new Later({ runAtMs: dueAtMs, reason: null })
    })
  }),
  jobHandler(TellDocket, {
    atOnce: docketAtOnce,
    restMs,
    work: Effect.fnUntraced(function* ({ itemId }) {
      return (yield* (yield* Council.client)(itemId).Tell({ itemId })) ? yield* later(0) : undefined
    })
  })
] as const
