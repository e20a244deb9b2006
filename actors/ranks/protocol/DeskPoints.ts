import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RateLimited, SubjectConflict } from "../../../schema/Problems.ts"
import { PointBalance, PointMove, RedeemCode } from "../../../schema/ranks/SignalPoints.ts"
import { act } from "../../runtime/protocol.ts"

const moved = Schema.Struct({ move: PointMove, balance: PointBalance })

/** Operators' changes of an agent's points. A repeat answers the first result. */
export const deskPoints = [
  /** Redeems points. Refused when points are missing or the limit is reached. */
  Rpc.make("RedeemPoints", {
    payload: { code: RedeemCode, ...act },
    success: moved,
    error: Schema.Union([SubjectConflict, RateLimited])
  }),
  Rpc.make("GrantPoints", { payload: { points: Schema.Int, ...act }, success: moved })
] as const
