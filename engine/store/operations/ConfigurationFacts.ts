import { Context, Layer } from "effect"
import { configurationLines } from "../../runtime/Config.ts"

/** The configuration as operators see it: the environment of this process, without secrets. */
export class ConfigurationFacts extends Context.Service<
  ConfigurationFacts,
  { readonly lines: (changed: ReadonlySet<string>) => ReturnType<typeof configurationLines> }
>()("longwave/engine/store/ConfigurationFacts") {
  static readonly layer = Layer.succeed(this, { lines: configurationLines })
}
