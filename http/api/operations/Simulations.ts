import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Simulation } from "../../../schema/operations/Simulation.ts"
import { simulationDaysMax } from "../../../engine/rules/operations/limits.ts"
import { Busy, InvalidField, SubjectConflict } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { bodyOrNone, dry, dryRun } from "../Inputs.ts"
import { reason } from "../OperatorReason.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

/** Simulations of the coming days. */
export const SimulationsApi = HttpApiGroup.make("simulations")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/simulations", {
      success: Schema.Struct({ simulations: Schema.Array(Simulation) })
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe("List simulations", "The newest ten, with the progress of the one that runs, and their reports.")
      ),
    HttpApiEndpoint.post("simulate", "/api/ops/simulations", {
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({
        days: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: simulationDaysMax }))),
        faults: Schema.optionalKey(Schema.Boolean),
        demand: Schema.optionalKey(Schema.Boolean),
        reason
      }),
      success: [Schema.Struct({ simulation: Simulation }), dry],
      error: [InvalidField, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Simulate the coming days",
          "Plays the plan of the coming days (default 7, at most 31) through by the station's own rules, without sound, as a background job in a process of its own. The report tells gaps, late starts, separation, fairness and loudness, and which promises would be broken. faults adds missing sounds, holds, emergencies and late plans; demand the agents and listeners of a busy station. One at a time. npm run rehearse does the same.",
          { days: 7, reason: "before the new week" }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Simulations", description: "The coming days, played through." }))
