import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { MusicProviders, type MusicProvider, ProviderFailed } from "../../../engine/ports/MusicProviders.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { retryAfterMaxSec } from "../../../engine/rules/runtime/limits.ts"
import {
  providerBusyMs,
  providerFailuresMax,
  providerPieceTimeoutMs,
  providerPiecesAtOnce,
  providerRestMaxMs,
  providerRestMinMs,
  providerSoundMaxBytes
} from "../../../engine/rules/music/limits.ts"
import { soundTypeOf } from "../../../schema/SoundType.ts"
import { configuredMusicProviders, StationConfig } from "../../../engine/runtime/Config.ts"
import type { MusicProviderState } from "../../../schema/music/MusicProvider.ts"
import { aceStep } from "./AceStep.ts"
import { endpoint } from "./Endpoint.ts"
import { miniMax } from "./MiniMax.ts"
import { type MusicAdapter, type MusicPlace, type ProviderClient, providerClient } from "./ProviderClient.ts"

/** A configured provider: its API, its place and its price. A new one joins here and in `configuredMusicProviders`. */
interface Configured {
  readonly adapter: (place: MusicPlace, client: ProviderClient) => MusicAdapter
  readonly place: MusicPlace
  readonly pricePerPiece: number | null
}

const configuredAs = Effect.map(StationConfig, (config): Readonly<Record<string, Configured>> => ({
  "ace-step": {
    adapter: aceStep,
    place: { url: config.aceStepUrl ?? "", key: config.aceStepKey, model: config.aceStepModel },
    pricePerPiece: config.aceStepPrice
  },
  minimax: {
    adapter: miniMax,
    place: { url: config.minimaxMusicUrl, key: config.minimaxMusicKey, model: config.minimaxMusicModel },
    pricePerPiece: config.minimaxMusicPrice
  },
  endpoint: {
    adapter: endpoint,
    place: { url: config.musicUrl ?? "", key: config.musicKey, model: config.musicModel },
    pricePerPiece: config.musicPrice
  }
}))

/** An order that the provider refuses, or for which it has no time, is no fault of it. */
const isFault = ({ reason }: ProviderFailed) => reason === "failed" || reason === "timeout"

/**
 * The configured providers. Each has a deadline; after three failures in a row it rests, longer each time. A finished piece is fetched at once, because
 * links expire, and stored as it came: its examination is the caller's.
 */
export const MusicProvidersLive = Layer.effect(
  MusicProviders,
  Effect.gen(function* () {
    const all: ReadonlyArray<MusicProvider> = configuredMusicProviders(yield* StationConfig)
    const settings = yield* configuredAs
    const objects = yield* ObjectStore
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(providerFailuresMax),
      openDuration: Schedule.min([
        Schedule.exponential(Duration.millis(providerRestMinMs)),
        Schedule.spaced(Duration.millis(providerRestMaxMs))
      ]),
      maxOpenDuration: Duration.seconds(retryAfterMaxSec)
    }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
    const working = new Map(
      yield* Effect.forEach(all, (provider) =>
        Effect.map(providerClient(provider, settings[provider.id]!.place), (client) => {
          const { adapter, place, pricePerPiece } = settings[provider.id]!
          const seen = { pieces: 0, failures: 0, lastFailure: null as MusicProviderState["lastFailure"] }
          return [provider.id, { provider, adapter: adapter(place, client), pricePerPiece, seen }] as const
        })
      )
    )
    let making = 0

    const states = Effect.forEach([...working.values()], ({ pricePerPiece, provider, seen }) =>
      Effect.map(Effect.orDie(breaker.state(provider.id)), ({ _tag }): MusicProviderState => ({
        id: provider.id,
        name: provider.name,
        state: _tag === "Closed" ? "ready" : "out",
        ...seen,
        pricePerPiece
      }))
    )

    return MusicProviders.of({
      all,
      states,
      make: ({ onBegun, key, order, seed, task }) =>
        Effect.gen(function* () {
          const one = working.get(order.provider)
          const failure = (reason: ProviderFailed["reason"], detail: string, retryAfterSec?: number) =>
            new ProviderFailed({
              provider: order.provider,
              reason,
              detail,
              ...(retryAfterSec === undefined ? {} : { retryAfterSec })
            })
          if (one === undefined) return yield* failure("refused", `There is no provider ${order.provider}.`)
          const { adapter, provider, seen } = one
          if (making >= providerPiecesAtOnce)
            return yield* failure("busy", "Other pieces are being made.", Math.ceil(providerBusyMs / 1_000))
          const bytes = adapter.make({ order, seed, task, onBegun }).pipe(
            Effect.timeoutOrElse({
              duration: providerPieceTimeoutMs,
              orElse: () =>
                Effect.fail(
                  failure("timeout", `${provider.name} made no piece within ${providerPieceTimeoutMs / 1_000} s.`)
                )
            }),
            Effect.flatMap((found) => {
              const contentType = soundTypeOf(found)
              return contentType === null || found.length > providerSoundMaxBytes
                ? Effect.fail(failure("failed", `${provider.name} sent a file that is neither MP3 nor WAV.`))
                : Effect.succeed({ found, contentType })
            }),
            Effect.tap(() => Effect.sync(() => seen.pieces++)),
            Effect.tapError((failure) =>
              failure instanceof ProviderFailed
                ? Effect.map(Clock.currentTimeMillis, (atMs) => {
                    seen.failures++
                    seen.lastFailure = { reason: failure.reason, detail: failure.detail, atMs }
                  })
                : Effect.void
            )
          )
          making++
          const { contentType, found } = yield* breaker
            .execute(bytes, {
              key: provider.id,
              classify: (exit) =>
                exit._tag === "Success"
                  ? CircuitBreaker.success
                  : exit.cause.reasons.some(
                        (cause) =>
                          cause._tag === "Fail" && cause.error instanceof ProviderFailed && isFault(cause.error)
                      )
                    ? CircuitBreaker.failure({})
                    : CircuitBreaker.ignored
            })
            .pipe(
              Effect.catchIf(
                (failure): failure is CircuitBreaker.CircuitBreakerError =>
                  failure instanceof CircuitBreaker.CircuitBreakerError,
                () =>
                  Effect.fail(
                    failure(
                      "busy",
                      `${provider.name} has failed several times and rests.`,
                      Math.ceil(providerRestMinMs / 1_000)
                    )
                  )
              ),
              Effect.ensuring(Effect.sync(() => making--))
            )
          yield* objects.put(key, { bytes: found }, contentType)
          return { byteSize: found.length, contentType }
        })
    })
  })
).pipe(Layer.provide(FetchHttpClient.layer))
