import { type ChildProcess, fork } from "node:child_process"
import { Effect } from "effect"

/** What a process that fell said last, for whoever reads the log. */
const wordsMax = 600

export interface OwnProcess {
  readonly child: ChildProcess
  /** What it wrote to stderr, its end. */
  readonly lastWords: () => string
  /** Kills it and waits until it is gone. */
  readonly end: Effect.Effect<void>
}

/**
 * Runs one of our scripts as a process of its own, with `data` as its argument. The memory it took goes back whole when it ends,
 * which that of a thread does not, and what kills it kills nothing else. It knows none of the station's settings, and ends with the
 * station: there is nothing left then that it listens to.
 */
export const ownProcess = (script: URL, data: object, memoryMaxMb: number): OwnProcess => {
  const child = fork(script, [JSON.stringify(data)], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {},
    execArgv: [`--max-old-space-size=${memoryMaxMb}`, "--max-semi-space-size=16"]
  })
  let words = ""
  child.stderr?.on("data", (text: Buffer) => {
    words = (words + text.toString()).slice(-wordsMax)
  })
  // Whoever waits for its end is told by "close"; without a listener a failed start would end the station.
  child.on("error", () => {})
  return {
    child,
    lastWords: () => words.trim(),
    end: Effect.callback<void>((resume) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
      child.once("exit", () => resume(Effect.void))
      child.kill("SIGKILL")
    })
  }
}
