import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Busy, NotFound, SegmentNotFound, SubjectConflict, TrackNotFound } from "../../schema/Problems.ts"
import { Segment } from "../../schema/Segment.ts"
import { TrackStatus } from "../../schema/Track.ts"
import { OperatorAuth, RequiredRole } from "./Authorization.ts"
import { Reading } from "./Reading.ts"
import { neededReason, reason } from "./Reasons.ts"
import { idempotency } from "./Segments.ts"

const Judged = Schema.Union([
  Schema.Struct({ segment: Segment }),
  Schema.Struct({ track: Schema.Struct({ id: Schema.String, approvalStatus: TrackStatus }) })
])

const judgement = <const Name extends string, const Path extends `/${string}`, const Fields extends Schema.Struct.Fields>(name: Name, path: Path, fields: Fields, description: string) =>
  HttpApiEndpoint.post(name, path, {
    params: { type: Schema.Literals(["segment", "track"]), id: Schema.String }, headers: idempotency, payload: Schema.Struct(fields), success: Judged,
    error: [NotFound, SegmentNotFound, TrackNotFound, SubjectConflict, Busy]
  }).annotate(RequiredRole, "reviewer").annotate(OpenApi.Description, description)

/** What an operator may do with anything at any time, whatever was decided on it before. */
export const SubjectsApi = HttpApiGroup.make("subjects").add(
  judgement("remove", "/api/ops/subjects/:type/:id/remove", { reason: neededReason },
    "Takes it down for good: out of the queue and the rundown, off the air if it is being heard, and its copies out of sight. What was heard stays in the as-run log."),
  judgement("hold", "/api/ops/subjects/:type/:id/hold", { reason: neededReason },
    "Sets it aside: it leaves the rundown, or its copies are hidden if it has aired, until somebody releases it or decides on its review."),
  judgement("release", "/api/ops/subjects/:type/:id/release", { reason }, "Sets free what was held: back to the queue, the rotation, or to those who want to hear it again.")
).middleware(OperatorAuth).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Subjects", description: "Remove, hold, release." }))
