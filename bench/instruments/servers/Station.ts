import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** A real station as a child process in a temporary folder. */
export interface RunningStation {
  readonly base: string
  readonly port: number
  readonly operator: string
  readonly dataDir: string
  readonly process: ChildProcess
  readonly startedAtMs: number
  readonly output: () => string
  /** Ends the process, in order or at once; the data stays for a next start. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, "close")
  return port
}

/** An operator's token in the station's format. */
export const operatorToken = (): string =>
  `svc_ops_${Buffer.from(crypto.getRandomValues(new Uint8Array(9)))
    .toString("hex")
    .slice(0, 12)}_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`

/** How a version is started: the environment and node's options in the `npm start` of its folder. */
const startOf = (root: string | URL) => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    readonly scripts: { readonly start: string }
  }
  const words = scripts.start.split(" ")
  const node = words.indexOf("node")
  return {
    env: Object.fromEntries(words.slice(0, node).map((word) => word.split("=") as [string, string])),
    options: words.slice(node + 1, -2)
  }
}
const ownStart = startOf(new URL("../../../", import.meta.url))
/** Node's options in `npm start`. */
export const startOptions = ownStart.options

export const startStation = async (options: {
  readonly dataDir: string
  readonly port?: number
  readonly operator?: string
  readonly env?: Record<string, string>
  /** Folder of another version's sources. */
  readonly root?: string
}): Promise<RunningStation> => {
  const port = options.port ?? (await freePort())
  const operator = options.operator ?? operatorToken()
  const said: Array<string> = []
  const start = options.root === undefined ? ownStart : startOf(pathToFileURL(`${options.root}/`))
  const startedAtMs = performance.now()
  const station = spawn(process.execPath, [...start.options, "http/main.ts", "start"], {
    env: {
      ...process.env,
      ...start.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: options.dataDir,
      OPERATOR_TOKEN: operator,
      ...options.env
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.root === undefined ? {} : { cwd: options.root })
  })
  for (const stream of [station.stdout, station.stderr]) stream.on("data", (text: Buffer) => said.push(text.toString()))
  return {
    base: `http://127.0.0.1:${port}`,
    port,
    operator,
    dataDir: options.dataDir,
    process: station,
    startedAtMs,
    output: () => said.join(""),
    stop: async (signal = "SIGTERM") => {
      if (station.exitCode !== null || station.signalCode !== null) return
      station.kill(signal)
      await once(station, "exit")
    }
  }
}

/** Runs `use` with a temporary folder and always removes it. */
export const runInFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), "longwave-"))
  // Postgres refuses to run as root and switches to another user, who needs access to its files.
  await chmod(folder, 0o711)
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Zero once the process has ended: processes of media jobs are short-lived. */
const memoryMiB = (pid: string, file: "status" | "smaps_rollup", field: string): number => {
  try {
    return (
      Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1] ?? 0) /
      1_024
    )
  } catch {
    return 0
  }
}

/** Descendants of a process with that name; Linux only. */
export const processesUnder = (pid: number, name: string): ReadonlyArray<string> => {
  const processes = new Map(
    readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((entry) => {
        try {
          const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))!
          return [[entry, { name: name!, parent: rest!.split(" ")[1]! }] as const]
        } catch {
          return []
        }
      })
  )
  const isUnder = (entry: string): boolean => {
    const parent = processes.get(entry)?.parent
    return parent === String(pid) || (parent !== undefined && isUnder(parent))
  }
  return [...processes].filter(([entry, process]) => process.name === name && isUnder(entry)).map(([entry]) => entry)
}

/** Resident memory of a station and of its child processes, with each shared page counted once; MiB, Linux only. */
export const residentMiB = (
  pid: number
): { readonly station: number; readonly postgres: number; readonly ffmpeg: number } => {
  const shares = (name: string) =>
    processesUnder(pid, name).reduce((sum, entry) => sum + memoryMiB(entry, "smaps_rollup", "Pss"), 0)
  return { station: memoryMiB(String(pid), "status", "VmRSS"), postgres: shares("postgres"), ffmpeg: shares("ffmpeg") }
}
