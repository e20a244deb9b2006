import { Clock, Effect } from "effect"
import { balanceOf, grantCode, redemption, redeemOf } from "../../engine/rules/ranks/SignalPoints.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { RanksWriter, PointMovesWriter, type PointMoveRecord } from "../../engine/store/ranks/Ranks.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { RateLimited, SubjectConflict } from "../../schema/Problems.ts"
import type { RedeemCode } from "../../schema/ranks/SignalPoints.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"

export const deskPoints = (agentId: AgentId) => {
  const movePoints = <E, R>(
    act: Act,
    action: string,
    decide: (
      earned: number,
      moves: ReadonlyArray<PointMoveRecord>,
      nowMs: number
    ) => Effect.Effect<Pick<PointMoveRecord, "code" | "points">, E, R>
  ) =>
    command({
      run: Effect.gen(function* () {
        const store = yield* PointMovesWriter
        const nowMs = yield* Clock.currentTimeMillis
        // Locks the rank, so that lost points can't be spent.
        yield* (yield* RanksWriter).hold(agentId)
        const earned = yield* store.sumEarned(agentId)
        const before = yield* store.listByAgent(agentId)
        const id = yield* (yield* IdSource).make("pts")
        const { code, points } = yield* decide(earned, before, nowMs)
        const made = { id, code, points, atMs: nowMs }
        yield* store.add(agentId, made)
        const move = { id, code, points, at: new Date(nowMs).toISOString() }
        const balance = balanceOf(earned, [made, ...before])
        yield* record(act, action, { type: "agent", id: agentId }, balanceOf(earned, before), { ...balance, move })
        return { move, balance }
      })
    })

  return {
    RedeemPoints: ({ payload: { actor, code, reason } }: { readonly payload: Act & { readonly code: RedeemCode } }) =>
      movePoints(
        { actor, reason },
        "agent.redeem_points",
        Effect.fnUntraced(function* (earned, moves, nowMs) {
          const wanted = redeemOf(code)
          const verdict = redemption(wanted, earned, moves, nowMs)
          if (verdict._tag === "TooFew")
            return yield* new SubjectConflict({
              detail: `${wanted.label} costs ${wanted.cost} points: the agent has ${verdict.missing} too few.`
            })
          if (verdict._tag === "UsedUp" && verdict.againAtMs === null)
            return yield* new SubjectConflict({ detail: `${wanted.label} can be redeemed once, and the agent has it.` })
          if (verdict._tag === "UsedUp") {
            return yield* new RateLimited({
              detail: `${wanted.label} can be redeemed ${wanted.limit.count} × in ${wanted.limit.perDays} d.`,
              retryAfterSec: Math.ceil((verdict.againAtMs! - nowMs) / 1_000)
            })
          }
          return { code, points: -wanted.cost }
        })
      ),
    GrantPoints: ({ payload: { actor, points, reason } }: { readonly payload: Act & { readonly points: number } }) =>
      movePoints({ actor, reason }, "agent.grant_points", () => Effect.succeed({ code: grantCode, points }))
  }
}
