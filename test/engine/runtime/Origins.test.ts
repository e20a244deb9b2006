import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Origins } from "../../../engine/ports/Origins.ts"
import { edgeProbeTimeoutMs, edgeRetryMs } from "../../../engine/rules/air/limits.ts"
import { originsLayer } from "../../../engine/runtime/Origins.ts"
import { fenceHeader } from "../../../schema/air/Fence.ts"

const origin = (answer: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer(answer).listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** One that freezes, and the next one, which gets the air after it was asked twice. */
const frozenAndNext = Effect.gen(function* () {
  const frozen = yield* origin(() => undefined)
  const state = { asked: 0, hasAir: false }
  const next = yield* origin((_, response) => {
    state.asked += 1
    response.writeHead(state.hasAir ? 200 : 503, { [fenceHeader]: "2" }).end()
  })
  return { frozen, next, look: () => void (state.hasAir ||= state.asked === 2) }
})

describe("the origins of an edge", () => {
  it.effect("are taken as soon as they have the air, while the former one lets every question wait", () =>
    Effect.gen(function* () {
      const { frozen, look, next } = yield* frozenAndNext
      yield* Effect.gen(function* () {
        const origins = yield* Origins
        origins.fail(origins.current())
        for (let ms = 0; ms < edgeProbeTimeoutMs - edgeRetryMs && origins.current().url !== next; ms++) {
          yield* TestClock.adjust(1)
          yield* Effect.promise(async () => {
            for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
          })
          look()
        }
        expect([origins.current().url, origins.switches(), origins.fence()]).toEqual([next, 1, 2])
      }).pipe(Effect.provide(originsLayer([frozen, next], null)))
    })
  )

  it.effect("let no question wait for the former origin once the next one has the air", () =>
    Effect.gen(function* () {
      const { frozen, look, next } = yield* frozenAndNext
      yield* Effect.gen(function* () {
        const origins = yield* Origins
        const former = origins.current()
        const waiting = yield* Effect.forkChild(
          Effect.exit(origins.get(former, { path: "/live.mp3", timeoutMs: 1_000_000 }))
        )
        origins.fail(former)
        for (let ms = 0; waiting.pollUnsafe() === undefined && ms < 10 * edgeProbeTimeoutMs; ms++) {
          yield* TestClock.adjust(1)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          look()
        }
        const outcome = waiting.pollUnsafe()
        expect([origins.current().url, outcome?._tag === "Success" && outcome.value._tag]).toEqual([next, "Failure"])
      }).pipe(Effect.provide(originsLayer([frozen, next], null)))
    })
  )
})
