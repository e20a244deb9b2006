import { expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { afterAll, describe } from "vitest"
import { awaitTrue } from "../../../bench/instruments/clients/EventReader.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { type AirEvent, ItemLabel } from "../../../schema/air/Air.ts"
import type { LiveState } from "../../../schema/air/Live.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

const shelf = mkdtempSync(join(tmpdir(), "longwave-live-"))
afterAll(() => rmSync(shelf, { recursive: true, force: true }))
/** Begins late, as on a busy machine: a sender is faster than its decoder. */
const lateFfmpeg = join(shelf, "ffmpeg")
writeFileSync(lateFfmpeg, `#!/bin/sh\nsleep 0.3\nexec "${bundledFfmpeg}" "$@"\n`, { mode: 0o755 })
const layer = airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(lateFfmpeg)))
const label = new ItemLabel({ title: "From the harbour", artist: null, kind: "other", synthetic: null })
const rate = 16_000

/** A WAV that claims to go on for ever. */
const head = (): Uint8Array => {
  const bytes = Buffer.alloc(44)
  bytes.write("RIFF", 0)
  bytes.writeUInt32LE(0xffffffff, 4)
  bytes.write("WAVEfmt ", 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write("data", 36)
  bytes.writeUInt32LE(0xffffffff, 40)
  return bytes
}
const tone = (seconds: number): Uint8Array => {
  const pcm = Int16Array.from({ length: seconds * rate }, (_, i) => 6_000 * Math.sin((2 * Math.PI * 1_000 * i) / rate))
  return new Uint8Array(pcm.buffer)
}
/** A tenth of a second of the tone, every so many milliseconds. */
const send = (count: number, everyMs: number) =>
  Stream.concat(
    Stream.succeed(head()),
    Stream.fromSchedule(Schedule.spaced(everyMs)).pipe(
      Stream.take(count),
      Stream.map(() => tone(0.1))
    )
  )
const from = (by: string) => ({ format: "wav", by }) as const

describe("live sound on the air", () => {
  it.live("is heard at once when it is taken, ends by itself without data, and refuses rubbish", () =>
    Effect.gen(function* () {
      const air = yield* Air
      const told: Array<AirEvent> = []
      yield* Effect.forkScoped(Stream.runForEach(air.events, (event) => Effect.sync(() => told.push(event))))
      const changed = (on: boolean) =>
        told.findLast((event) => event._tag === "LiveChanged" && event.on === on) as
          | Extract<AirEvent, { readonly _tag: "LiveChanged" }>
          | undefined
      /** Fails with what the chain told, instead of with the test's time limit. */
      const within = <A, E, R>(name: string, wait: Effect.Effect<A, E, R>) =>
        Effect.timeoutOrElse(wait, {
          duration: "60 seconds",
          orElse: () =>
            Effect.flatMap(Effect.all([air.live.state, air.status]), ([live, status]) =>
              Effect.die(new Error(`${name}: ${inspect({ told, live, status }, { depth: 4 })}`))
            )
        })
      const awaitTold = (name: string, what: () => boolean) => within(name, awaitTrue(what))
      const awaitState = (name: string, wanted: (live: LiveState) => boolean) =>
        within(name, Effect.repeat(air.live.state, { until: wanted, schedule: Schedule.spaced(20) }))
      yield* awaitTold("the beginning", () => told.some(({ _tag }) => _tag === "Started"))

      // Connected before it is taken, as a studio does; four seconds of sound, then nothing more.
      const connection = yield* Effect.forkScoped(
        air.live.receive(Stream.concat(send(40, 100), Stream.never), from("ada"))
      )
      // Nobody has taken it, and its level can be read.
      yield* awaitState("its level", ({ inputLufs, state }) => state === "connected" && inputLufs !== null)
      const { nowSample } = yield* air.status
      const begunMs = yield* Clock.currentTimeMillis
      yield* air.live.take({ label, by: "ada" })
      yield* awaitTold("live sound", () => changed(true) !== undefined)
      // 0.25 s on an idle machine: the mixer's lead. On a busy one the command itself arrives later.
      expect(changed(true)!.atSample - nowSample).toBeLessThanOrEqual(2 * sampleRateHz)
      expect(yield* air.live.state).toMatchObject({ state: "on_air", takenBy: "ada", sentBy: "ada" })
      expect((yield* air.status).live).toBe(true)
      // A second sender doesn't push another operator's sound off the air.
      const second = yield* Effect.flip(air.live.receive(send(5, 10), from("bob")))
      expect(second.detail).toContain("ada")
      yield* awaitTold("its label", () =>
        told.some((event) => event._tag === "Started" && event.label.title === label.title)
      )

      const ended = yield* within("the end without data", Fiber.join(connection))
      expect([ended.reason, (yield* Clock.currentTimeMillis) - begunMs > 3_500]).toEqual(["no_data", true])
      expect(ended.onAirSec).toBeGreaterThan(3)
      yield* awaitTold("the end of live sound", () => changed(false) !== undefined)
      expect(yield* air.live.state).toMatchObject({ state: "off", takenBy: null, sentBy: null })
      yield* awaitTold("what was heard", () =>
        told.some(
          (event) =>
            event._tag === "Spanned" &&
            event.span.label.title === label.title &&
            event.span.layers.some(({ layer }) => layer === "live")
        )
      )

      // Taken before it comes: a file that comes at once is heard in its own time, and an emergency ends it, long before its end.
      yield* air.live.take({ label, by: "ada" })
      expect((yield* air.live.state).state).toBe("waiting")
      const file = yield* Effect.forkScoped(air.live.receive(Stream.fromIterable([head(), tone(60)]), from("ada")))
      yield* awaitState("the file on the air", ({ state }) => state === "on_air")
      yield* air.emergency(true, "a drill")
      yield* awaitState("the emergency", ({ state }) => state !== "on_air")
      // The mixer's report of it may come a moment later.
      yield* within(
        "the mixer's report of it",
        Effect.repeat(air.status, { until: ({ emergency }) => emergency, schedule: Schedule.spaced(20) })
      )
      yield* air.emergency(false, "over")
      const rubbish = Stream.fromIterable([new Uint8Array(50_000).fill(7)])
      const refused = yield* within("the end of rubbish", air.live.receive(rubbish, { format: "mp3", by: "ada" }))
      expect(refused.reason).toBe("unreadable")
      expect((yield* within("the end of the file", Fiber.join(file))).reason).toBe("replaced")

      // Half as fast as it plays: heard in stretches, and then no more.
      yield* air.live.take({ label, by: "ada" })
      const slow = yield* within("the end of slow sound", air.live.receive(send(600, 200), from("ada")))
      expect(slow.reason).toBe("too_slow")
      expect(slow.onAirSec).toBeGreaterThan(2)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})
