import { describe, expect, it, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { mediaJobNiceness } from "../../engine/Limits.ts"
import { Music } from "../../engine/ports/Music.ts"
import type { Composition, MusicAsk } from "../../engine/ports/Music.ts"
import { MusicLive, musicOver } from "../../media/Music.ts"

const ask = (changes: Partial<MusicAsk>): MusicAsk => ({ genre: "lofi", mood: null, form: "bed", durationSec: 30, seed: 1, bpm: null, ...changes })
const hashOf = ({ channels }: Composition) => channels.reduce((hash, { buffer, byteOffset, byteLength }) => hash.update(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)), createHash("sha256")).digest("hex")
const script = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)
const reasonOf = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) ? Cause.squash(exit.cause) : null

/** How nice each thread of this process is, where the system tells. */
const niceness = (): ReadonlyArray<number> =>
  readdirSync("/proc/self/task").map((thread) => Number(readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ")[1]!.split(" ")[16]))

layer(MusicLive, { excludeTestServices: true })("the house composer as a port", (test) => {
  test.effect("renders in its thread, tells how far it is, and hands over the piece", () => Effect.gen(function*() {
    const { compose, genres } = yield* Music
    expect(genres).toContain("spoken_word")
    const shares: Array<number> = []
    let piece: Composition | null = null
    yield* Stream.runForEach(compose(ask({ form: "song", genre: "jazz" })), (step) => Effect.sync(() => {
      if (step._tag === "Rendering") shares.push(step.progress)
      else piece = step.composition
    }))
    expect(shares.length).toBeGreaterThanOrEqual(20)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(piece).toMatchObject({ sampleRateHz: 48_000, words: [] })
    const { channels, introEndMs, segueMs, sections, title } = piece! as Composition
    expect(channels.map(({ length }) => length)).toEqual([1_440_000, 1_440_000])
    expect(title.length).toBeGreaterThan(3)
    expect(introEndMs).toBeGreaterThanOrEqual(6_000)
    expect(segueMs).toBeLessThan(30_000)
    expect(sections.at(-1)!.endMs).toBe(30_000)
  }))

  test.effect("gives the same bytes for the same ask", () => Effect.gen(function*() {
    const { composeWhole } = yield* Music
    const one = yield* composeWhole(ask({}))
    expect(hashOf(yield* composeWhole(ask({})))).toBe(hashOf(one))
    expect(hashOf(yield* composeWhole(ask({ seed: 2 })))).not.toBe(hashOf(one))
  }))

  test.effect("brings lengths to what the form can carry", () => Effect.gen(function*() {
    const { composeWhole } = yield* Music
    expect((yield* composeWhole(ask({ form: "sting", durationSec: 60 }))).channels[0]!.length).toBe(8 * 48_000)
  }))

  test.effect("refuses a genre that the house doesn't play", () => Effect.gen(function*() {
    const { composeWhole } = yield* Music
    expect(reasonOf(yield* Effect.exit(composeWhole(ask({ genre: "polka" }))))).toMatchObject({ _tag: "MusicFailed", reason: "unknown_genre" })
  }))

  test.effect("ends the thread of a piece that is no longer wanted, and goes on with the next", () => Effect.gen(function*() {
    const { compose, composeWhole } = yield* Music
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(Stream.runForEach(compose(ask({ form: "song", durationSec: 300 })), () => Deferred.succeed(begun, undefined)))
    yield* Deferred.await(begun)
    if (process.platform === "linux") expect(niceness().filter((nice) => nice === mediaJobNiceness).length).toBeGreaterThanOrEqual(1)
    yield* Fiber.interrupt(fiber)
    if (process.platform === "linux") expect(niceness().filter((nice) => nice === mediaJobNiceness).length).toBe(0)
    expect((yield* composeWhole(ask({ form: "sting", durationSec: 2 }))).channels[0]!.length).toBe(2 * 48_000)
  }))
})

describe("a composer that fails", () => {
  const failure = (code: string, timeoutSec = 20) => Effect.gen(function*() {
    const { composeWhole } = yield* musicOver(script(code), timeoutSec)
    return reasonOf(yield* Effect.exit(composeWhole(ask({}))))
  })

  it.live("is ended when it hangs", () => Effect.gen(function*() {
    expect(yield* failure("while (true) {}", 0.4)).toMatchObject({ _tag: "MusicFailed", reason: "timeout" })
  }))

  it.live("is named when it crashes, or leaves without a word", () => Effect.gen(function*() {
    expect(yield* failure("throw new Error('out of tune')")).toMatchObject({ reason: "crashed", detail: "out of tune" })
    expect(yield* failure("process.exit(3)")).toMatchObject({ reason: "crashed" })
    expect(yield* failure("0")).toMatchObject({ reason: "crashed" })
  }))
})
