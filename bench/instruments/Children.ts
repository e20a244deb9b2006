import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** One core for the server and another for its listeners, where the machine allows it. */
export const pinArguments = (core: number): ReadonlyArray<string> =>
  availableParallelism() > 1 && spawnSync("which", ["taskset"]).status === 0 ? ["taskset", "-c", String(core)] : []

/** A bench file as a child process with messages, with further variables of the environment. */
export const child = (
  core: number,
  file: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): ChildProcess => {
  const [command, ...rest] = [
    ...pinArguments(core),
    process.execPath,
    fileURLToPath(new URL(`../${file}`, import.meta.url)),
    ...args
  ]
  return spawn(command!, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"], env: { ...process.env, ...env } })
}

/** The child's next message. Fails if it ends first. */
export const nextMessage = async (process: ChildProcess): Promise<unknown> => {
  const [message] = (await Promise.race([
    once(process, "message"),
    once(process, "exit").then(([code]) =>
      Promise.reject(new Error(`a child process of the bench ended with ${String(code)}`))
    )
  ])) as [unknown]
  return message
}

export const end = async (process: ChildProcess): Promise<void> => {
  if (process.exitCode !== null || process.signalCode !== null) return
  process.kill("SIGKILL")
  await once(process, "exit")
}
