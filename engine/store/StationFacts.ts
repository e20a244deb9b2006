import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { StationConfig } from "../Config.ts"

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string }

/** Where a file below `/media/` is found. */
export const mediaUrl = (path: string | null, publicUrl: string): string | null => path === null ? null : `${publicUrl}/media/${path}`

/** What views need to know of the station as it was set up. */
export class StationFacts extends Context.Service<StationFacts, {
  readonly slug: string
  readonly name: string
  readonly tagline: string
  readonly timeZone: string
  readonly publicUrl: string
  readonly houseReads: boolean
  readonly planLeadMin: number
  readonly version: string
}>()("longwave/engine/store/StationFacts") {
  static readonly layer = Layer.effect(StationFacts, Effect.map(StationConfig, (config) =>
    StationFacts.of({
      slug: config.stationSlug, name: config.stationName, tagline: config.stationTagline, timeZone: config.timeZone, publicUrl: config.publicUrl,
      houseReads: config.houseReads === "on", planLeadMin: config.planLeadMin, version
    })))
}
