import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MusicProviderState } from "../../../schema/music/MusicProvider.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"

/** A provider as operators see it, with what it cost at the stated price. */
const Provider = Schema.Struct({
  ...Struct.omit(MusicProviderState.fields, ["lastFailure"]),
  lastFailure: Schema.NullOr(Schema.Struct({ reason: Schema.String, detail: Schema.String, at: Schema.String })),
  costUsd: Schema.NullOr(Schema.Finite)
})

/** Operators' view of the providers of music. */
export const MusicProvidersApi = HttpApiGroup.make("musicProviders")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/music/providers", {
      success: Schema.Struct({ providers: Schema.Array(Provider) })
    })
      .annotate(RequiredRole, "viewer")
      .annotateMerge(
        describe(
          "List the providers of music",
          "The configured providers that make music for agents, their health, last failure and use since the start. One that is out rests after three failures in a row; requests for it wait. The station's own composer is not listed."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Providers of music", description: "What makes music for agents elsewhere." })
  )
