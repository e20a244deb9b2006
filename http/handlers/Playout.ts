import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { randomBytes } from "node:crypto"
import { Bus } from "../../actors/Bus.ts"
import { Station } from "../../actors/protocol/Station.ts"
import { asRunRowsPerDayMax } from "../../engine/Limits.ts"
import { msOf, sampleOf } from "../../engine/rules/Timing.ts"
import { AsRun } from "../../engine/store/AsRun.ts"
import { Audit } from "../../engine/store/Audit.ts"
import { Fences } from "../../engine/store/Fences.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import { makeId } from "../../schema/Ids.ts"
import { Busy } from "../../schema/Problems.ts"
import { CurrentOperator } from "../api/Authorization.ts"
import { OpsApi } from "../api/OpsApi.ts"
import { send } from "../Send.ts"

const starting = new Busy({ detail: "The station has just started. Ask again in a second.", retryAfterSec: 1 })

export const PlayoutHandlers = HttpApiBuilder.group(OpsApi, "playout", Effect.fn(function*(handlers) {
  const { slug } = yield* StationFacts
  const station = (yield* Station.client)(slug)
  type View = Effect.Success<ReturnType<typeof station.GetRundown>>
  /** Done, and written down who did it and why. */
  const audited = <E, R>(action: string, command: Effect.Effect<View, E, R>, reason: string | null | undefined) => Effect.gen(function*() {
    const bus = yield* Bus
    const before = yield* bus.get("rundown")
    const rundown = yield* send(command)
    const operator = yield* CurrentOperator
    const state = (view: Pick<View, "held" | "emergency" | "onAir"> | null) => view === null ? null : { held: view.held, emergency: view.emergency, onAir: view.onAir?.id ?? null }
    const atMs = yield* Clock.currentTimeMillis
    yield* (yield* Audit).append({
      id: makeId("aud", atMs, randomBytes(10)), atMs, actor: operator.name, action, subject: { type: "playout", id: slug }, reason: reason ?? null, before: state(before), after: state(rundown)
    })
    return { rundown }
  })
  return handlers.handleAll({
    me: () => Effect.map(CurrentOperator, (operator) => ({ operator })),
    rundown: () => Effect.flatMap(Bus, (bus) => Effect.flatMap(bus.get("rundown"), (rundown) => rundown === null ? Effect.fail(starting) : Effect.succeed({ rundown }))),
    actors: () => Effect.flatMap(Bus, (bus) => Effect.map(bus.get("actors"), (actors) => ({ actors: actors ?? [] }))),
    asRun: Effect.fn("asRun")(function*({ query: { day } }) {
      const dayMs = Date.parse(`${day}T00:00:00Z`)
      const stationId = yield* (yield* Fences).stationId
      const rows = yield* (yield* AsRun).rows(stationId, { fromSeq: 0, fromSample: sampleOf(dayMs), toSample: sampleOf(dayMs + 86_400_000), limit: asRunRowsPerDayMax })
      return {
        rows: rows.flatMap(({ body, row }) => body === null ? [] : [{
          id: `asr_${row.seq}`, firstSample: body.firstSample, lastSample: body.lastSample, startedAt: new Date(msOf(body.firstSample)).toISOString(),
          text: row.text, prevHash: row.prevHash, hash: row.hash, signature: row.signature
        }])
      }
    }),
    skip: ({ payload }) => audited("skip", station.Skip({ itemId: payload.itemId ?? null, reason: payload.reason ?? null }), payload.reason),
    hold: ({ payload }) => audited("hold", station.Hold({ reason: payload.reason ?? null }), payload.reason),
    resume: ({ payload }) => audited("resume", station.Resume({ reason: payload.reason ?? null }), payload.reason),
    emergency: ({ payload }) => audited("emergency", station.Emergency({ reason: payload.reason ?? null }), payload.reason),
    clearEmergency: ({ payload }) => audited("emergency_clear", station.ClearEmergency({ reason: payload.reason ?? null }), payload.reason)
  })
}))
