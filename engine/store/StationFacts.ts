import { Context, Effect, Layer } from "effect"
import { StationConfig } from "../Config.ts"

/** What views need to know of the station: its name in addresses, and where it is reached. */
export class StationFacts extends Context.Service<StationFacts, { readonly slug: string; readonly publicUrl: string; readonly houseReads: boolean }>()("longwave/engine/store/StationFacts") {
  static readonly layer = Layer.effect(StationFacts, Effect.map(StationConfig, (config) =>
    StationFacts.of({ slug: config.stationSlug, publicUrl: config.publicUrl, houseReads: config.houseReads === "on" })))
}
