import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { drawingCpuSec, drawingTimeoutSec, pictureMemoryMaxMb } from "../../engine/rules/agents/limits.ts"
import { Unusable } from "../../engine/ports/Ingest.ts"
import { ObjectsUnavailable } from "../../engine/ports/ObjectStore.ts"
import { awaitedJobNiceness } from "../../engine/rules/music/limits.ts"
import { runConfined, type ConfinedFailed } from "../ffmpeg/Confined.ts"
import type { ImageAnswer, ImageTask } from "./ImageWorker.ts"

const worker = fileURLToPath(new URL("./ImageWorker.ts", import.meta.url))

const diskFault = /ENOSPC|EROFS|EIO|No space left|Read-only|Input\/output error/i

/** Cause of a confined program's failure: the station, which may try again, or its input. */
export const faultOf = ({ detail, reason }: ConfinedFailed): Unusable | ObjectsUnavailable =>
  diskFault.test(detail)
    ? new ObjectsUnavailable({ detail: "The media store can't be written to at the moment." })
    : reason === "timeout"
      ? new ObjectsUnavailable({ detail: "The station is too busy to check the file." })
      : reason === "spent" || reason === "too_much"
        ? new Unusable({
            code: "too_complex",
            detail: "Checking the file needs more time or memory than one file may use."
          })
        : new Unusable({ code: "damaged", detail: "It can't be read." })

const run = (task: ImageTask) =>
  runConfined(process.execPath, ["--max-old-space-size=256", worker, JSON.stringify(task)], {
    cpuSec: drawingCpuSec,
    timeoutSec: drawingTimeoutSec,
    memoryMaxMb: pictureMemoryMaxMb,
    niceness: awaitedJobNiceness
  })

const answer = (task: ImageTask) =>
  run(task).pipe(
    Effect.mapError(faultOf),
    Effect.flatMap((out) => {
      const answer = JSON.parse(out.toString("utf8")) as ImageAnswer
      return answer._tag === "Refused"
        ? Effect.fail(new Unusable({ code: answer.code, detail: answer.detail }))
        : Effect.succeed(answer)
    })
  )

/** A file's format, by its first bytes. */
export const sniffFormat = (file: string) =>
  Effect.map(answer({ _tag: "Sniff", file }), (answer) => (answer._tag === "Sniffed" ? answer.contentType : null))

/** The picture for the web, if `image` names a file for it, and its thumbnail. */
export const develop = (task: Omit<Extract<ImageTask, { readonly _tag: "Develop" }>, "_tag">) =>
  Effect.flatMap(answer({ _tag: "Develop", ...task }), (answer) =>
    answer._tag === "Developed" ? Effect.succeed(answer) : Effect.die(new Error("another answer than was asked for"))
  )

/** The picture in a file as a PNG of exactly this size. */
export const redrawn = (file: string, size: { readonly width: number; readonly height: number }) =>
  Effect.mapError(run({ _tag: "Redraw", file, ...size }), faultOf)
