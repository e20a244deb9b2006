import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RateLimited, SubjectConflict } from "../../../schema/Problems.ts"
import { PointBalance, PointMove, RedeemCode } from "../../../schema/ranks/SignalPoints.ts"
import { act } from "../../runtime/protocol.ts"

const moved = Schema.Struct({ move: PointMove, balance: PointBalance })

/** What an operator does with an agent's points. A repeat of the command answers what the first one did. */
export const deskPoints = [
  /** Spends them on something, where so many are there and it can be had now. */
  Rpc.make("RedeemPoints", {
    payload: { code: RedeemCode, ...act },
    success: moved,
    error: Schema.Union([SubjectConflict, RateLimited])
  }),
  Rpc.make("GrantPoints", { payload: { points: Schema.Int, ...act }, success: moved })
] as const
