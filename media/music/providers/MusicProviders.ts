import { Effect, Layer } from "effect"
import { MusicProviders, ProviderFailed } from "../../../engine/ports/MusicProviders.ts"

/** The configured providers. */
export const MusicProvidersLive = Layer.succeed(
  MusicProviders,
  MusicProviders.of({
    all: [],
    make: ({ order: { provider } }) =>
      Effect.fail(new ProviderFailed({ provider, reason: "refused", detail: `There is no provider ${provider}.` }))
  })
)
