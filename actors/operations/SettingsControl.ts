import { Effect } from "effect"
import { settingsOver } from "../../engine/rules/operations/Settings.ts"
import { findSetupFaults, setupAfter, setupLines, StationConfig, stationFacts } from "../../engine/runtime/Config.ts"
import { writeSetup } from "../../engine/runtime/SetupFile.ts"
import { SettingsWriter } from "../../engine/store/operations/Settings.ts"
import { InvalidField, PreconditionFailed } from "../../schema/Problems.ts"
import type { RotationSettings, SettingsPatch, SetupLine, SetupPatch } from "../../schema/operations/Settings.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { replan } from "../runtime/StationQueue.ts"

interface Asked extends Act {
  readonly seen?: string | null
}
/** Names of fields with another value. */
const listDiffering = (before: object, after: object): ReadonlyArray<string> =>
  Object.entries(after).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify((before as Record<string, unknown>)[name]) ? [] : [name]
  )
const requireUnchanged = (what: string, version: number, seen: string | null | undefined) =>
  seen == null || seen === String(version)
    ? Effect.void
    : Effect.fail(
        new PreconditionFailed({
          detail: `The ${what} changed since you read them. Read them again, then change them.`,
          errors: [{ pointer: "/headers/if-match", code: "PRECONDITION_FAILED", detail: "is an older version" }],
          version: String(version),
          differences: []
        })
      )

/** Operators' handlers for settings. One mailbox: changes come one after the other. */
export const settingsControl = {
  ChangeSettings: Effect.fnUntraced(function* ({
    payload: { actor, patch, reason, seen }
  }: {
    readonly payload: Asked & { readonly patch: SettingsPatch }
  }) {
    const settings = yield* SettingsWriter
    const { slug } = yield* stationFacts
    return yield* command({
      run: Effect.gen(function* () {
        yield* settings.refresh
        yield* requireUnchanged("settings", yield* settings.version, seen)
        const former = yield* settings.changed
        const before = settingsOver(settings.configured, former)
        const changed: SettingsPatch = { ...former, ...patch }
        const after = settingsOver(settings.configured, changed)
        const version = yield* settings.change(changed, actor)
        const names = listDiffering(before, after)
        const pickNamed = (all: object) =>
          Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
        yield* record(
          { actor, reason },
          "settings.change",
          { type: "settings", id: slug },
          pickNamed(before),
          pickNamed(after)
        )
        return { settings: after, version }
      })
    })
  }),
  ChangeSetup: Effect.fnUntraced(function* ({
    payload: { actor, patch, reason }
  }: {
    readonly payload: Act & { readonly patch: SetupPatch }
  }) {
    const config = yield* StationConfig
    const faults = findSetupFaults(patch)
    if (faults.length > 0)
      return yield* new InvalidField({
        detail: "A value can't be used.",
        errors: faults.map(({ detail, key }) => ({ pointer: `/${key}`, code: "INVALID_FIELD", detail }))
      })
    return yield* command({
      run: Effect.gen(function* () {
        const before = setupLines(config)
        const values = setupAfter(config, patch)
        // A transaction that is taken back after this leaves a file that no row of the audit log names; the next start shows it.
        if (!(yield* isDryRun)) yield* Effect.promise(() => writeSetup(config.dataDir, values))
        const tell = (lines: ReadonlyArray<SetupLine>) =>
          Object.fromEntries(
            lines.flatMap(({ isWritten, key, written }) =>
              key in patch ? [[key, written ?? (isWritten ? "a secret" : null)]] : []
            )
          )
        const after = setupLines(config)
        yield* record(
          { actor, reason },
          "setup.change",
          { type: "settings", id: (yield* stationFacts).slug },
          tell(before),
          tell(after)
        )
        return after
      })
    })
  }),
  ChangeRotation: Effect.fnUntraced(function* ({
    payload: { actor, reason, rotation, seen }
  }: {
    readonly payload: Asked & { readonly rotation: RotationSettings }
  }) {
    const settings = yield* SettingsWriter
    const { slug } = yield* stationFacts
    return yield* command({
      run: Effect.gen(function* () {
        yield* settings.refresh
        yield* requireUnchanged("rules of rotation", yield* settings.rotationVersion, seen)
        const before = yield* settings.rotation
        const version = yield* settings.turn(rotation, actor)
        yield* record({ actor, reason }, "rotation.change", { type: "rotation", id: slug }, before, rotation)
        return { rotation, version }
      }),
      after: (done) => Effect.as(replan, done)
    })
  })
}
