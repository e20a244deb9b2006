import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"

let folder: string
const put = (path: string, text: string, atSec: number) => {
  const file = join(folder, path)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, atSec, atSec)
}
const run = () =>
  execFileSync(process.execPath, ["--import", "./http/server/FastStart.js", "http/main.ts"], {
    cwd: folder,
    encoding: "utf8"
  })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "longwave-start-"))
  for (const floor of ["actors", "engine", "media", "schema"]) put(`${floor}/Some.ts`, "", 1_000)
  put("package-lock.json", "{}", 1_000)
  put("http/main.ts", 'process.stdout.write("source")', 1_000)
  cpSync(new URL("../../../http/server/FastStart.js", import.meta.url), join(folder, "http/server/FastStart.js"))
  utimesSync(join(folder, "http/server/FastStart.js"), 1_000, 1_000)
})
afterAll(() => rmSync(folder, { recursive: true }))

it("runs the built program, and its source while there is none or a source has changed since", () => {
  expect(run()).toBe("source")
  put("http/dist/main.js", 'process.stdout.write("built")', 2_000)
  expect(run()).toBe("built")
  // Neither pages nor texts are part of it.
  put("http/pages/Page.ts", "", 3_000)
  put("media/Notes.md", "", 3_000)
  expect(run()).toBe("built")
  put("media/Some.ts", "", 3_000)
  expect(run()).toBe("source")
  put("http/dist/main.js", 'process.stdout.write("built")', 4_000)
  expect(run()).toBe("built")
  put("package-lock.json", "{}", 5_000)
  expect(run()).toBe("source")
})
