import { Clock, Context, Effect, Layer, Option, Queue, Schedule, Schema, Stream, SubscriptionRef } from "effect"
import { SqlClient } from "effect/sql"
import { settingsKnownMs, settingsRetryMs } from "../../rules/operations/limits.ts"
import { defaultRotationSettings, ownDefaults, settingsOver } from "../../rules/operations/Settings.ts"
import { StationConfig } from "../../runtime/Config.ts"
import { RotationSettings, SettingsPatch, type StationSettings } from "../../../schema/operations/Settings.ts"
import { Changes, Sources } from "../sql/Changes.ts"
import { isShared } from "../sql/sharedDatabase.ts"
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

/** What answers are made from that use a setting. Noted after the memory has the change, so that no answer is kept with the former one. */
const source: ReadonlySet<string> = new Set(["@settings"])

/**
 * The settings that operators change while the station runs. They are read from memory, because the planner and every submission ask for
 * them. A process that changes them changes its memory at the commit, and the others read them again at its notice, and
 * every `settingsKnownMs`, should they not have heard of it.
 */
export class SettingsWriter extends Context.Service<SettingsWriter>()("longwave/engine/store/SettingsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const config = yield* StationConfig
    const configured: StationSettings = {
      openSignup: config.openSignup === "on",
      houseReads: config.houseReads === "on",
      musicAgentGeneration: config.musicAgentGeneration === "on",
      speechMinutesPerDay: config.speechMinutesPerDay,
      ...ownDefaults
    }
    const read = Effect.gen(function* () {
      const stored = yield* found(
        sql`SELECT name, value, changed_by, ${sql.literal(msText("changed_at"))} AS changed_at_ms FROM settings`
      )
      const row = (name: string) => stored.find((each) => each.name === name)
      const all: Held = {
        version: row("station")?.changedAtMs ?? 0,
        changed: Option.getOrElse(patchOf(row("station")?.value), () => ({})),
        rotation: Option.getOrNull(rotationOf(row("rotation")?.value)),
        rotationVersion: row("rotation")?.changedAtMs ?? 0
      }
      return all
    })
    const memory = yield* SubscriptionRef.make(yield* read)
    const changes = yield* Changes
    const hold = (next: (held: Held) => Held) =>
      Effect.andThen(
        SubscriptionRef.update(memory, next),
        Effect.sync(() => changes.note(source))
      )
    const changedElsewhere = yield* Queue.sliding<void>(1)
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        changes.listen((names, isElsewhere) => {
          if (isElsewhere && (names === null || names.has("settings"))) Queue.offerUnsafe(changedElsewhere, undefined)
        })
      ),
      (unlisten) => Effect.sync(unlisten)
    )
    /** A change that was committed during the read is newer than what the read found. */
    const holdNewer = Effect.fnUntraced(function* (all: Held) {
      const isNewer = (now: Held) => all.version > now.version || all.rotationVersion > now.rotationVersion
      if (isNewer(yield* SubscriptionRef.get(memory)))
        yield* hold((now) => {
          const { changed, version } = all.version > now.version ? all : now
          const { rotation, rotationVersion } = all.rotationVersion > now.rotationVersion ? all : now
          return { changed, version, rotation, rotationVersion }
        })
    })
    const called = Queue.take(changedElsewhere)
    yield* (isShared(sql) ? Effect.timeoutOption(called, settingsKnownMs) : called).pipe(
      Effect.andThen(
        read.pipe(
          Effect.catchDefect((fault) => Effect.fail(fault)),
          Effect.tapError((fault) =>
            Effect.logWarning("the settings that another process changed can't be read", fault)
          ),
          Effect.retry(Schedule.spaced(settingsRetryMs)),
          Effect.orDie
        )
      ),
      Effect.flatMap(holdNewer),
      Effect.forever,
      Effect.forkScoped
    )
    /** The settings in memory. The answer that reads them is made again after a change. */
    const held = Effect.withFiber<Held>((fiber) => {
      fiber.getRef(Sources)?.push(source)
      return SubscriptionRef.get(memory)
    })
    /** Stores a value, in the caller's transaction; it is in force once that is committed. */
    const put = Effect.fnUntraced(function* (
      name: string,
      value: unknown,
      by: string,
      next: (held: Held, version: number) => Held
    ) {
      const { rotationVersion, version } = yield* held
      // Later than the former version, so that an ETag is never used twice.
      const atMs = Math.max(yield* Clock.currentTimeMillis, version + 1, rotationVersion + 1)
      yield* run(sql`
        INSERT INTO settings (name, value, changed_by, changed_at) VALUES (${name}, ${JSON.stringify(value)}::text::jsonb, ${by}, ${at(atMs)})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_by = excluded.changed_by, changed_at = excluded.changed_at`)
      yield* sql.afterCommit(hold((now) => next(now, atMs)))
      return atMs
    })
    const inForce = ({ changed }: Held) => settingsOver(configured, changed)
    return {
      configured,
      /** Reads the stored settings, because another process may have changed them. Call it before a change. */
      refresh: isShared(sql) ? Effect.flatMap(read, holdNewer) : Effect.void,
      current: Effect.map(held, inForce),
      /** The settings in force, now and after every change. */
      inForce: Stream.map(SubscriptionRef.changes(memory), inForce),
      changed: Effect.map(held, ({ changed }) => changed),
      version: Effect.map(held, ({ version }) => version),
      rotation: Effect.map(held, ({ rotation }) => rotation ?? defaultRotationSettings(config.houseSeed)),
      rotationVersion: Effect.map(held, ({ rotationVersion }) => rotationVersion),
      change: (changed: SettingsPatch, by: string) =>
        put("station", changed, by, (now, version) => ({ ...now, changed, version })),
      turn: (rotation: RotationSettings, by: string) =>
        put("rotation", rotation, by, (now, rotationVersion) => ({ ...now, rotation, rotationVersion }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Settings extends Context.Service<
  Settings,
  Pick<
    SettingsWriter["Service"],
    "configured" | "current" | "inForce" | "changed" | "version" | "rotation" | "rotationVersion"
  >
>()("longwave/engine/store/Settings") {
  static readonly layer = Layer.effect(this, SettingsWriter).pipe(Layer.provideMerge(SettingsWriter.layer))
}
