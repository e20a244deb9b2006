import { afterAll, describe, expect, it, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { getPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { mediaJobNiceness } from "../../../engine/rules/music/limits.ts"
import { Music } from "../../../engine/ports/Music.ts"
import type { Composition, MusicAsk } from "../../../engine/ports/Music.ts"
import { makeMusic } from "../../../media/music/Music.ts"

const work = mkdtempSync(join(tmpdir(), "longwave-music-"))
afterAll(() => rmSync(work, { recursive: true }))

const ask = (changes: Partial<MusicAsk>): MusicAsk => ({
  genre: "lofi",
  mood: null,
  form: "bed",
  durationSec: 30,
  seed: 1,
  bpm: null,
  ...changes
})
const hashOf = ({ channels }: Composition) =>
  channels
    .reduce(
      (hash, { buffer, byteOffset, byteLength }) =>
        hash.update(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)),
      createHash("sha256")
    )
    .digest("hex")
const reasonOf = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : null)

/** How nice each process is that renders for this one, where the system tells. */
const niceness = (): ReadonlyArray<number> =>
  execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("MusicWorker.ts"))
    .map((line) => getPriority(Number.parseInt(line, 10)))

layer(Layer.effect(Music, makeMusic(new URL("../../../media/music/MusicWorker.ts", import.meta.url), 600, work)), {
  excludeTestServices: true
})("the house composer as a port", (test) => {
  test.effect("renders in its process, tells how far it is, and hands over the piece", () =>
    Effect.gen(function* () {
      const { compose, genres } = yield* Music
      expect(genres).toContain("spoken_word")
      const shares: Array<number> = []
      let piece: Composition | null = null
      yield* Stream.runForEach(compose(ask({ form: "song", genre: "jazz" })), (step) =>
        Effect.sync(() => {
          if (step._tag === "Rendering") shares.push(step.progress)
          else piece = step.composition
        })
      )
      expect(shares.length).toBeGreaterThanOrEqual(20)
      expect(shares).toEqual([...shares].sort((a, b) => a - b))
      expect(piece).toMatchObject({ sampleRateHz: 48_000, words: [] })
      const { channels, introEndMs, segueMs, sections, title } = piece! as Composition
      expect(channels.map(({ length }) => length)).toEqual([1_440_000, 1_440_000])
      expect(title.length).toBeGreaterThan(3)
      expect(introEndMs).toBeGreaterThanOrEqual(6_000)
      expect(segueMs).toBeLessThan(30_000)
      expect(sections.at(-1)!.endMs).toBe(30_000)
    })
  )

  test.effect("leaves no file behind, and gives the memory of a piece back when told to", () =>
    Effect.gen(function* () {
      const { channels, release } = yield* (yield* Music).composeWhole(ask({ form: "sting", durationSec: 2 }))
      expect(readdirSync(work).filter((name) => name.endsWith(".f32"))).toEqual([])
      release!()
      expect(channels.map(({ length }) => length)).toEqual([0, 0])
    })
  )

  test.effect("gives the same bytes for the same ask", () =>
    Effect.gen(function* () {
      const { composeWhole } = yield* Music
      const one = yield* composeWhole(ask({}))
      expect(hashOf(yield* composeWhole(ask({})))).toBe(hashOf(one))
      expect(hashOf(yield* composeWhole(ask({ seed: 2 })))).not.toBe(hashOf(one))
    })
  )

  test.effect("brings lengths to what the form can carry", () =>
    Effect.gen(function* () {
      const { composeWhole } = yield* Music
      expect((yield* composeWhole(ask({ form: "sting", durationSec: 60 }))).channels[0]!.length).toBe(8 * 48_000)
    })
  )

  test.effect("refuses a genre that the house doesn't play", () =>
    Effect.gen(function* () {
      const { composeWhole } = yield* Music
      expect(reasonOf(yield* Effect.exit(composeWhole(ask({ genre: "polka" }))))).toMatchObject({
        _tag: "MusicFailed",
        reason: "unknown_genre"
      })
    })
  )

  test.effect("ends the process of a piece that is no longer wanted, and goes on with the next", () =>
    Effect.gen(function* () {
      const { compose, composeWhole } = yield* Music
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(compose(ask({ form: "song", durationSec: 300 })), () => Deferred.succeed(begun, undefined))
      )
      yield* Deferred.await(begun)
      expect(niceness()).toEqual([Math.max(mediaJobNiceness, getPriority())])
      yield* Fiber.interrupt(fiber)
      expect(niceness()).toEqual([])
      expect((yield* composeWhole(ask({ form: "sting", durationSec: 2 }))).channels[0]!.length).toBe(2 * 48_000)
    })
  )
})

describe("a composer that fails", () => {
  const failure = (code: string, timeoutSec = 600) =>
    Effect.gen(function* () {
      const script = join(work, "composer.mjs")
      yield* Effect.promise(() => writeFile(script, code))
      const { composeWhole } = yield* makeMusic(pathToFileURL(script), timeoutSec, join(work, "pieces"))
      return reasonOf(yield* Effect.exit(composeWhole(ask({}))))
    })

  it.live("is ended when it hangs", () =>
    Effect.gen(function* () {
      expect(yield* failure("while (true) {}", 0.4)).toMatchObject({ _tag: "MusicFailed", reason: "timeout" })
    })
  )

  it.live("is named when it crashes, or leaves without a word", () =>
    Effect.gen(function* () {
      expect(yield* failure("throw new Error('out of tune')")).toMatchObject({
        reason: "crashed",
        detail: expect.stringContaining("out of tune")
      })
      expect(yield* failure("process.exit(3)")).toMatchObject({
        reason: "crashed",
        detail: expect.stringContaining("code 3")
      })
      expect(yield* failure("0")).toMatchObject({ reason: "crashed" })
    })
  )

  it.live("is named when it cut its piece short", () =>
    Effect.gen(function* () {
      expect(
        yield* failure(`import { writeFileSync } from "node:fs"
      writeFileSync(JSON.parse(process.argv[2]).path, "short")
      process.send({ _tag: "Rendered", lengthSamples: 48000, known: {} })`)
      ).toMatchObject({ reason: "crashed", detail: expect.stringContaining("5 were written") })
    })
  )

  it.live("knows none of the station's settings", () =>
    Effect.gen(function* () {
      expect(yield* failure("throw new Error(JSON.stringify(Object.keys(process.env)))")).toMatchObject({
        detail: expect.stringContaining("Error: []")
      })
    })
  )
})
