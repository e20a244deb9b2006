import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { MusicProviders, type ProviderFailed, type ProviderSound } from "../../../../engine/ports/MusicProviders.ts"
import { ObjectStore, type ObjectsUnavailable } from "../../../../engine/ports/ObjectStore.ts"
import { Outbound, OutboundRefused } from "../../../../engine/ports/Outbound.ts"
import { providerPieceTimeoutMs } from "../../../../engine/rules/music/limits.ts"
import { StationConfig } from "../../../../engine/runtime/Config.ts"
import { HttpOutboundLive } from "../../../../engine/runtime/HttpOutbound.ts"
import { fetchOver } from "../../../../engine/runtime/PublicFetch.ts"
import { MusicProvidersLive } from "../../../../media/music/providers/MusicProviders.ts"
import { MusicOrder } from "../../../../schema/music/MusicRequest.ts"
import {
  type MusicFault,
  type MusicProvidersDouble,
  musicProvidersDouble
} from "../../../support/music/MusicProvidersDouble.ts"

const key = "sk-music-secret"
const ids = ["ace-step", "minimax", "endpoint"] as const
type Id = (typeof ids)[number]
const order = (provider: Id, more: Partial<MusicOrder> = {}) =>
  MusicOrder.make({
    prompt: "A waltz for the harbour",
    title: "Low water",
    genre: "folk",
    mood: "warm",
    durationSec: 90,
    instrumental: false,
    lyrics: "[verse]\nLow water, slow water",
    bpm: 92.4,
    musicalKey: "D minor",
    seed: 3_000_000_007,
    provider,
    variants: 1,
    ...more
  })

/** What the provider gave, by key. */
const kept = new Map<string, { readonly type: string; readonly bytes: Buffer }>()
const Objects = Layer.mock(ObjectStore)({
  put: (name, content, type) =>
    Effect.sync(() => void kept.set(name, { type, bytes: Buffer.from("bytes" in content ? content.bytes : "") }))
})
const settings = (double: MusicProvidersDouble) => ({
  ACESTEP_URL: double.url,
  ACESTEP_KEY: key,
  ACESTEP_MODEL: "acestep-v15-turbo",
  MINIMAX_MUSIC_URL: double.url,
  MINIMAX_MUSIC_KEY: key,
  MUSIC_URL: `${double.url}/v1/audio/generations`,
  MUSIC_KEY: key,
  MUSIC_MODEL: "model-1",
  MUSIC_SINGS: "on",
  MUSIC_PRICE: "0.15"
})
const doubles = Effect.acquireRelease(
  Effect.promise(() => musicProvidersDouble()),
  ({ end }) => Effect.promise(end)
)
const connected = Effect.fnUntraced(function* (
  fault: MusicFault,
  outbound: Layer.Layer<Outbound, never, StationConfig> = HttpOutboundLive
) {
  const double = yield* doubles
  double.state.fault = fault
  const services = yield* Layer.build(
    MusicProvidersLive.pipe(
      Layer.provide(Layer.mergeAll(outbound, Objects)),
      Layer.provide(StationConfig.fromEnvironment(settings(double)))
    )
  )
  const providers = yield* Effect.provide(MusicProviders, services)
  const begun: Array<string> = []
  const make = (
    id: Id,
    more: Partial<MusicOrder> = {},
    task: string | null = null
  ): Effect.Effect<ProviderSound, ProviderFailed | ObjectsUnavailable> =>
    providers.make<never, never>({
      order: order(id, more),
      seed: 3_000_000_007,
      key: id,
      task,
      onBegun: (name) => Effect.sync(() => void begun.push(name))
    })
  return { begun, double, make, providers }
})

const requests: Readonly<Record<Id, readonly [path: string, body: object]>> = {
  "ace-step": [
    "/release_task",
    {
      prompt: "A waltz for the harbour. Genre: folk. Mood: warm.",
      lyrics: "[verse]\nLow water, slow water",
      audio_duration: 90,
      bpm: 92,
      key_scale: "D minor",
      use_random_seed: false,
      seed: 852_516_359,
      batch_size: 1,
      audio_format: "mp3",
      model: "acestep-v15-turbo"
    }
  ],
  minimax: [
    "/v1/music_generation",
    {
      model: "music-2.6",
      prompt:
        "A waltz for the harbour. Genre: folk. Mood: warm. Tempo: 92 BPM. Key: D minor. Length: about 90 seconds.",
      lyrics: "[verse]\nLow water, slow water",
      output_format: "url",
      audio_setting: { sample_rate: 44_100, bitrate: 256_000, format: "mp3" }
    }
  ],
  endpoint: [
    "/v1/audio/generations",
    {
      model: "model-1",
      prompt: "A waltz for the harbour. Genre: folk. Mood: warm. Tempo: 92 BPM. Key: D minor.",
      lyrics: "[verse]\nLow water, slow water",
      duration: 90,
      seed: 852_516_359
    }
  ]
}

describe("a provider of music", () => {
  it.live.each(ids)("%s is asked as its interface has it, and its piece is fetched at once", (id) =>
    Effect.gen(function* () {
      const { begun, double, make, providers } = yield* connected("none")
      double.state.looksUntilDone = 1
      expect(yield* make(id)).toEqual({ byteSize: 17, contentType: "audio/mpeg" })
      expect(kept.get(id)).toMatchObject({ type: "audio/mpeg", bytes: Buffer.from("ID3 a short piece") })
      const { body, headers, path } = double.asked[0]!
      expect([path, JSON.parse(body)]).toEqual(requests[id])
      expect(headers["authorization"]).toBe(`Bearer ${key}`)
      expect(double.asked.map((one) => one.path + one.body).join("")).not.toContain(key)
      // The name of the work is noted before it is fetched.
      expect(begun).toHaveLength(1)
      const state = (yield* providers.states).find((one) => one.id === id)!
      expect(state).toMatchObject({ state: "ready", pieces: 1, failures: 0, lastFailure: null })
      expect(providers.all.map(({ id, lyrics, name }) => [id, name, lyrics])).toEqual([
        ["ace-step", "ACE-Step 1.5 (acestep-v15-turbo)", true],
        ["minimax", "MiniMax music-2.6", true],
        ["endpoint", "model-1", true]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("is told in its own way that nobody sings", () =>
    Effect.gen(function* () {
      const { double, make } = yield* connected("none")
      for (const id of ids) yield* make(id, { instrumental: true, lyrics: null, bpm: null, musicalKey: null })
      const sent = double.asked.filter(({ body }) => body.includes("prompt")).map(({ body }) => JSON.parse(body))
      expect(sent[0]).toMatchObject({ lyrics: "[Instrumental]" })
      expect(sent[0]).not.toHaveProperty("bpm")
      expect(sent[1]).toMatchObject({ is_instrumental: true })
      expect(sent[1]).not.toHaveProperty("lyrics")
      expect(sent[2]).not.toHaveProperty("lyrics")
      expect(sent.map(({ prompt }) => prompt.endsWith("Instrumental, no vocals."))).toEqual([true, true, true])
    }).pipe(Effect.scoped)
  )

  it.live.each(["minimax", "endpoint"] as const)("%s may send the piece within its answer", (id) =>
    Effect.gen(function* () {
      const { begun, double, make } = yield* connected("none")
      double.state.inAnswer = true
      yield* make(id)
      expect([begun, double.asked.length, kept.get(id)!.bytes.toString()]).toEqual([[], 1, "ID3 a short piece"])
    }).pipe(Effect.scoped)
  )

  const refusals: ReadonlyArray<readonly [MusicFault, object]> = [
    ["refuses_key", { reason: "failed" }],
    ["refuses_order", { reason: "refused" }],
    ["limits", { reason: "busy", retryAfterSec: 120 }],
    ["fails", { reason: "failed" }],
    ["wrong_json", { reason: "failed" }],
    ["wrong_types", { reason: "failed" }],
    ["lying_type", { reason: "failed" }],
    ["endless", { reason: "failed" }],
    ["link_redirects", { reason: "failed" }],
    ["link_elsewhere", { reason: "failed" }],
    ["link_expired", { reason: "failed" }],
    ["link_endless", { reason: "failed" }]
  ]
  it.live.each(ids.flatMap((id) => refusals.map((refusal) => [id, ...refusal] as const)))(
    "%s that %s fails with its reason, keeps nothing, and neither its words nor the key go on",
    ([id, fault, expected]) =>
      Effect.gen(function* () {
        const { double, make, providers } = yield* connected(fault)
        kept.delete(id)
        const failure = yield* Effect.flip(make(id))
        expect(failure).toMatchObject({ provider: id, ...expected })
        expect(JSON.stringify(failure)).not.toMatch(/sk-music|Traceback|Sign in|sensitive|slow down/)
        expect(kept.has(id)).toBe(false)
        expect(double.orders()).toBeLessThanOrEqual(1)
        expect((yield* providers.states).find((one) => one.id === id)).toMatchObject({ pieces: 0, failures: 1 })
      }).pipe(Effect.scoped)
  )

  it.live("never passes an instrumental off as the song that was ordered", () =>
    Effect.gen(function* () {
      const { make } = yield* connected("leaves_out_lyrics")
      expect(yield* Effect.flip(make("ace-step"))).toMatchObject({
        reason: "failed",
        detail: expect.stringContaining("although lyrics were sent")
      })
      expect((yield* make("ace-step", { instrumental: true, lyrics: null })).byteSize).toBe(17)
    }).pipe(Effect.scoped)
  )

  it.live("goes on with work that was begun before, and begins anew what the provider lost", () =>
    Effect.gen(function* () {
      const { begun, double, make } = yield* connected("none")
      yield* make("ace-step")
      yield* make("ace-step", {}, begun[0]!)
      expect([double.orders(), begun]).toEqual([1, ["task-1"]])
      double.forget()
      yield* make("ace-step", {}, "task-1")
      expect([double.orders(), begun]).toEqual([2, ["task-1", "task-2"]])
      yield* make("minimax")
      yield* make("minimax", {}, begun[2]!)
      expect(double.orders()).toBe(3)
      yield* make("endpoint", {}, `${double.url}/expired`)
      expect(double.orders()).toBe(4)
    }).pipe(Effect.scoped)
  )

  it.live("follows a stranger's link only within the public network, however it redirects", () =>
    Effect.gen(function* () {
      const wanted: Array<string> = []
      const ask: Outbound["Service"]["ask"] = ({ headers, url }) => {
        wanted.push(url)
        expect(headers).not.toHaveProperty("authorization")
        return url === "https://cdn.example/piece.mp3"
          ? Effect.succeed({
              status: 302,
              headers: { location: "http://10.0.0.1/piece.mp3" },
              body: new Uint8Array(),
              isCut: false
            })
          : Effect.fail(new OutboundRefused({ detail: "leads to a host that is not on the public network" }))
      }
      const outbound = Layer.succeed(Outbound, Outbound.of({ check: Effect.succeed, ask, fetch: fetchOver(ask) }))
      const { double, make } = yield* connected("link_elsewhere", outbound)
      double.state.elsewhere = "https://cdn.example/piece.mp3"
      for (const id of ids)
        expect(yield* Effect.flip(make(id))).toMatchObject({
          reason: "failed",
          detail: expect.stringContaining("not on the public network")
        })
      expect(wanted).toEqual(ids.flatMap(() => ["https://cdn.example/piece.mp3", "http://10.0.0.1/piece.mp3"]))
    }).pipe(Effect.scoped)
  )

  it.effect.each(ids.flatMap((id) => (["hangs", "link_hangs"] as const).map((fault) => [id, fault] as const)))(
    "%s that %s in the middle of its answer is given up at the deadline, with nothing kept",
    ([id, fault]) =>
      Effect.gen(function* () {
        const { double, make } = yield* connected(fault)
        kept.delete(id)
        const hung = yield* Deferred.make<void>()
        const [step, pace] = fault === "hangs" ? ["", 0] : [id === "ace-step" ? "/v1/audio" : "/piece", 500]
        double.state.onAsked = (path) => {
          if (step === "" || path === step) Deferred.doneUnsafe(hung, Effect.void)
        }
        const made = yield* Effect.forkChild(Effect.flip(make(id)))
        // Looks at the task lie between the order and the link.
        const clock = yield* Effect.forkChild(
          Effect.forever(
            Effect.andThen(
              TestClock.adjust(pace),
              Effect.promise(() => new Promise(setImmediate))
            )
          )
        )
        yield* Deferred.await(hung)
        yield* Fiber.interrupt(clock)
        yield* TestClock.adjust(providerPieceTimeoutMs)
        expect(yield* Fiber.join(made)).toMatchObject({ reason: expect.stringMatching(/timeout|failed/) })
        expect(kept.has(id)).toBe(false)
      }).pipe(Effect.scoped)
  )

  it.live("rests after three failures in a row, and is asked no more meanwhile", () =>
    Effect.gen(function* () {
      const { double, make, providers } = yield* connected("fails")
      for (let n = 0; n < 3; n++) yield* Effect.flip(make("endpoint"))
      expect(yield* Effect.flip(make("endpoint"))).toMatchObject({ reason: "busy", retryAfterSec: 30 })
      expect(double.asked).toHaveLength(3)
      expect((yield* providers.states).map(({ id, state }) => [id, state])).toEqual([
        ["ace-step", "ready"],
        ["minimax", "ready"],
        ["endpoint", "out"]
      ])
      double.state.fault = "none"
      expect((yield* make("minimax")).byteSize).toBe(17)
    }).pipe(Effect.scoped)
  )
})
