import { Clock, Effect, Ref, Schema } from "effect"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Backups } from "../../engine/ports/Backups.ts"
import { backupFile } from "../../engine/rules/operations/Backup.ts"
import { backupsKept, backupTriesMax } from "../../engine/rules/operations/limits.ts"
import { readBackup } from "../../engine/runtime/BackupFile.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { BackupRecordsWriter } from "../../engine/store/operations/BackupRecords.ts"
import type { BackupCheck } from "../../schema/operations/Backup.ts"
import { iso } from "../../schema/time/Instant.ts"
import { backOff, jobHandler } from "../runtime/Jobs.ts"
import { withProgress } from "../runtime/UnderWay.ts"
import { CheckBackup, MakeBackup } from "./protocol/Jobs.ts"

const Manifest = Schema.fromJsonString(Schema.Struct({ madeAtMs: Schema.Finite }))
const failure = (cause: unknown) =>
  new Error(
    typeof cause === "object" && cause !== null && "detail" in cause
      ? String(cause.detail)
      : cause instanceof Error
        ? cause.message
        : String(cause)
  )
const tryOnDisk = <A>(run: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: run, catch: failure })

const pathOf = Effect.fnUntraced(function* (id: string) {
  const folder = join((yield* StationConfig).dataDir, "backups")
  yield* tryOnDisk(() => mkdir(folder, { recursive: true, mode: 0o700 }))
  return join(folder, backupFile(id))
})
const hashOf = async (path: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash("sha256")
  for await (const block of createReadStream(path, { signal })) hash.update(block as Buffer)
  return hash.digest("hex")
}

/** A killed try left an unfinished file, which the next one replaces. A finished one is found by its name. */
const makeBackup = jobHandler(MakeBackup, {
  triesMax: backupTriesMax,
  restMs: backOff(30_000, 300_000),
  work: Effect.fnUntraced(function* ({ id }) {
    const backups = yield* BackupRecordsWriter
    const found = yield* backups.find(id)
    if (found === null || found.state === "made") return
    const path = yield* pathOf(id)
    const reached = yield* Ref.make(0)
    const told = Effect.forever(
      Effect.andThen(
        Effect.flatMap(Ref.get(reached), (percent) => backups.progress(id, percent)),
        Effect.sleep("2 seconds")
      )
    )
    const isThere = yield* tryOnDisk(() => stat(path).then(() => true)).pipe(Effect.catch(() => Effect.succeed(false)))
    if (!isThere)
      yield* Effect.raceFirst(
        Effect.mapError(
          (yield* Backups).make(path, (percent) => Effect.runSync(Ref.set(reached, percent))),
          failure
        ),
        told
      )
    const { size } = yield* tryOnDisk(() => stat(path))
    const sha256 = yield* tryOnDisk((signal) => hashOf(path, signal))
    yield* backups.markMade(id, { bytes: size, sha256 }, yield* Clock.currentTimeMillis)
    for (const old of yield* backups.surplus(backupsKept)) {
      yield* tryOnDisk(async () => rm(await Promise.resolve(join(path, "..", backupFile(old.id))), { force: true }))
      yield* backups.remove(old.id)
    }
  }),
  giveUp: ({ id }, why) =>
    Effect.gen(function* () {
      yield* (yield* BackupRecordsWriter).markFailed(id, why, yield* Clock.currentTimeMillis)
    })
})

/** Reads the whole file as a restore does, and keeps nothing of it. */
const readAll = (path: string, key: string, told: (percent: number) => void) =>
  tryOnDisk(async (signal) => {
    const { size } = await stat(path)
    let read = 0
    let manifest: Array<Uint8Array> | null = null
    let [tables, files] = [0, 0]
    for await (const { bytes, name } of readBackup(path, key)) {
      const text: Array<Uint8Array> = []
      for await (const block of bytes) {
        signal.throwIfAborted()
        read += block.length
        told(Math.min(99, Math.floor((read / size) * 100)))
        if (manifest === null) text.push(block)
      }
      if (manifest === null) manifest = text
      else if (name.startsWith("database/")) tables++
      else files++
    }
    const { madeAtMs } = Schema.decodeUnknownSync(Manifest)(Buffer.concat(manifest ?? []).toString("utf8"))
    return { madeAt: iso(madeAtMs), tables, files }
  })

const checkBackup = jobHandler(CheckBackup, {
  triesMax: backupTriesMax,
  restMs: backOff(30_000, 300_000),
  work: Effect.fnUntraced(function* ({ id }) {
    const { backupKey } = yield* StationConfig
    const backups = yield* BackupRecordsWriter
    const path = yield* pathOf(id)
    const checkedAt = iso(yield* Clock.currentTimeMillis)
    const failedCheck = (detail: string): BackupCheck => ({
      ok: false,
      detail,
      checkedAt,
      madeAt: null,
      tables: 0,
      files: 0
    })
    const verdict = yield* backupKey === null
      ? Effect.succeed(failedCheck("BACKUP_KEY is not set."))
      : withProgress({ kind: "backup_check", subject: id }, (told) =>
          readAll(path, backupKey, (percent) => Effect.runSync(told(percent, 100)))
        ).pipe(
          Effect.map((read): BackupCheck => ({ ok: true, detail: null, checkedAt, ...read })),
          Effect.catch((error) => Effect.succeed(failedCheck(error.message)))
        )
    yield* backups.verdict(id, verdict)
  })
})

export const backupJobs = [makeBackup, checkBackup] as const
