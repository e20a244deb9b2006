import { Effect, Fiber, Layer, Stream } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Air } from "../../../engine/ports/Air.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { msAt } from "../../../media/clock/StationClock.ts"
import { AirItem, type AirEvent } from "../../../schema/air/Air.ts"
import type { WordTiming } from "../../../schema/Sound.ts"
import { serveLive } from "../media/LiveServer.ts"
import { idOf, item, makeSounds, plan } from "../media/MixerWorld.ts"
import { bundledFfmpeg } from "../media/Sound.ts"

/** A real air chain behind HTTP, with its journal, and a function that puts a tone with words on it. */
export interface PageAir {
  readonly url: string
  /** On the air at once; returns its item and the broadcast instant of its start. */
  readonly tone: (
    hz: number,
    sec: number,
    words: ReadonlyArray<WordTiming>
  ) => Promise<{ readonly itemId: string; readonly startMs: number }>
  readonly end: () => Promise<unknown>
}

export const startPageAir = async (): Promise<PageAir> => {
  const folder = await mkdtemp(join(tmpdir(), "longwave-tones-"))
  const told: Array<AirEvent> = []
  let chain: Fiber.Fiber<unknown, unknown> | undefined
  const { air, served } = await new Promise<{
    readonly air: Air["Service"]
    readonly served: Awaited<ReturnType<typeof serveLive>>
  }>((resolve, reject) => {
    chain = Effect.runFork(
      Effect.gen(function* () {
        const air = yield* Air
        yield* Effect.forkScoped(Stream.runForEach(air.events, (event) => Effect.sync(() => told.push(event))))
        const live = yield* Live
        resolve({ air, served: yield* Effect.promise(() => serveLive(live)) })
        yield* Effect.never
      }).pipe(
        Effect.scoped,
        Effect.provide(
          airLayer({ stationName: "Longwave", journalPath: join(folder, "journal") }).pipe(
            Layer.provide(ffmpegLayer(bundledFfmpeg))
          )
        ),
        Effect.tapCause((cause) => Effect.sync(() => reject(new Error(String(cause)))))
      )
    )
  })
  let turn = 0
  return {
    url: served.url,
    tone: async (hz, sec, words) => {
      turn += 1
      const { files, sound } = makeSounds()
      const made = sound(turn, sec, { hz, amplitude: 0.4 })
      const staged = { ...made, path: join(folder, String(turn)) } as typeof made
      await writeFile(staged.path, new Uint8Array(files.get(made.path)!.buffer))
      const itemId = idOf(turn)
      await Effect.runPromise(
        air.plan(plan(turn, [new AirItem({ ...item(turn, 0, staged), speech: true, words: [...words] })], "now"))
      )
      for (;;) {
        const begun = told.find((event) => event._tag === "Started" && event.itemId === itemId)
        if (begun?._tag === "Started") return { itemId, startMs: msAt(begun.atSample) }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    end: async () => {
      served.close()
      await Effect.runPromise(Fiber.interrupt(chain!))
      await rm(folder, { recursive: true })
    }
  }
}
