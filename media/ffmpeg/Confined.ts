import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { mediaJobNiceness } from "../../engine/rules/music/limits.ts"
import { confinedAnswerMaxBytes, confinedFileMaxBytes } from "../../engine/rules/sound/limits.ts"

/**
 * A confined program that failed; `detail` is its last output. `timeout`: its deadline passed while it waited for a
 * processor; `spent`: it used up its processor time.
 */
export class ConfinedFailed extends Schema.TaggedError<ConfinedFailed>()("ConfinedFailed", {
  reason: Schema.Literals(["timeout", "spent", "too_much", "failed"]),
  detail: Schema.String
}) {}
interface Confinement {
  /** Of the processor; on a busy machine a program may wait for it much longer than it works. */
  readonly cpuSec: number
  readonly timeoutSec: number
  readonly memoryMaxMb: number
  readonly fileMaxBytes?: number
  /** That of offline work, unless a caller waits for the answer. */
  readonly niceness?: number
}
const prlimit = ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => existsSync(path)) ?? null
const wordsMax = 2_000
/** ffmpeg may exit with success on a full disk, after half a file. */
const diskFull = /No space left on device|Read-only file system/
/**
 * Runs a program on strangers' files: without our environment, at a lower priority than the station's, and with kernel limits on time,
 * memory and output where there are any. Answers its stdout. Interruption and timeout kill it.
 */
export const runConfined = (
  program: string,
  args: ReadonlyArray<string>,
  { cpuSec, fileMaxBytes = confinedFileMaxBytes, memoryMaxMb, niceness = mediaJobNiceness, timeoutSec }: Confinement
): Effect.Effect<Buffer, ConfinedFailed> =>
  Effect.callback<Buffer, ConfinedFailed>((resume) => {
    // Address space is reserved freely and used sparingly, so the limit is on data. The CPU limit counts all threads together.
    const bounds = [
      `--data=${memoryMaxMb * 1_048_576}`,
      `--as=${memoryMaxMb * 4 * 1_048_576}`,
      `--cpu=${cpuSec}:${cpuSec + 1}`,
      `--fsize=${fileMaxBytes}`,
      "--core=0"
    ]
    const child =
      prlimit === null
        ? spawn(program, args, { env: {}, stdio: ["ignore", "pipe", "pipe"] })
        : spawn(prlimit, [...bounds, "--", program, ...args], { env: {}, stdio: ["ignore", "pipe", "pipe"] })
    const chunks: Array<Buffer> = []
    let bytes = 0
    let words = ""
    let tooMuch = false
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      tooMuch ||= bytes > confinedAnswerMaxBytes
      if (tooMuch) child.kill("SIGKILL")
      else chunks.push(chunk)
    })
    child.stderr.on("data", (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-wordsMax)
    })
    child.on("spawn", () => {
      try {
        setPriority(child.pid!, niceness)
      } catch {
        // It has already ended.
      }
    })
    const fail = (reason: ConfinedFailed["reason"], detail: string) =>
      resume(Effect.fail(new ConfinedFailed({ reason, detail })))
    child.on("error", (error) => fail("failed", error.message))
    child.on("close", (code, signal) => {
      if (tooMuch) return fail("too_much", `More than ${confinedAnswerMaxBytes} bytes came out.`)
      if (signal === "SIGXCPU") return fail("spent", `It worked for more than ${cpuSec} s.`)
      if (code !== 0 || diskFull.test(words)) return fail("failed", words.trim() || `It ended with ${code ?? signal}.`)
      resume(Effect.succeed(Buffer.concat(chunks)))
    })
    return Effect.sync(() => child.kill(constants.signals.SIGKILL))
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutSec * 1_000,
      orElse: () =>
        Effect.fail(new ConfinedFailed({ reason: "timeout", detail: `It was still running after ${timeoutSec} s.` }))
    })
  )

/** No file may lead to another, or ask for more memory than a sound needs. */
export const careful = ["-protocol_whitelist", "file,pipe", "-max_alloc", "100000000"]
