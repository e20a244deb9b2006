import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { freePort, runInFolder, startOptions, startStation } from "../../bench/instruments/servers/Station.ts"
import { isReady, testSettings, askUntil } from "../support/station/WholeStation.ts"

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A start that should end by itself: its exit code and its output. */
const started = async (env: Record<string, string>) => {
  const station = spawn(process.execPath, [...startOptions, "http/main.ts", "start"], {
    env: { ...process.env, HOST: "127.0.0.1", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [station.stdout, station.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()))
  const [code] = (await once(station, "close")) as [number | null]
  return { code, lines: said.split("\n").filter((line) => line !== "" && !/WARN/.test(line)) }
}

describe("an impossible start", () => {
  it("ends with one line that names the fault", async () => {
    const { code, lines } = await started({ DATA_DIR: "package.json" })
    expect([code, lines]).toEqual([1, [expect.stringMatching(/^DATA_DIR is "package\.json": that is a file/)]])
  })

  it(
    "ends with one line if the port or the address is unavailable",
    () =>
      runInFolder(async (folder) => {
        const holder = createServer().listen(0, "127.0.0.1")
        await once(holder, "listening")
        const { port } = holder.address() as { readonly port: number }
        const DATA_DIR = join(folder, "var")
        const taken = await started({ DATA_DIR, PORT: String(port) })
        holder.close()
        expect([taken.code, taken.lines]).toEqual([
          1,
          [`PORT is ${port}: another program listens there. It must be a port that is free.`]
        ])
        const elsewhere = await started({ DATA_DIR, HOST: "203.0.113.9" })
        expect([elsewhere.code, elsewhere.lines]).toEqual([
          1,
          [expect.stringMatching(/^HOST is "203\.0\.113\.9": it must be an address of this machine/)]
        ])
      }),
    300_000
  )
})

describe("npm start", () => {
  it(
    "keeps a second station out of its folder, and ends in order with its Postgres when only npm gets the signal",
    () =>
      runInFolder(async (folder) => {
        const [DATA_DIR, port] = [join(folder, "var"), await freePort()]
        const env = { ...process.env, ...testSettings, DATA_DIR, HOST: "127.0.0.1", PORT: String(port) }
        const npm = spawn("npm", ["start"], { env, stdio: "ignore", detached: true })
        const ended = once(npm, "exit")
        await isReady(`http://127.0.0.1:${port}`)
        const station = Number(readFileSync(join(DATA_DIR, "station.pid"), "utf8"))
        const postgres = Number(readFileSync(join(DATA_DIR, "pg", "postmaster.pid"), "utf8").split("\n")[0])
        const second = await started({ DATA_DIR, PORT: String(await freePort()) })
        expect([second.code, second.lines]).toEqual([
          1,
          [expect.stringContaining(`the station that runs as process ${station} uses it`)]
        ])
        expect([isAlive(station), isAlive(postgres)]).toEqual([true, true])
        npm.kill("SIGTERM")
        await ended
        await askUntil(async () => (isAlive(station) || isAlive(postgres) ? undefined : true))
        // Killed processes would have left them.
        expect([existsSync(join(DATA_DIR, "station.pid")), existsSync(join(DATA_DIR, "pg", "postmaster.pid"))]).toEqual(
          [false, false]
        )
      }),
    300_000
  )
})

describe("an unreachable database", () => {
  it(
    "doesn't stop the stream, and is reported in one line, once, without the password",
    () =>
      runInFolder(async (folder) => {
        const [port, nowhere] = [await freePort(), await freePort()]
        const station = await startStation({
          dataDir: join(folder, "var"),
          port,
          env: { ...testSettings, DATABASE_URL: `postgres://longwave:hunter2@127.0.0.1:${nowhere}/longwave` }
        })
        try {
          const stream = await askUntil(async () =>
            (await fetch(`${station.base}/live/index.m3u8`)).ok ? true : undefined
          )
          const lines = await askUntil(async () => {
            const found = station
              .output()
              .split("\n")
              .filter((line) => line.includes("DATABASE_URL"))
            return found.length > 0 ? found : undefined
          })
          const refused = await fetch(`${station.base}/api/station`)
          expect([stream, refused.status, lines.length, lines[0]]).toEqual([
            true,
            503,
            1,
            expect.stringContaining(`ECONNREFUSED 127.0.0.1:${nowhere}`)
          ])
          expect(station.output()).not.toMatch(/hunter2|\n\s+at /)
        } finally {
          await station.stop()
        }
      }),
    300_000
  )
})
