import { Effect, Layer } from "effect"
import { performance } from "node:perf_hooks"
import { Live } from "../../../engine/ports/Live.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { bundledFfmpeg } from "./Sound.ts"

// A process with only an air chain: `node AirProcess.ts <journal>`. Prints the times of its first sound and its first playlist,
// counted from its own start.
const program = Effect.gen(function* () {
  const live = yield* Live
  const soundAfterMs = yield* Effect.callback<number>((resume) => {
    const { close } = live.mp3(0, (chunk) => {
      if (chunk._tag !== "Frames") return
      close()
      resume(Effect.succeed(Math.round(performance.now())))
    })
  })
  const answer = yield* live.playlist("aac128", { msn: null, part: null, skip: false })
  const text = answer._tag === "Found" ? new TextDecoder().decode(answer.object.body) : answer._tag
  console.log(JSON.stringify({ soundAfterMs, playlistAfterMs: Math.round(performance.now()), text }))
  return yield* Effect.never
})

void Effect.runPromise(
  program.pipe(
    Effect.provide(
      airLayer({ stationName: "Longwave", journalPath: process.argv[2]! }).pipe(
        Layer.provide(ffmpegLayer(bundledFfmpeg))
      )
    )
  )
)
