import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { defaultRotationSettings, settingsOver } from "../../rules/operations/Settings.ts"
import { StationConfig } from "../../runtime/Config.ts"
import { RotationSettings, SettingsPatch, type StationSettings } from "../../../schema/operations/Settings.ts"
import { at, msText } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

const found = rows(
  Schema.Struct({ name: Schema.String, value: Schema.Unknown, changedBy: Schema.String, changedAtMs: Schema.Finite })
)
const patchOf = Schema.decodeUnknownOption(SettingsPatch)
const rotationOf = Schema.decodeUnknownOption(RotationSettings)

interface Held {
  /** 0: never changed. */
  readonly version: number
  readonly changed: SettingsPatch
  readonly rotation: RotationSettings | null
  readonly rotationVersion: number
}

/**
 * The settings that operators change while the station runs. They are read from memory, because the planner and every submission ask for them;
 * the one process of the station that writes them keeps both alike.
 */
export class SettingsWriter extends Context.Service<SettingsWriter>()("longwave/engine/store/SettingsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const config = yield* StationConfig
    const configured: StationSettings = {
      openSignup: config.openSignup === "on",
      houseReads: config.houseReads === "on",
      musicAgentGeneration: config.musicAgentGeneration === "on",
      speechMinutesPerDay: config.speechMinutesPerDay
    }
    const stored = yield* found(
      sql`SELECT name, value, changed_by, ${sql.literal(msText("changed_at"))} AS changed_at_ms FROM settings`
    )
    const row = (name: string) => stored.find((each) => each.name === name)
    let held: Held = {
      version: row("station")?.changedAtMs ?? 0,
      changed: Option.getOrElse(patchOf(row("station")?.value), () => ({})),
      rotation: Option.getOrNull(rotationOf(row("rotation")?.value)),
      rotationVersion: row("rotation")?.changedAtMs ?? 0
    }
    /** Stores a value, in the caller's transaction; it is in force once that is committed. */
    const put = Effect.fnUntraced(function* (
      name: string,
      value: unknown,
      by: string,
      next: (version: number) => Held
    ) {
      // Later than the former version, so that an ETag is never used twice.
      const atMs = Math.max(yield* Clock.currentTimeMillis, held.version + 1, held.rotationVersion + 1)
      yield* run(sql`
        INSERT INTO settings (name, value, changed_by, changed_at) VALUES (${name}, ${JSON.stringify(value)}::text::jsonb, ${by}, ${at(atMs)})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_by = excluded.changed_by, changed_at = excluded.changed_at`)
      yield* sql.afterCommit(
        Effect.sync(() => {
          held = next(atMs)
        })
      )
      return atMs
    })
    const rotationNow = () => held.rotation ?? defaultRotationSettings(config.houseSeed)
    return {
      configured,
      current: Effect.sync(() => settingsOver(configured, held.changed)),
      changed: Effect.sync(() => held.changed),
      version: Effect.sync(() => held.version),
      rotation: Effect.sync(rotationNow),
      rotationVersion: Effect.sync(() => held.rotationVersion),
      change: (changed: SettingsPatch, by: string) =>
        put("station", changed, by, (version) => ({ ...held, changed, version })),
      turn: (rotation: RotationSettings, by: string) =>
        put("rotation", rotation, by, (rotationVersion) => ({ ...held, rotation, rotationVersion }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Settings extends Context.Service<
  Settings,
  Pick<SettingsWriter["Service"], "configured" | "current" | "changed" | "version" | "rotation" | "rotationVersion">
>()("longwave/engine/store/Settings") {
  static readonly layer = Layer.effect(this, SettingsWriter).pipe(Layer.provideMerge(SettingsWriter.layer))
}
