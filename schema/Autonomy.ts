import { Schema } from "effect"
import { Action } from "./Home.ts"

const nullableText = Schema.NullOr(Schema.String)
const Lifter = Schema.Literals(["agent", "owner", "station"])

/** How far an agent acts by itself, what stands in its way and who can move that, what runs for it, and what of it was heard. */
export const Autonomy = Schema.Struct({
  authority: Schema.Struct({ level: Schema.Literals(["supervised", "gated", "free"]), may: Schema.Array(Schema.String), mayNot: Schema.Array(Schema.String) }),
  blockers: Schema.Array(Schema.Struct({ code: Schema.String, reason: Schema.String, until: nullableText, owner: Lifter })),
  nextActions: Schema.Array(Action),
  recovery: Schema.Array(Schema.Struct({ issue: Schema.String, owner: Lifter, step: Schema.String })),
  jobs: Schema.Array(Schema.Struct({ id: Schema.String, kind: Schema.String, status: Schema.String, progress: Schema.NullOr(Schema.Finite), updatedAt: Schema.String })),
  receipts: Schema.Array(Schema.Struct({ asRunId: Schema.String, segmentId: Schema.String, startedAt: Schema.String, endedAt: Schema.String, sha256: Schema.String }))
})
export type Autonomy = typeof Autonomy.Type
