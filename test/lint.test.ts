import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { floors } from "./support/Floors.ts"

/** A new file on each floor, and a file of each floor that it may try to import. */
const from = [
  "schema/agents/New.ts",
  "engine/runtime/New.ts",
  "engine/rules/agents/New.ts",
  "engine/ports/New.ts",
  "engine/store/agents/New.ts",
  "engine/store/sql/migrations/New.ts",
  "media/mixer/New.ts",
  "media/music/composer/New.ts",
  "actors/New.ts",
  "actors/agents/New.ts",
  "actors/agents/protocol/New.ts",
  "actors/lore/protocol.ts",
  "http/New.ts",
  "http/server/New.ts",
  "http/edge/New.ts",
  "http/stream/events/New.ts",
  "http/api/New.ts",
  "http/api/agents/New.ts",
  "http/handlers/New.ts",
  "http/handlers/agents/New.ts",
  "http/pages/New.ts",
  "http/pages/player/New.ts",
  "http/pages/console/rooms/New.ts"
]
const to = [
  "schema/agents/Agent.ts",
  "engine/rules/air/limits.ts",
  "engine/rules/http/limits.ts",
  "engine/rules/runtime/limits.ts",
  "engine/rules/segments/FirstAirGate.ts",
  "engine/runtime/Config.ts",
  "engine/runtime/IdSource.ts",
  "engine/ports/Air.ts",
  "engine/store/agents/Agents.ts",
  "media/mixer/Tone.ts",
  "media/music/composer/Score.ts",
  "actors/Actors.ts",
  "actors/runtime/EventBus.ts",
  "actors/agents/Desk.ts",
  "actors/agents/protocol/Desk.ts",
  "actors/air/protocol.ts",
  "http/server/Cors.ts",
  "http/edge/OriginProxy.ts",
  "http/auth/Guards.ts",
  "http/views/StationViews.ts",
  "http/stream/events/EventStream.ts",
  "http/Send.ts",
  "http/Routes.ts",
  "http/api/Api.ts",
  "http/api/auth/Audience.ts",
  "http/handlers/agents/Agents.ts",
  "http/pages/player/Level.ts",
  "http/main.ts",
  "http/App.ts",
  "http/Edge.ts",
  "http/OperatorReset.ts",
  "http/VerifyAsRun.ts"
]
const entry = /^http\/(main|App|Edge|OperatorReset|VerifyAsRun)\.ts$/
const sql = ["effect/sql", "@effect/sql-pg", "pg"]

const may = (file: string, target: string) =>
  !entry.test(target) && floors.find(({ of }) => of.test(file))!.may.some((allowed) => allowed.test(target))

interface Diagnostic {
  readonly code: string
  readonly filename: string
  readonly labels: ReadonlyArray<{ readonly span: { readonly line: number } }>
}

/** Diagnostics of the station's linter configuration for these files, in a temporary folder. */
const lint = (files: Readonly<Record<string, string>>): ReadonlyArray<Diagnostic> => {
  const house = mkdtempSync(join(tmpdir(), "longwave-lint-"))
  try {
    const plugin = "test/support/lint/decodedRows.js"
    for (const file of [plugin, ...Object.keys(files)]) mkdirSync(join(house, dirname(file)), { recursive: true })
    for (const file of [".oxlintrc.json", plugin]) copyFileSync(file, join(house, file))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(house, file), text)
    const oxlint = fileURLToPath(new URL("../node_modules/oxlint/bin/oxlint", import.meta.url))
    const said = ((): string => {
      try {
        return execFileSync(process.execPath, [oxlint, "--format=json", "-A", "all", "-c", ".oxlintrc.json", "."], {
          cwd: house,
          encoding: "utf8",
          maxBuffer: 1 << 26
        })
      } catch (error) {
        return (error as { readonly stdout: string }).stdout
      }
    })()
    return (JSON.parse(said) as { readonly diagnostics: ReadonlyArray<Diagnostic> }).diagnostics
  } finally {
    rmSync(house, { recursive: true, force: true })
  }
}

it("the linter reports exactly the forbidden imports of each floor, at their lines", () => {
  const importing = (file: string) => {
    const addresses = [...to.map((target) => relative(dirname(file), target).replace(/^(?!\.)/, "./")), ...sql]
    return addresses.map((address, index) => `import { a as a${index} } from "${address}"\n`).join("")
  }
  const reported = new Set(
    lint(Object.fromEntries(from.map((file) => [file, importing(file)])))
      .filter(({ code }) => code.includes("no-restricted-imports"))
      .map(
        ({ filename, labels }) =>
          `${filename.replaceAll("\\", "/")} imports ${[...to, ...sql][labels[0]!.span.line - 1]}`
      )
  )
  const forbidden = from.flatMap((file) =>
    [...to.filter((target) => !may(file, target)), ...sql.filter(() => !file.startsWith("engine/store/"))].map(
      (target) => `${file} imports ${target}`
    )
  )
  expect([...reported].sort()).toEqual(forbidden.sort())
})

it("the linter reports types that are claimed for rows in the engine", () => {
  const text = [
    "export const one = (sql) => sql<{ a: 1 }>`SELECT 1 AS a`",
    'export const other = (sql) => sql.unsafe<{ a: 1 }>("SELECT 1 AS a")',
    "export const decoded = (sql, rows) => rows(sql`SELECT 1 AS a`)"
  ].join("\n")
  const files = ["engine/store/agents/New.ts", "engine/store/sql/New.ts", "test/engine/New.ts"]
  const reported = lint(Object.fromEntries(files.map((file) => [file, text])))
    .filter(({ code }) => code.includes("decoded-rows"))
    .map(({ filename, labels }) => `${filename.replaceAll("\\", "/")}:${labels[0]!.span.line}`)
  expect(reported.sort()).toEqual(files.slice(0, 2).flatMap((file) => [`${file}:1`, `${file}:2`]))
})
