import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { providersOf } from "../../rules/music/MusicPrompt.ts"
import { paidSpeechEngines } from "../../rules/voices/limits.ts"
import { configuredMusicProviders, StationConfig } from "../../runtime/Config.ts"

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  readonly version: string
}

/** Configuration of the station that views need. */
export class StationFacts extends Context.Service<StationFacts>()("longwave/engine/store/StationFacts", {
  make: Effect.map(StationConfig, (config) => ({
    slug: config.stationSlug,
    name: config.stationName,
    tagline: config.stationTagline,
    timeZone: config.timeZone,
    publicUrl: config.publicUrl,
    musicProviders: providersOf(configuredMusicProviders(config)),
    /** Engines of paid providers that the operator set up. */
    paidSpeech: paidSpeechEngines.filter((name) => config[`${name}Key`] !== null),
    /** Ways in which a person can sign in. */
    signIn: [
      ...(config.oidcAIssuer !== null || config.oidcBIssuer !== null ? (["provider"] as const) : []),
      ...(config.smtpUrl !== null ? (["mail"] as const) : [])
    ],
    planLeadMin: config.planLeadMin,
    version
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
