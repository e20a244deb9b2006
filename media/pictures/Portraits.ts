import { Effect, Layer, Semaphore } from "effect"
import { fileURLToPath } from "node:url"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  drawingCpuSec,
  drawingTimeoutSec,
  drawingsAtOnce,
  pictureMemoryMaxMb
} from "../../engine/rules/agents/limits.ts"
import { NotDrawn, type Picture, Portraits } from "../../engine/ports/Portraits.ts"
import { awaitedJobNiceness } from "../../engine/rules/music/limits.ts"
import { runConfined } from "../ffmpeg/Confined.ts"
import { imageProvider } from "./ImageProvider.ts"
import type { DrawingTask } from "./PictureWorker.ts"

const worker = fileURLToPath(new URL("./PictureWorker.ts", import.meta.url))

/** In its own process, within limits. */
export const drawApart = (picture: DrawingTask["picture"]) =>
  runConfined(process.execPath, [worker, JSON.stringify({ picture })], {
    cpuSec: drawingCpuSec,
    timeoutSec: drawingTimeoutSec,
    memoryMaxMb: pictureMemoryMaxMb,
    niceness: awaitedJobNiceness
  }).pipe(
    Effect.mapError(
      ({ detail, reason }) => new NotDrawn({ reason: reason === "timeout" ? "timeout" : "failed", detail })
    )
  )

/** The built-in painter: the same sitter gives the same bytes. */
export const ownHand = Effect.gen(function* () {
  const inTurn = yield* Semaphore.make(drawingsAtOnce)
  return Portraits.of({
    provider: "longwave",
    draw: (picture: Picture) => inTurn.withPermit(drawApart(picture))
  })
})

/** A configured provider, else the built-in painter. */
export const PortraitsLive = Layer.effect(
  Portraits,
  Effect.gen(function* () {
    const { imageKey, imageModel, imageUrl } = yield* StationConfig
    return imageUrl === null ? yield* ownHand : imageProvider({ url: imageUrl, key: imageKey, model: imageModel })
  })
)
