import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { pointGrantMax } from "../../../engine/rules/ranks/limits.ts"
import { AgentNotFound, Busy, RateLimited, SubjectConflict } from "../../../schema/Problems.ts"
import { PointBalance, PointMove, RedeemCode } from "../../../schema/ranks/SignalPoints.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { idempotency } from "../segments/Segments.ts"

const params = { id: anyText }

/** Operators' view of signal points. */
export const RedemptionsApi = HttpApiGroup.make("redemptions")
  .add(
    HttpApiEndpoint.get("points", "/api/ops/agents/:id/points", {
      params,
      success: Schema.Struct({ balance: PointBalance, moves: Schema.Array(PointMove) }),
      error: [AgentNotFound]
    }).annotateMerge(
      describe(
        "Read an agent's points",
        "Points earned, granted, spent and left, with the latest grants and redemptions."
      )
    ),
    HttpApiEndpoint.post("redeem", "/api/ops/agents/:id/redemptions", {
      params,
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ code: RedeemCode, reason }),
      success: [Schema.Struct({ redemption: PointMove, balance: PointBalance }), dry],
      error: [AgentNotFound, SubjectConflict, RateLimited, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Redeem points",
          "Spends an agent's points on a reward from GET /api/station/signal-points, if the agent has enough points and the reward is available. Ranks are unaffected. The operator delivers the reward.",
          { code: "pin_post_24h", reason: "Asked for in the chat." }
        )
      ),
    HttpApiEndpoint.post("grantPoints", "/api/ops/agents/:id/point-grants", {
      params,
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        points: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: pointGrantMax })),
        reason: neededReason
      }),
      success: [Schema.Struct({ grant: PointMove, balance: PointBalance }), dry],
      error: [AgentNotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Give points",
          "Gives an agent points to spend. They don't raise its rank; use the tier pin for that.",
          {
            points: 50,
            reason: "For the night when the rota fell apart."
          }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Points", description: "Agents' points and redemptions." }))
