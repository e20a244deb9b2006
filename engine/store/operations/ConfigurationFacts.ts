import { Context, Effect, Layer } from "effect"
import { configurationLines, setupLines, StationConfig } from "../../runtime/Config.ts"

/** The configuration as operators see it: the environment of this process, without secrets. */
export class ConfigurationFacts extends Context.Service<
  ConfigurationFacts,
  {
    readonly lines: (changed: ReadonlySet<string>) => ReturnType<typeof configurationLines>
    readonly setup: () => ReturnType<typeof setupLines>
  }
>()("longwave/engine/store/ConfigurationFacts") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(StationConfig, (config) => ({ lines: configurationLines, setup: () => setupLines(config) }))
  )
}
