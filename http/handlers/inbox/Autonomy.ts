import { Effect } from "effect"
import { jobsShownMax, receiptsMax } from "../../../engine/rules/inbox/limits.ts"
import { actionsOf, type Serves } from "../../../engine/rules/inbox/Home.ts"
import { AsRun } from "../../../engine/store/air/AsRun.ts"
import { DeskViews } from "../../../engine/store/inbox/DeskViews.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import type { Autonomy } from "../../../schema/inbox/Home.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { lookAround } from "./Home.ts"
import { roleView } from "../agents/Profiles.ts"
import { iso } from "../../../schema/time/Instant.ts"
/** An agent's autonomy view. */
export const autonomyView = Effect.fnUntraced(function* (serves: Serves) {
  const { agent, grants } = yield* CurrentAgent
  const asRun = yield* AsRun
  const stationId = yield* (yield* Fences).stationId
  const [{ blocks, facts, firstAirCleared }, { capabilities }, jobs, receipts] = yield* Effect.all(
    [
      lookAround,
      roleView(agent, serves),
      (yield* DeskViews).jobs(agent.id, jobsShownMax),
      asRun.receipts(stationId, agent.id, receiptsMax)
    ],
    { concurrency: "unbounded" }
  )
  const codes = (allowed: boolean) => capabilities.filter((each) => each.allowed === allowed).map(({ code }) => code)
  const view: Autonomy = {
    authority: {
      level: !firstAirCleared ? "gated" : grants.requiresSegmentReview === true ? "supervised" : "free",
      may: codes(true),
      mayNot: codes(false)
    },
    blockers: blocks.map(({ code, owner, reason, until }) => ({ code, reason, until, owner })),
    nextActions: actionsOf(facts, serves),
    recovery: blocks.map(({ code, owner, step }) => ({ issue: code, owner, step })),
    jobs: jobs.map(({ id, kind, status, updatedAtMs }) => ({
      id,
      kind,
      status,
      progress: null,
      updatedAt: iso(updatedAtMs)
    })),
    receipts: receipts.map(({ endedAtMs, hash, segmentId, seq, startedAtMs }) => ({
      asRunId: `asr_${seq}`,
      segmentId,
      startedAt: iso(startedAtMs),
      endedAt: iso(endedAtMs),
      sha256: hash
    }))
  }
  return view
})
