import { Effect, Schema } from "effect"
import createCommand from "fluent-ffmpeg"
import type { FfmpegCommand } from "fluent-ffmpeg"
import { mediaJobNiceness } from "../../engine/rules/music/limits.ts"
import { mediaJobTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { Ffmpeg } from "./Ffmpeg.ts"

/** An offline ffmpeg run that failed; `detail` is its last output. */
export class MediaJobFailed extends Schema.TaggedError<MediaJobFailed>()("MediaJobFailed", {
  reason: Schema.Literals(["timeout", "failed", "disk"]),
  detail: Schema.String
}) {}

const diskFault = /No space left on device|Read-only file system|Input\/output error|Permission denied/

/** ffmpeg prints summaries after this line, so all its lines are searched. */
const faultIn = (lines: ReadonlyArray<string>): string | null => lines.find((line) => diskFault.test(line)) ?? null

const silentLogger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

/**
 * Runs one offline ffmpeg command at low priority and answers its stderr lines. Interruption and timeout kill it. A pipe that closes early
 * is no failure of its own: ffmpeg reports the cause.
 */
export const runMediaJob = Effect.fnUntraced(function* (
  build: (command: FfmpegCommand) => FfmpegCommand,
  timeoutSec = mediaJobTimeoutSec
) {
  const tools = yield* Ffmpeg
  return yield* Effect.callback<ReadonlyArray<string>, MediaJobFailed>((resume) => {
    const lines: Array<string> = []
    let over = false
    const command = build(createCommand({ niceness: mediaJobNiceness, logger: silentLogger, stdoutLines: 40 }))
    command.setFfmpegPath(tools.ffmpeg)
    command
      .on("start", () => {
        if (over) command.kill("SIGKILL")
      })
      .on("stderr", (line: string) => {
        lines.push(line)
        if (lines.length > 400) lines.splice(0, 200)
      })
      .on("end", () => {
        over = true
        // Raw formats report a full disk and still exit with success.
        const fault = faultIn(lines)
        resume(
          fault === null ? Effect.succeed(lines) : Effect.fail(new MediaJobFailed({ reason: "disk", detail: fault }))
        )
      })
      .on("error", (error: Error) => {
        over = true
        const fault = faultIn([error.message, ...lines])
        const detail = fault ?? [error.message, ...lines.slice(-8)].join("\n")
        resume(Effect.fail(new MediaJobFailed({ reason: fault === null ? "failed" : "disk", detail })))
      })
    command.run()
    return Effect.sync(() => {
      over = true
      command.kill("SIGKILL")
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutSec * 1000,
      orElse: () =>
        Effect.fail(
          new MediaJobFailed({ reason: "timeout", detail: `ffmpeg was still running after ${timeoutSec} s.` })
        )
    })
  )
})
