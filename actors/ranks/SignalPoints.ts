import { Clock, Effect } from "effect"
import { balanceOf, grantCode, redemption, redeemOf } from "../../engine/rules/ranks/SignalPoints.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Ranks, PointMoves, type PointMoveRecord } from "../../engine/store/ranks/Ranks.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { RateLimited, SubjectConflict } from "../../schema/Problems.ts"
import type { RedeemCode } from "../../schema/ranks/SignalPoints.ts"
import { type Act, record } from "../runtime/audit.ts"
import { perform } from "../runtime/perform.ts"

interface Command extends Act {
  readonly commandKey: string
  readonly dryRun: boolean
}
export const deskPoints = (agentId: AgentId) => {
  const moving = <E, R>(
    command: Command,
    action: string,
    decide: (
      earned: number,
      moves: ReadonlyArray<PointMoveRecord>,
      nowMs: number
    ) => Effect.Effect<Pick<PointMoveRecord, "code" | "points">, E, R>
  ) =>
    perform(
      Effect.gen(function* () {
        const store = yield* PointMoves
        const nowMs = yield* Clock.currentTimeMillis
        // Earning and spending wait for each other: nothing is spent that has just been lost.
        yield* (yield* Ranks).hold(agentId)
        const earned = yield* store.earned(agentId)
        const before = yield* store.of(agentId)
        const done = yield* store.byCommand(agentId, command.commandKey)
        const answer = (move: PointMoveRecord, moves: ReadonlyArray<PointMoveRecord>) => ({
          move: { id: move.id, code: move.code, points: move.points, at: new Date(move.atMs).toISOString() },
          balance: balanceOf(earned, moves)
        })
        if (done !== null) return answer(done, before)
        const move = {
          ...(yield* decide(earned, before, nowMs)),
          id: yield* (yield* IdSource).make("pts"),
          atMs: nowMs
        }
        yield* store.add(agentId, command.commandKey, move)
        const { balance, move: shown } = answer(move, [move, ...before])
        yield* record(
          { actor: command.actor, reason: command.reason },
          action,
          { type: "agent", id: agentId },
          balanceOf(earned, before),
          { ...balance, move: shown }
        )
        return { move: shown, balance }
      }),
      command.dryRun
    )

  return {
    RedeemPoints: ({ payload: { code, ...command } }: { readonly payload: Command & { readonly code: RedeemCode } }) =>
      moving(
        command,
        "agent.redeem_points",
        Effect.fnUntraced(function* (earned, moves, nowMs) {
          const wanted = redeemOf(code)
          const verdict = redemption(wanted, earned, moves, nowMs)
          if (verdict._tag === "TooFew")
            return yield* new SubjectConflict({
              detail: `${wanted.label} costs ${wanted.cost} points: the agent has ${verdict.missing} too few.`
            })
          if (verdict._tag === "UsedUp" && verdict.againAtMs === null)
            return yield* new SubjectConflict({ detail: `${wanted.label} can be had once, and the agent has it.` })
          if (verdict._tag === "UsedUp") {
            return yield* new RateLimited({
              detail: `${wanted.label} can be had ${wanted.limit.count} × in ${wanted.limit.perDays} d.`,
              retryAfterSec: Math.ceil((verdict.againAtMs! - nowMs) / 1_000)
            })
          }
          return { code, points: -wanted.cost }
        })
      ),
    GrantPoints: ({ payload: { points, ...command } }: { readonly payload: Command & { readonly points: number } }) =>
      moving(command, "agent.grant_points", () => Effect.succeed({ code: grantCode, points }))
  }
}
