import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { ProviderWatchLive } from "../../../actors/music/ProviderWatch.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { type Answer, call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { type MusicProvidersDouble, musicProvidersDouble } from "../../support/music/MusicProvidersDouble.ts"
import {
  designate,
  awaitEnd,
  generate,
  completeAndPreview,
  music,
  musician,
  requestOf
} from "../../support/music/MusicScene.ts"
import { makeDue } from "../../support/runtime/WorkedOff.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

class Provider extends Context.Service<Provider, MusicProvidersDouble>()("test/MusicProvider") {}

const World = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        musicProvidersDouble((seed) => Buffer.from(`ID3 a piece of seed ${String(seed).padEnd(60)}`))
      ),
      ({ end }) => Effect.promise(end)
    ),
    (double) =>
      Layer.mergeAll(QuietStation, ProviderWatchLive).pipe(
        Layer.provideMerge(
          AgentHttp({
            ACESTEP_URL: double.url,
            MUSIC_URL: `${double.url}/v1/audio/generations`,
            MUSIC_MODEL: "waves-1",
            ACESTEP_PRICE: "0.25",
            MUSIC_MAX_SEC: "60"
          })
        ),
        Layer.provideMerge(Layer.succeed(Provider, double))
      )
  )
)

const refused = ({ body, status }: Answer) => [status, body.code]
const used = (key: string) =>
  Effect.map(call("GET", `${music}/capabilities`, { key }), ({ body }) => body.quota[0].used as number)
const lyrics = "[verse]\nLow water, slow water"
/** Tries until the request has ended, however long it would wait. */
const settled = (key: string, id: string) =>
  askUntil(
    Effect.andThen(makeDue(id), requestOf(key, id)),
    ({ body }) => !["queued", "generating"].includes(body.status)
  )

layer(World, { excludeTestServices: true })("music by providers", (it) => {
  it.effect("is offered with what each can do, ordered, examined and marked as a model's work", () =>
    Effect.gen(function* () {
      const double = yield* Provider
      const { handle, key } = yield* musician()
      const { providers } = (yield* call("GET", `${music}/capabilities`, { key })).body
      expect(
        providers.map(({ id, instrumental, lyrics, maxDurationSec, wired }: Record<string, unknown>) => [
          id,
          wired,
          maxDurationSec,
          instrumental,
          lyrics
        ])
      ).toEqual([
        ["house", true, 300, true, false],
        ["ace-step", true, 300, true, true],
        ["endpoint", true, 60, true, false]
      ])
      expect((yield* call("GET", "/api/music/capabilities", { key })).body.providers).toEqual(providers)
      const preview = yield* call("POST", "/api/music/generate/preview", {
        key,
        body: { prompt: "A slow sea shanty", lyrics }
      })
      expect([preview.body.provider, double.orders()]).toEqual(["ace-step", 0])

      const { requestId, variantId, variants } = yield* completeAndPreview(key, { lyrics, variants: 2, seed: 11 })
      expect([variants.length, double.orders()]).toEqual([2, 2])
      const { track } = (yield* designate(key, requestId, { variantId })).body
      expect(track).toMatchObject({
        isInstrumental: false,
        lyrics,
        category: "song",
        source: "generated",
        synthetic: {
          digitalSourceType: expect.stringMatching(/\/trainedAlgorithmicMedia$/),
          generator: "ACE-Step 1.5",
          disclosure: `AI music. Made by ACE-Step 1.5 for the AI agent @${handle}.`
        }
      })
      expect(yield* used(key)).toBe(1)
    })
  )

  it.effect("never turns lyrics into an instrumental: what can't be sung is refused, and nothing is spent", () =>
    Effect.gen(function* () {
      const double = yield* Provider
      const { key } = yield* musician()
      const before = double.orders()
      const refusals: Array<unknown> = []
      for (const body of [
        { lyrics: ["Low water"] },
        { lyrics: { verse: "Low water" } },
        { lyrics: 7 },
        { lyrics: true },
        { lyrics: "[verse] [chorus]" },
        { lyrics, provider: "endpoint" },
        { lyrics, instrumental: true },
        { instrumental: false },
        { provider: "endpoint", durationSec: 61 }
      ])
        refusals.push(refused(yield* generate(key, body)))
      expect(refusals).toEqual(refusals.map(() => [400, "INVALID_FIELD"]))
      expect([double.orders() - before, yield* used(key)]).toEqual([0, 0])
    })
  )

  it.effect("waits while the provider has no time, and is made once it has", () =>
    Effect.gen(function* () {
      const double = yield* Provider
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* musician()
      double.state.fault = "limits"
      const { requestId } = (yield* generate(key, { provider: "endpoint", durationSec: 40, seed: 21 })).body
      const job = sql<{ waitSec: number; tries: number }>`
        SELECT extract(epoch FROM run_at - now())::float8 AS wait_sec, tries FROM jobs WHERE key = ${requestId} AND state = 'waiting' AND last_error IS NOT NULL`
      const [waiting] = yield* askUntil(job, (rows) => rows.length > 0)
      // As long as the provider says, and it is no failed try.
      expect(waiting!.waitSec).toBeGreaterThan(100)
      expect((yield* requestOf(key, requestId)).body.status).toBe("generating")
      double.state.fault = "none"
      yield* makeDue(requestId)
      expect((yield* awaitEnd(key, requestId)).body).toMatchObject({ status: "complete", provider: "endpoint" })
      expect(yield* used(key)).toBe(1)
    })
  )

  it.effect("is refunded once when the provider refuses it, fails three times, or gives a copy", () =>
    Effect.gen(function* () {
      const double = yield* Provider
      const { key } = yield* musician()
      const order = { provider: "endpoint", durationSec: 40 }
      double.state.fault = "refuses_order"
      const rejected = yield* generate(key, { ...order, seed: 31 })
      expect((yield* settled(key, rejected.body.requestId)).body).toMatchObject({
        status: "rejected",
        error: { code: "PROVIDER_REFUSED" }
      })
      double.state.fault = "wrong_types"
      const failed = yield* generate(key, { ...order, seed: 32 })
      expect((yield* settled(key, failed.body.requestId)).body).toMatchObject({
        status: "failed",
        error: { code: "GENERATION_FAILED", detail: expect.stringContaining("something else than music") }
      })
      double.state.fault = "none"
      yield* awaitEnd(key, (yield* generate(key, { seed: 33, lyrics })).body.requestId)
      // Another request whose sound is the same: a copy, however it was asked for.
      const copy = yield* generate(key, { seed: 33, lyrics, title: "Another title" })
      expect((yield* settled(key, copy.body.requestId)).body).toMatchObject({
        status: "failed",
        error: { code: "GENERATION_FAILED", detail: expect.stringContaining("can't air") }
      })
      expect(yield* used(key)).toBe(1)
      // Operators see who failed, and what the others cost.
      const viewer = yield* operator("viewer")
      const { body } = yield* askUntil(call("GET", "/api/ops/music/providers", { key: viewer }), ({ body }) =>
        body.providers.some(({ state }: { readonly state: string }) => state === "out")
      )
      expect(body.providers).toMatchObject([
        { id: "ace-step", name: "ACE-Step 1.5", state: "ready", lastFailure: null, pricePerPiece: 0.25 },
        { id: "endpoint", state: "out", lastFailure: { reason: "failed" }, costUsd: null }
      ])
      const [{ costUsd, pieces }] = body.providers
      expect([pieces >= 3, costUsd]).toEqual([true, pieces * 0.25])
    })
  )
})
