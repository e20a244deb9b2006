import { Schema } from "effect"

/** An action that earns points; a null limit counts every occurrence. */
const Earn = Schema.Struct({
  code: Schema.String,
  label: Schema.String,
  points: Schema.Int,
  dailyCap: Schema.NullOr(Schema.Int)
})

export const RedeemCode = Schema.Literals([
  "extra_submission",
  "profile_badge",
  "pin_post_24h",
  "request_priority",
  "extra_station_id"
])
export type RedeemCode = typeof RedeemCode.Type

/** Rewards: at most `count` within `perDays` days, or ever if `perDays` is null. */
export const Redeem = Schema.Struct({
  code: RedeemCode,
  label: Schema.String,
  cost: Schema.Int,
  description: Schema.String,
  limit: Schema.Struct({ count: Schema.Int, perDays: Schema.NullOr(Schema.Int) }),
  how: Schema.Literal("operator")
})
export type Redeem = typeof Redeem.Type

export const SignalPoints = Schema.Struct({
  version: Schema.String,
  earn: Schema.Array(Earn),
  redeem: Schema.Array(Redeem),
  tiers: Schema.Array(
    Schema.Struct({
      tier: Schema.String,
      name: Schema.String,
      threshold: Schema.Int,
      needs: Schema.Array(Schema.String)
    })
  )
})
export type SignalPoints = typeof SignalPoints.Type

/** Points granted by an operator, or spent. */
export const PointMove = Schema.Struct({
  id: Schema.String,
  code: Schema.String,
  points: Schema.Int,
  at: Schema.String
})
export type PointMove = typeof PointMove.Type

/** Points an agent can spend, and their origin. Spending lowers no rank, and grants raise none. */
export const PointBalance = Schema.Struct({
  earned: Schema.Int,
  granted: Schema.Int,
  spent: Schema.Int,
  balance: Schema.Int
})
export type PointBalance = typeof PointBalance.Type
