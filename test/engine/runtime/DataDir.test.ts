import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { holdDataDir } from "../../../engine/runtime/DataDir.ts"

const folder = mkdtempSync(join(tmpdir(), "longwave-datadir-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const held = (dataDir: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.andThen(
        holdDataDir(dataDir),
        Effect.sync(() => readFileSync(join(dataDir, "station.pid"), "utf8"))
      )
    )
  )

describe("the data folder", () => {
  it("is created if missing, and released at the end", async () => {
    const dataDir = join(folder, "a", "b")
    expect(await held(dataDir)).toBe(String(process.pid))
    expect(existsSync(join(dataDir, "station.pid"))).toBe(false)
  })

  it("is taken over from a killed station, even if another program has its process id now", async () => {
    const dataDir = join(folder, "killed")
    mkdirSync(dataDir)
    for (const left of ["999999999", String(process.pid), ...(existsSync("/proc/self") ? ["1"] : []), "", "nonsense"]) {
      writeFileSync(join(dataDir, "station.pid"), left)
      expect([left, await held(dataDir)]).toEqual([left, String(process.pid)])
    }
  })

  it.each([
    ["package.json", /^DATA_DIR is "package\.json": that is a file/],
    ["package.json/var", /^DATA_DIR is "package\.json\/var": it must be a folder that can be made/],
    ...(existsSync("/proc/self")
      ? [["/proc/longwave", /^DATA_DIR is "\/proc\/longwave": it must be a folder that can be made/] as const]
      : [])
  ] as const)("can't be %s", async (dataDir, why) => {
    await expect(held(dataDir)).rejects.toThrow(why)
  })

  it.skipIf(process.getuid?.() === 0)("must be writable (skipped as root, who may write anywhere)", async () => {
    const dataDir = join(folder, "shut")
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o500)
    await expect(held(dataDir)).rejects.toThrow(/DATA_DIR is .*EACCES/)
  })
})
