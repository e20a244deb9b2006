import { NodeServices } from "@effect/platform-node"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { databaseAt } from "../../../engine/store/sql/Database.ts"
import { embeddedPostgres } from "../../../engine/store/sql/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The template: a database with the migrated schema that tests copy and never use. */
    readonly postgresTemplate: string
    /** The data folder of a station that has its own server, with the migrated schema and nothing else: tests copy it. */
    readonly stationTemplate: string
  }
}

const memory = "/dev/shm"
const roomMinBytes = 4 * 1_024 ** 3
/**
 * Folder of the tests' temporary files: in memory if it has enough room. A run makes hundreds of databases of a thousand files
 * each, and allocating them on a disk's file system takes a tenth of the whole run.
 */
const temporaryFiles = (): (() => void) => {
  if (process.env["TMPDIR"] !== undefined || !existsSync(memory)) return () => {}
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < roomMinBytes) return () => {}
  const folder = mkdtempSync(join(memory, "longwave-tests-"))
  chmodSync(folder, 0o755)
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * One real server for all tests, without fsync: starting one for each file took a third of the whole run, and the disk most of
 * the time in databases. Tests of crashes have their own servers.
 */
export default async ({ provide }: TestProject) => {
  const forget = temporaryFiles()
  const scope = Effect.runSync(Scope.make())
  const folder = mkdtempSync(join(tmpdir(), "longwave-pg-"))
  chmodSync(folder, 0o755)
  // Copied while no server runs in it: a copy of a running one's files may be torn.
  const [resting, served] = [join(folder, "resting"), join(folder, "served")]
  const url = await Effect.runPromise(
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(embeddedPostgres(resting, "off"), (url) => Layer.build(databaseAt(url))))
      execFileSync("cp", ["-a", resting, served])
      return Redacted.value(yield* Scope.provide(embeddedPostgres(served, "off"), scope))
    }).pipe(Effect.provide(NodeServices.layer))
  )
  provide("postgresTemplate", url)
  provide("stationTemplate", resting)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
    forget()
  }
}
