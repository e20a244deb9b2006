import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startStation } from "../../bench/instruments/servers/Station.ts"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import { readBackup } from "../../engine/runtime/BackupFile.ts"
import { enterStation, isReady, testSettings, askUntil, type WholeStation } from "../support/station/WholeStation.ts"

const key = "a key of this test alone"

/** One of the station's commands in its own process; after this output, it is ended by the signal. */
const run = async (
  command: "backup" | "restore",
  file: string,
  dataDir: string,
  ended?: { readonly by: NodeJS.Signals; readonly at: string }
) => {
  const child = spawn(process.execPath, ["--import", "./http/server/FastStart.js", "http/main.ts", command, file], {
    env: { ...process.env, DATA_DIR: dataDir, BACKUP_KEY: key, DISK_FREE_MIN_MIB: "0" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const said: Array<string> = []
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      said.push(text.toString())
      // Once: the process no longer handles a second signal.
      if (ended !== undefined && !child.killed && said.join("").includes(ended.at)) child.kill(ended.by)
    })
  // A server that a killed process started may hold its output open.
  const [code, signal] = (await once(child, ended?.by === "SIGKILL" ? "exit" : "close")) as [
    number | null,
    NodeJS.Signals | null
  ]
  return { code: code ?? signal, said: said.join("") }
}

const hashesIn = async (file: string): Promise<Record<string, string>> => {
  const hashes: Record<string, string> = {}
  for await (const { bytes, name } of readBackup(file, key)) {
    const hash = createHash("sha256")
    for await (const block of bytes) hash.update(block)
    hashes[name] = hash.digest("hex")
  }
  return hashes
}
const hashOf = (...path: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(readFileSync(join(...path)))
    .digest("hex")

describe("a backup of a running station, restored into an empty folder", () => {
  let whole: WholeStation
  let agent: { readonly agentId: string; readonly apiKey: string }
  let file: string
  let restored: string
  let asRunRows: number

  const verified = async (base: string, operator: string) =>
    (await call(base, "GET", "/api/ops/as-run/verify", { bearer: operator })).body

  beforeAll(async () => {
    whole = await enterStation()
    const { base, operator } = whole.station
    file = join(whole.folder, "station.backup")
    restored = join(whole.folder, "restored")
    agent = await becomeAgent(base, "wren")
    asRunRows = await askUntil(async () => {
      await call(base, "POST", "/api/ops/playout/skip", { bearer: operator, body: {} }).catch(() => undefined)
      const rows = Number((await verified(base, operator))["rows"])
      return rows > 1 ? rows : undefined
    })
    expect(await run("backup", file, whole.station.dataDir)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/100 %.*station\.backup\n {2}sha256 {2}[0-9a-f]{64}/)
    })
    for (const [by, at, code] of [
      ["SIGINT", "Restoring", 130],
      ["SIGKILL", "filling the database", "SIGKILL"]
    ] as const) {
      expect(await run("restore", file, restored, { by, at })).toMatchObject({ code })
      expect(readdirSync(whole.folder)).not.toContain("restored")
    }
    expect(await run("restore", file, restored)).toMatchObject({ code: 0 })
  }, 300_000)
  afterAll(() => whole?.leave(), 300_000)

  it("has the same rows, media, keys and waiting facts", async () => {
    const first = await hashesIn(file)
    delete first["manifest.json"]
    const again = join(whole.folder, "again.backup")
    expect(await run("backup", again, restored)).toMatchObject({ code: 0 })
    const second = await hashesIn(again)
    delete second["manifest.json"]
    expect(second).toEqual(first)
    const files = Object.keys(first).filter((name) => /^(keys|media|spool)\//.test(name))
    expect(files.map((name) => [name, hashOf(restored, name)])).toEqual(files.map((name) => [name, first[name]]))
    const dataDir = whole.station.dataDir
    const kept = files.filter((name) => !name.startsWith("spool/"))
    expect(kept.map((name) => hashOf(dataDir, name))).toEqual(kept.map((name) => first[name]))
    expect(kept).toEqual(expect.arrayContaining(["keys/master", "keys/signing.pem"]))
    expect(files.filter((name) => name.endsWith(".flac")).length).toBeGreaterThan(0)
    expect(readdirSync(dataDir)).not.toContain("backup")
    expect(readdirSync(whole.folder).sort()).toEqual(["again.backup", "restored", "station.backup", "var"])
  }, 300_000)

  it("goes on the air: the as-run log verifies, and the agent's key works", async () => {
    await whole.station.stop()
    const { operator } = whole.station
    whole.station = await startStation({ dataDir: restored, operator, env: testSettings })
    const { base } = whole.station
    await isReady(base)
    expect((await call(base, "GET", "/api/v1/agents/me", { bearer: agent.apiKey })).body).toMatchObject({
      agent: { id: agent.agentId, handle: "wren" }
    })
    const log = await verified(base, operator)
    expect(log).toMatchObject({ ok: true, firstBad: null })
    expect(Number(log["rows"])).toBeGreaterThanOrEqual(asRunRows)
    expect((await fetch(`${base}/live/aac128/index.m3u8`)).status).toBe(200)
    expect(whole.station.output()).not.toContain("alert: keys")
  }, 300_000)
})
