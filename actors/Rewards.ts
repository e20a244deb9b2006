import { Clock, Effect } from "effect"
import { rankPageRows } from "../engine/Limits.ts"
import type { EarnCode } from "../engine/rules/Points.ts"
import { dayMs } from "../engine/rules/SpeechQuota.ts"
import { Leaderboards } from "../engine/store/Leaderboards.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import { earn } from "./Earning.ts"
import { tellRank } from "./Telling.ts"

/** Gives agents what listeners' likes and plays of their tracks have earned them since: each like and each play once, whatever becomes of it. */
export const reward = Effect.fn("Steward.reward")(function*() {
  const { unrewarded } = yield* Leaderboards
  const { run } = yield* Transaction
  const sinceMs = (yield* Clock.currentTimeMillis) - dayMs
  for (;;) {
    const page = yield* unrewarded(sinceMs, rankPageRows)
    for (const { agentId, code, subjectId } of page) yield* run(Effect.flatMap(earn({ agentId, code: code as EarnCode, subjectId }), tellRank))
    if (page.length < rankPageRows) return
  }
})
