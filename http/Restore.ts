import { Console, Effect, Redacted, Schema } from "effect"
import { createWriteStream } from "node:fs"
import { mkdir, open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises"
import { randomBytes } from "node:crypto"
import { basename, dirname, join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { type BackupEntry, BackupRefused, readBackup } from "../engine/runtime/BackupFile.ts"
import { BadConfig, StationConfig } from "../engine/runtime/Config.ts"
import { holdDataDir } from "../engine/runtime/DataDir.ts"
import { fillDatabase, refuseFilled, refuseNewer, type TableRows } from "../engine/store/sql/DatabaseCopy.ts"
import { embeddedPostgres, stopLeftBehind } from "../engine/store/sql/EmbeddedPostgres.ts"
import { databaseFolder, manifestName, ManifestText, neededKey, progressOf } from "./Backup.ts"

const decodeManifest = Schema.decodeUnknownSync(ManifestText)
/** Files that a backup may hold: no name leaves the folder. */
const isFileName = (name: string): boolean =>
  /^(keys|media|spool)\//.test(name) &&
  !name.includes("\0") &&
  name.split("/").every((part) => !/^(|\.\.?)$/.test(part))

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      cause instanceof BackupRefused
        ? cause
        : new BackupRefused({
            detail: `Nothing was restored: ${cause instanceof Error ? cause.message : String(cause)}.`
          })
  })
const isAbsent = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

/** Removes a folder, and a database that is elsewhere because its user can't pass through the folders above. */
const removeFolder = async (folder: string): Promise<void> => {
  // A killed restore's children may still write until they notice.
  const whole = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }
  const database = await readlink(join(folder, "pg")).catch(() => null)
  if (database !== null) await rm(dirname(database), whole)
  await rm(folder, whole)
}

const refuseUsed = (dataDir: string) =>
  attempt(async () => {
    const found = await readdir(dataDir).catch((cause: unknown) =>
      isAbsent(cause) ? null : Promise.reject(cause as Error)
    )
    if (found === null) return
    if (found.length > 0)
      throw new BackupRefused({
        detail: `DATA_DIR is ${dataDir}: it isn't empty, it holds ${found[0]!}. Name an empty folder, or one that doesn't exist.`
      })
    if ((await stat(dataDir)).dev !== (await stat(dirname(dataDir))).dev)
      throw new BackupRefused({
        detail: `DATA_DIR is ${dataDir}: a disk is mounted there, so the folder can't be replaced. Name a folder on that disk.`
      })
  })

/** Leftovers of killed restores beside the folder. */
const removeLeftBehind = Effect.fnUntraced(function* (dataDir: string) {
  const left = yield* attempt(async () =>
    (await readdir(dirname(dataDir)).catch(() => [])).filter(
      (name) => name.startsWith(`${basename(dataDir)}.restore-`) && /-[0-9a-f]{16}$/.test(name)
    )
  )
  for (const name of left) {
    const folder = join(dirname(dataDir), name)
    yield* Effect.scoped(
      Effect.all([
        holdDataDir(folder),
        stopLeftBehind(folder),
        Effect.promise(() => removeFolder(folder).catch(() => undefined))
      ])
    ).pipe(Effect.ignore)
  }
})

const writeEntry = async (folder: string, { bytes, name }: BackupEntry, signal: AbortSignal): Promise<void> => {
  if (!isFileName(name)) throw new BackupRefused({ detail: `The backup holds ${name}, which no station has.` })
  const path = join(folder, ...name.split("/"))
  const isKey = name.startsWith("keys/")
  await mkdir(dirname(path), { recursive: true, mode: isKey ? 0o700 : 0o755 })
  const file = await open(path, "wx", isKey ? 0o600 : 0o644)
  await pipeline(bytes, createWriteStream(path, { fd: file, flush: true }), { signal })
}

/** Reads the whole file, and with it whether it is complete and unchanged; its files are laid into the folder. */
const unpackBackup = (path: string, key: string, folder: string) =>
  attempt(async (signal) => {
    const { size } = await stat(path)
    const reportProgress = progressOf(size)
    let manifest: typeof ManifestText.Type | null = null
    let databaseBytes = 0
    for await (const { bytes, name } of readBackup(path, key)) {
      signal.throwIfAborted()
      const counted = (async function* () {
        for await (const block of bytes) {
          reportProgress(name, block.length)
          yield block
        }
      })()
      if (manifest === null) {
        if (name !== manifestName) throw new BackupRefused({ detail: `${path} doesn't begin with its manifest.` })
        const text: Array<Uint8Array> = []
        for await (const block of counted) text.push(block)
        manifest = decodeManifest(Buffer.concat(text).toString("utf8"))
      } else if (name.startsWith(databaseFolder)) for await (const block of counted) databaseBytes += block.length
      else await writeEntry(folder, { name, bytes: counted }, signal)
    }
    if (manifest === null) throw new BackupRefused({ detail: `${path} is empty.` })
    return { databaseBytes, manifest }
  })

/** The rows of each table. Prints how far the database is filled. */
const tablesOf = async function* (path: string, key: string, databaseBytes: number): AsyncGenerator<TableRows> {
  const reportProgress = progressOf(databaseBytes)
  for await (const { bytes, name } of readBackup(path, key)) {
    if (name === manifestName) continue
    if (!name.startsWith(databaseFolder)) return
    const table = name.slice(databaseFolder.length)
    const counted = (async function* () {
      for await (const block of bytes) {
        reportProgress(table, block.length)
        yield block
      }
    })()
    yield { table, bytes: counted }
  }
}

/** Makes a station from a backup, in a folder beside `DATA_DIR` that takes its place at the end. An interrupted restore leaves no `DATA_DIR`. */
export const restore = Effect.fnUntraced(function* (file: string) {
  const key = yield* neededKey
  const config = yield* StationConfig
  const { databaseUrl, masterKey, s3Bucket } = config
  const dataDir = yield* attempt(() => realpath(config.dataDir).catch(() => resolve(config.dataDir)))
  const path = resolve(file)
  yield* refuseUsed(dataDir)
  if (databaseUrl !== null) yield* refuseFilled(Redacted.make(databaseUrl))
  yield* removeLeftBehind(dataDir)
  const folder = `${dataDir}.restore-${randomBytes(8).toString("hex")}`
  yield* Effect.addFinalizer(() => Effect.promise(() => removeFolder(folder).catch(() => undefined)))
  const manifest = yield* Effect.scoped(
    Effect.gen(function* () {
      yield* holdDataDir(folder)
      yield* Console.log(`Restoring ${path}`)
      const { databaseBytes, manifest } = yield* unpackBackup(path, key, folder)
      yield* refuseNewer(manifest.database)
      if (masterKey === null && !(yield* attempt(async () => (await readdir(join(folder, "keys"))).includes("master"))))
        return yield* new BadConfig({
          problems: ["MASTER_KEY is missing: it must be that of the station that was backed up, which had one."]
        })
      yield* Console.log("  the file is complete and unchanged; filling the database")
      const url = databaseUrl === null ? yield* embeddedPostgres(folder) : Redacted.make(databaseUrl)
      yield* fillDatabase(url, manifest.database, tablesOf(path, key, databaseBytes))
      return manifest
    })
  )
  yield* attempt(() => rename(folder, dataDir))
  yield* Console.log(
    [
      `  ${manifest.database.tables.length} tables and ${manifest.files} files, as of ${new Date(manifest.madeAtMs).toISOString()}, are in ${dataDir}`,
      ...(s3Bucket === null ? [] : ["  Not among them: the objects of S3_BUCKET."]),
      "  Start the station: npm start",
      ""
    ].join("\n")
  )
}, Effect.scoped)
