import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OperatorRole } from "../../schema/Operator.ts"
import { OperatorAuth } from "./Authorization.ts"
import { Reading } from "./Reading.ts"

/** Those who run the station, and how they prove it. */
export const OperatorsApi = HttpApiGroup.make("operators").add(
  HttpApiEndpoint.get("me", "/api/ops/me", { success: Schema.Struct({ operator: Schema.Struct({ name: Schema.String, role: OperatorRole }) }) })
).middleware(OperatorAuth).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Operators", description: "Sessions, tokens and roles." }))
