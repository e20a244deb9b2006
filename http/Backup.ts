import { Clock, Console, Effect, Schema } from "effect"
import { createReadStream } from "node:fs"
import { cp, link, mkdir, open, readdir, rm, rmdir, stat, statfs } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { type BackupEntry, BackupRefused, partOf, writeBackup } from "../engine/runtime/BackupFile.ts"
import { BadConfig, StationConfig } from "../engine/runtime/Config.ts"
import { holdDataDir } from "../engine/runtime/DataDir.ts"
import { Contents, snapshotOf } from "../engine/store/sql/DatabaseCopy.ts"
import { ownStore } from "./simulation/OwnStore.ts"

/** First entry of a backup. */
export const Manifest = Schema.Struct({
  madeAtMs: Schema.Finite,
  files: Schema.Int,
  bytes: Schema.Finite,
  database: Contents
})
export const ManifestText = Schema.fromJsonString(Manifest)
export const manifestName = "manifest.json"
/** Rows of each table are an entry of this folder, files have their names below `DATA_DIR`. */
export const databaseFolder = "database/"

const isAbsent = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"
const tryOnDisk = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new BackupRefused({ detail: `No backup was made: ${(cause as Error).message}.` })
  })

export const neededKey = Effect.gen(function* () {
  const { backupKey } = yield* StationConfig
  return backupKey === null
    ? yield* new BadConfig({
        problems: ["BACKUP_KEY is missing: it must be the key that encrypts the backup, at least 16 characters."]
      })
    : backupKey
})

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
/** Prints the progress through `bytes`, at every tenth: how much of how much. */
export const progressOf = (bytes: number) => {
  let done = 0
  let tenth = 0
  return (name: string, more: number): void => {
    done += more
    const reached = Math.min(9, Math.floor((done / bytes) * 10))
    if (reached <= tenth) return
    tenth = reached
    process.stdout.write(`  ${tenth * 10} %  ${megabytes(done)} of ${megabytes(bytes)}  ${name}\n`)
  }
}

interface Kept {
  /** Below `DATA_DIR`. */
  readonly name: string
  readonly path: string
  readonly bytes: number
}

const filesBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) =>
    isAbsent(cause) ? [] : Promise.reject(cause as Error)
  )
  return entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
}
const keptOf = async (dataDir: string, path: string, name = relative(dataDir, path)): Promise<Kept> => ({
  name: name.split(sep).join("/"),
  path,
  bytes: (await stat(path)).size
})

/** Sounds have the id of their asset; files that somebody is writing begin with a dot or end in `.part`. */
const isMediaOf =
  (assets: ReadonlySet<string>) =>
  (name: string): boolean => {
    const parts = name.split(sep)
    const sound = /^([^/]+)\.(flac|mp3)$/.exec(name)?.[1]
    return (
      parts.every((part) => !part.startsWith(".")) &&
      !parts.at(-1)!.endsWith(".part") &&
      (sound === undefined || assets.has(sound))
    )
  }

/**
 * The media that the snapshot names, under second names: a station that runs may remove a file before its turn comes. Where the disk has no
 * second names, they are read in place.
 */
const mediaOf = async (dataDir: string, work: string, assets: ReadonlySet<string>): Promise<ReadonlyArray<Kept>> => {
  const media = join(dataDir, "media")
  const kept: Array<Kept> = []
  for (const path of await filesBelow(media)) {
    const name = relative(media, path)
    if (!isMediaOf(assets)(name)) continue
    const second = join(work, "media", name)
    await mkdir(dirname(second), { recursive: true })
    const isLinked = await link(path, second).then(
      () => true,
      () => false
    )
    const found = await keptOf(dataDir, isLinked ? second : path, join("media", name)).catch((cause: unknown) =>
      isAbsent(cause) ? null : Promise.reject(cause as Error)
    )
    if (found !== null) kept.push(found)
  }
  return kept
}

const textOf = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Writes the station's database, media, keys and waiting facts of the as-run log into one encrypted file. The station may run meanwhile. */
export const backup = Effect.fnUntraced(function* (file: string) {
  const key = yield* neededKey
  const config = yield* StationConfig
  const { databaseUrl, diskFreeMinBytes, s3Bucket } = config
  const dataDir = resolve(config.dataDir)
  const path = resolve(file)
  const store = yield* ownStore
  if (store === null) return yield* new BackupRefused({ detail: `DATA_DIR is ${dataDir}: no station is there.` })
  const work = join(dataDir, "backup")
  yield* Effect.addFinalizer(() => Effect.promise(() => rmdir(work).catch(() => undefined)))
  yield* holdDataDir(work).pipe(
    Effect.mapError(() => new BackupRefused({ detail: `${work} can't be used: another backup may be running.` }))
  )
  const removeWork = async () => {
    for (const name of ["media", "spool"]) await rm(join(work, name), { recursive: true, force: true })
  }
  yield* Effect.acquireRelease(tryOnDisk(removeWork), () => Effect.promise(() => removeWork().catch(() => undefined)))

  const keys = yield* tryOnDisk(async () =>
    Promise.all((await filesBelow(join(dataDir, "keys"))).map((one) => keptOf(dataDir, one)))
  )
  if (!keys.some(({ name }) => name === "keys/signing.pem"))
    return yield* new BackupRefused({
      detail: `${join(dataDir, "keys")} holds no keys: DATA_DIR must be the folder of the station that uses this database.`
    })
  // Before the snapshot: a fact that the store takes in between is then in both, which does no harm.
  const spool = yield* tryOnDisk(async () => {
    await cp(join(dataDir, "spool"), join(work, "spool"), { recursive: true }).catch((cause: unknown) =>
      isAbsent(cause) ? undefined : Promise.reject(cause as Error)
    )
    return Promise.all((await filesBelow(join(work, "spool"))).map((one) => keptOf(dataDir, one, relative(work, one))))
  })
  const snapshot = yield* snapshotOf(store.url)
  const media = yield* tryOnDisk(() => mediaOf(dataDir, work, snapshot.assets))
  const masters = new Set(media.map(({ name }) => name))
  const lacking = [...snapshot.assets].filter((id) => !masters.has(`media/${id}.flac`))

  const files = [...keys, ...spool, ...media]
  const bytes = snapshot.bytes + files.reduce((sum, one) => sum + one.bytes, 0)
  yield* tryOnDisk(async () => {
    const folder = dirname(path)
    const { bavail, bsize } = await statfs(folder)
    const shared = (await stat(folder)).dev === (await stat(dataDir)).dev
    const free = bavail * bsize - (shared ? diskFreeMinBytes : 0)
    if (free < bytes)
      throw new Error(
        `${folder} has room for ${megabytes(Math.max(0, free))}${shared ? " beside DISK_FREE_MIN_MIB" : ""}, and about ${megabytes(bytes)} are needed`
      )
  })
  yield* Console.log(
    `Backup of ${store.source}\n  database  ${snapshot.contents.tables.length} tables, about ${megabytes(snapshot.bytes)}\n  files     ${files.length}, ${megabytes(bytes - snapshot.bytes)}`
  )
  const manifest = yield* Effect.orDie(
    Schema.encodeEffect(ManifestText)({
      madeAtMs: yield* Clock.currentTimeMillis,
      files: files.length,
      bytes,
      database: snapshot.contents
    })
  )
  const entries = async function* (): AsyncGenerator<BackupEntry> {
    yield { name: manifestName, bytes: textOf(manifest) }
    for (const table of snapshot.contents.tables)
      yield { name: `${databaseFolder}${table.name}`, bytes: snapshot.rows(table) }
    await snapshot.end()
    for (const one of files) {
      // Opened first: a file that was read in place may be gone.
      const opened = await open(one.path, "r").catch((cause: unknown) =>
        isAbsent(cause) ? null : Promise.reject(cause as Error)
      )
      if (opened === null) lacking.push(one.name)
      else
        yield {
          name: one.name,
          bytes: createReadStream(one.path, { fd: opened, highWaterMark: 1_048_576 }) as AsyncIterable<Uint8Array>
        }
    }
  }
  // Interrupted, the process ends before the writing has been told.
  yield* Effect.addFinalizer(() => Effect.promise(() => rm(partOf(path), { force: true }).catch(() => undefined)))
  const made = yield* Effect.tryPromise({
    try: (signal) => writeBackup(path, key, entries(), progressOf(bytes), signal),
    catch: (cause) => cause as BackupRefused
  })
  yield* Console.log(
    [
      `  100 %  ${megabytes(made.bytes)}  ${path}`,
      `  sha256  ${made.sha256}`,
      ...(lacking.length === 0
        ? []
        : [`  ${lacking.length} sounds that the database names have no file, such as ${lacking[0]!}`]),
      ...(config.masterKey === null ? [] : ["  Not in it: MASTER_KEY. A restored station needs the same."]),
      ...(s3Bucket === null ? [] : ["  Not in it: the objects of S3_BUCKET."]),
      ...(databaseUrl === null ? [] : ["  Not in it: DATABASE_URL's users and settings."]),
      ""
    ].join("\n")
  )
}, Effect.scoped)
