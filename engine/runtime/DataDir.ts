import { Effect } from "effect"
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { BadConfig } from "./Config.ts"

const badDataDir = (dataDir: string, right: string) =>
  new BadConfig({ problems: [`DATA_DIR is ${JSON.stringify(dataDir)}: ${right}.`] })

/** One level at a time: Node's recursive mkdir never returns on file systems without folders, such as /proc. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/** Whether the process runs and, as far as can be checked, is a station. */
const isStation = (pid: number): boolean => {
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  const command = `/proc/${pid}/cmdline`
  // After a kill another program may reuse the station's pid.
  return !existsSync("/proc/self/cmdline") || (existsSync(command) && readFileSync(command, "utf8").includes("main.ts"))
}

/** Creates the data folder, checks that it is writable, and locks it for this station while the scope lasts. */
export const holdDataDir = (dataDir: string) => {
  const lock = join(dataDir, "station.pid")
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        makeFolder(resolve(dataDir))
        if (!statSync(dataDir).isDirectory()) throw badDataDir(dataDir, "that is a file, it must be a folder")
        accessSync(dataDir, constants.W_OK | constants.X_OK)
        const holder = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0
        if (isStation(holder))
          throw badDataDir(
            dataDir,
            `the station that runs as process ${holder} uses it, and each must have a folder of its own`
          )
        writeFileSync(lock, String(process.pid))
      },
      catch: (error) =>
        error instanceof BadConfig
          ? error
          : badDataDir(
              dataDir,
              `it must be a folder that can be made and written to (${(error as NodeJS.ErrnoException).code ?? String(error)})`
            )
    }),
    () => Effect.sync(() => rmSync(lock, { force: true }))
  )
}
