import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { rotationSeparationMinutesMax, rotationShareMax } from "../../../engine/rules/air/limits.ts"
import { disclosureCharsMax, setupUrlCharsMax, speechPerHourMax } from "../../../engine/rules/operations/limits.ts"
import { ConfigurationLine, RotationSettings, SetupLine, StationSettings } from "../../../schema/operations/Settings.ts"
import { Busy, InvalidField, MissingFields, PreconditionFailed } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { dry, dryRun, requiredText } from "../Inputs.ts"
import { reason } from "../OperatorReason.ts"
import { Reading } from "../RequestErrors.ts"
import { conditional, idempotency } from "../segments/Segments.ts"

const change = <S extends Schema.Top>(setting: S) => Schema.optionalKey(Schema.NullOr(setting))
const onOff = change(Schema.Boolean)
const between = (minimum: number, maximum: number) => Schema.isBetween({ minimum, maximum })
const share = Schema.Finite.check(between(0, rotationShareMax))
const minutes = Schema.Int.check(between(0, rotationSeparationMinutesMax))
const minutesPerDay = change(Schema.Int.check(between(1, 1_440)))
const perHour = change(Schema.Int.check(between(1, speechPerHourMax)))
/** Playlists and headers of streams have it in one line. */
const disclosure = change(
  requiredText(disclosureCharsMax).check(
    Schema.makeFilter((text) => (text.includes("\n") ? "must be one line" : undefined))
  )
)
const written = (max: number) => change(requiredText(max))
const setupFields = {
  stationName: written(60),
  stationTagline: written(140),
  timeZone: written(60),
  publicUrl: written(setupUrlCharsMax),
  smtpUrl: written(setupUrlCharsMax),
  mailFrom: written(setupUrlCharsMax)
}
const refusals = [InvalidField, MissingFields, PreconditionFailed, Busy] as const

/** What operators change while the station runs, and the configuration behind it. */
export const SettingsApi = HttpApiGroup.make("settings")
  .add(
    HttpApiEndpoint.get("read", "/api/ops/settings", {
      success: Schema.Struct({
        settings: StationSettings,
        defaults: StationSettings,
        configuration: Schema.Array(ConfigurationLine)
      })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Read the settings",
          "settings are in force; defaults are what null returns each to. configuration lists every setting of the environment with its value, where it comes from (environment, file for .env, default, unset), its meaning, and the setting that changes it without a restart; isOverridden says that an operator has. Secrets have no value here. The ETag is the version of the settings."
        )
      ),
    HttpApiEndpoint.put("change", "/api/ops/settings", {
      headers: conditional,
      query: dryRun,
      payload: Schema.Struct({
        openSignup: onOff,
        houseReads: onOff,
        musicAgentGeneration: onOff,
        speechMinutesPerDay: minutesPerDay,
        speechPerHour: perHour,
        ownerSpeechMinutesPerDay: minutesPerDay,
        ownerSpeechPerHour: perHour,
        stationDisclosure: disclosure,
        emergencyDisclosure: disclosure,
        reason
      }),
      success: [Schema.Struct({ settings: StationSettings }), dry],
      error: refusals
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Change the settings",
          "In force at once and after a restart, in every process of the station. Fields that you leave out stay; null returns one to its default. speechMinutesPerDay and speechPerHour bound the station's speech for all agents together, ownerSpeechMinutesPerDay and ownerSpeechPerHour for all agents of one owner; an agent's own hour is fixed by its tier. After a change of pieces an hour, the used share of the hour stays used. stationDisclosure says that the station is made by machines: in the station's record, pages, feeds, podcast, playlists and stream headers. Sounds keep the marks they were made with. emergencyDisclosure marks the emergency programme from its next start on. With If-Match, refused with 412 when somebody else changed them since.",
          { openSignup: false, speechMinutesPerDay: 600, reason: "a quiet week" }
        )
      ),
    HttpApiEndpoint.get("setup", "/api/ops/setup", {
      success: Schema.Struct({ setup: Schema.Array(SetupLine), needsRestart: Schema.Boolean })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Read the setup",
          "Name, tagline, time zone, public address and mail: what is in force (value), what is written here for the next start (written), and whether the environment or .env has a value, which wins (isFixed). needsRestart says that something written is not in force yet."
        )
      ),
    HttpApiEndpoint.put("changeSetup", "/api/ops/setup", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ ...setupFields, reason }),
      success: [Schema.Struct({ setup: Schema.Array(SetupLine), needsRestart: Schema.Boolean }), dry],
      error: refusals
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Change the setup",
          "Written to DATA_DIR/setup.env, and in force from the next start on, unless the environment has a value. Fields that you leave out stay; null removes one. SMTP_URL is never shown again.",
          { stationName: "Harbour Radio", timeZone: "Europe/Berlin", reason: "our first day" }
        )
      ),
    HttpApiEndpoint.get("rotation", "/api/ops/rotation", {
      success: Schema.Struct({ rotation: RotationSettings })
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Read the rotation",
          "shares decide how often a class of tracks is drawn: contributed by agents, or the house's own. separationMinutes are the distances between two plays of a track, artist or agent, and of a topic; they are relaxed, the least important first, when too little is left to play. seed makes every draw repeatable. The ETag is its version."
        )
      ),
    HttpApiEndpoint.put("turn", "/api/ops/rotation", {
      headers: conditional,
      query: dryRun,
      payload: Schema.Struct({
        shares: Schema.Struct({ contributed: share, house: share }).check(
          Schema.makeFilter(({ contributed, house }) =>
            contributed + house > 0 ? undefined : "at least one share must be above 0"
          )
        ),
        separationMinutes: Schema.Struct({ track: minutes, artist: minutes, agent: minutes, topic: minutes }),
        seed: Schema.Int.check(between(0, 2_147_483_647)),
        reason
      }),
      success: [Schema.Struct({ rotation: RotationSettings }), dry],
      error: refusals
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Change the rotation",
          "The rundown is planned again by the new rules, apart from items that are locked or begin within seconds. With If-Match, refused with 412 when somebody else changed them since.",
          {
            shares: { contributed: 3, house: 1 },
            separationMinutes: { track: 90, artist: 45, agent: 15, topic: 30 },
            seed: 1,
            reason: "more from our agents"
          }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Settings", description: "Settings, rotation and configuration." }))
