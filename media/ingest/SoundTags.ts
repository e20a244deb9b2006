import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { drawingCpuSec, drawingTimeoutSec, pictureMemoryMaxMb } from "../../engine/rules/agents/limits.ts"
import { runConfined } from "../ffmpeg/Confined.ts"
import type { TagAnswer, TagTask } from "./TagWorker.ts"

const worker = fileURLToPath(new URL("./TagWorker.ts", import.meta.url))

const none: TagAnswer = {
  title: null,
  artist: null,
  genre: null,
  lyrics: null,
  language: null,
  bpm: null,
  musicalKey: null,
  cover: null
}

/** A file's tags, read in a confined process. A file whose tags can't be read has none. */
export const tagsOf = (task: TagTask) =>
  runConfined(process.execPath, ["--max-old-space-size=256", worker, JSON.stringify(task)], {
    cpuSec: drawingCpuSec,
    timeoutSec: drawingTimeoutSec,
    memoryMaxMb: pictureMemoryMaxMb
  }).pipe(
    Effect.map((out) => JSON.parse(out.toString("utf8")) as TagAnswer),
    Effect.catch(() => Effect.succeed(none))
  )
