import { Effect, Layer } from "effect"
import { MusicProviders, ProviderFailed } from "../../../engine/ports/MusicProviders.ts"

/** A station whose operator configured no provider of music. */
export const NoProviders = Layer.succeed(
  MusicProviders,
  MusicProviders.of({
    all: [],
    states: Effect.succeed([]),
    make: ({ order: { provider } }) =>
      Effect.fail(new ProviderFailed({ provider, reason: "refused", detail: "There is none." }))
  })
)
