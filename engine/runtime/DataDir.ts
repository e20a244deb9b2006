import { Effect } from "effect"
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { BadConfig } from "./Config.ts"

const wrong = (dataDir: string, right: string) =>
  new BadConfig({ problems: [`DATA_DIR is ${JSON.stringify(dataDir)}: ${right}.`] })

/** Level by level: on file systems that take no folders, such as /proc, Node's own recursion never ends. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/** Whether a process runs and is, as far as can be told, a station. */
const isStation = (pid: number): boolean => {
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  const command = `/proc/${pid}/cmdline`
  // A killed station leaves its number behind, which another program may have by now.
  return !existsSync("/proc/self/cmdline") || (existsSync(command) && readFileSync(command, "utf8").includes("main.ts"))
}

/** The folder that everything lies in: there, writable, and this station's alone while the scope lasts. */
export const holdDataDir = (dataDir: string) => {
  const lock = join(dataDir, "station.pid")
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        makeFolder(resolve(dataDir))
        if (!statSync(dataDir).isDirectory()) throw wrong(dataDir, "that is a file, it must be a folder")
        accessSync(dataDir, constants.W_OK | constants.X_OK)
        const holder = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0
        if (isStation(holder))
          throw wrong(
            dataDir,
            `the station that runs as process ${holder} uses it, and each must have a folder of its own`
          )
        writeFileSync(lock, String(process.pid))
      },
      catch: (error) =>
        error instanceof BadConfig
          ? error
          : wrong(
              dataDir,
              `it must be a folder that can be made and written to (${(error as NodeJS.ErrnoException).code ?? String(error)})`
            )
    }),
    () => Effect.sync(() => rmSync(lock, { force: true }))
  )
}
