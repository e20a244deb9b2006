import { type ChildProcess, fork } from "node:child_process"
import { Effect } from "effect"

/** Last stderr output of a process that ended, for the log. */
const wordsMax = 600

export interface OwnProcess {
  readonly child: ChildProcess
  /** The end of its stderr. */
  readonly readLastWords: () => string
  /** Kills it and waits for its end. */
  readonly end: Effect.Effect<void>
}

/** The first message that is wanted, after `send`. If the process ends before, it fails with `ended`, which is told how. */
export const messageFrom = <Message, E>(
  { child, readLastWords }: OwnProcess,
  wanted: (message: Message) => boolean,
  ended: (how: string) => E,
  send?: () => void
): Effect.Effect<Message, E> =>
  Effect.callback<Message, E>((resume) => {
    const answer = (exit: Effect.Effect<Message, E>) => {
      stopListening()
      resume(exit)
    }
    const onMessage = (message: unknown) => {
      if (wanted(message as Message)) answer(Effect.succeed(message as Message))
    }
    const onClose = (code: number | null, signal: string | null) =>
      answer(Effect.fail(ended(`${signal ?? `code ${code}`}. ${readLastWords()}`)))
    const stopListening = () => {
      child.off("message", onMessage)
      child.off("close", onClose)
    }
    child.on("message", onMessage)
    child.on("close", onClose)
    send?.()
    return Effect.sync(stopListening)
  })

/**
 * Runs one of our scripts in its own process, with `data` as argument. All its memory is returned when it ends, unlike a thread's, and a
 * crash stays in it. It knows none of the station's settings and ends with the station.
 */
export const startOwnProcess = (script: URL, data: object, memoryMaxMb: number): OwnProcess => {
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
  // "close" reports its end; without a listener a failed start would end the station.
  child.on("error", () => {})
  return {
    child,
    readLastWords: () => words.trim(),
    end: Effect.callback<void>((resume) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
      child.once("exit", () => resume(Effect.void))
      child.kill("SIGKILL")
    })
  }
}
