import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { reasonCharsMax } from "../../engine/Limits.ts"
import { ActorNode } from "../../schema/ActorTree.ts"
import { Busy, InvalidField } from "../../schema/Problems.ts"
import { RundownLine } from "../../schema/Rundown.ts"
import { OperatorRole } from "../../schema/Operator.ts"
import { OperatorAuth, RequiredRole } from "./Authorization.ts"
import { text } from "./Inputs.ts"
import { Reading } from "./Reading.ts"

const Rundown = Schema.Struct({
  revision: Schema.Int,
  held: Schema.Boolean,
  emergency: Schema.Boolean,
  onAir: Schema.NullOr(RundownLine),
  items: Schema.Array(RundownLine)
})

const payload = Schema.Struct({ reason: Schema.optionalKey(Schema.NullOr(text(reasonCharsMax))), itemId: Schema.optionalKey(Schema.NullOr(Schema.String)) })

const command = <const Name extends string, const Path extends `/${string}`>(name: Name, path: Path) =>
  HttpApiEndpoint.post(name, path, { payload, success: Schema.Struct({ rundown: Rundown }), error: [Busy] }).annotate(RequiredRole, "producer")

export const AsRunExport = Schema.Struct({
  id: Schema.String,
  firstSample: Schema.Int,
  lastSample: Schema.Int,
  startedAt: Schema.String,
  text: Schema.String,
  prevHash: Schema.String,
  hash: Schema.String,
  signature: Schema.String
})

/** What those who run the station do to what is on the air, and what they see of it. */
export const PlayoutApi = HttpApiGroup.make("playout")
  .add(
    HttpApiEndpoint.get("me", "/api/ops/me", { success: Schema.Struct({ operator: Schema.Struct({ name: Schema.String, role: OperatorRole }) }) }),
    HttpApiEndpoint.get("rundown", "/api/ops/rundown", { success: Schema.Struct({ rundown: Rundown }), error: [Busy] }),
    HttpApiEndpoint.get("actors", "/api/ops/actors", { success: Schema.Struct({ actors: Schema.Array(ActorNode) }) }),
    HttpApiEndpoint.get("asRun", "/api/ops/as-run", {
      query: { day: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)), format: Schema.optionalKey(Schema.Literal("json")) },
      success: Schema.Struct({ rows: Schema.Array(AsRunExport) }),
      error: [InvalidField]
    }),
    command("skip", "/api/ops/playout/skip"),
    command("hold", "/api/ops/playout/hold"),
    command("resume", "/api/ops/playout/resume"),
    command("emergency", "/api/ops/playout/emergency"),
    command("clearEmergency", "/api/ops/playout/emergency/clear")
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Playout", description: "Skip, hold, emergency; the rundown, the actors, the as-run log." }))
