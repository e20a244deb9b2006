import { Cause, Effect, Metric, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { type Chosen, type NotInRundown, Station } from "../../../actors/air/protocol.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { ItemId } from "../../../schema/Ids.ts"
import { Busy, InvalidField, MissingFields, NotFound, UnsupportedMediaType } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { eventStream } from "../../stream/events/EventStream.ts"
import { whileCurrent } from "../operations/OpsEvents.ts"
import { mergeActors } from "../../../engine/rules/operations/ActorList.ts"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { mailboxesOf } from "../../../engine/rules/operations/Mailboxes.ts"
import { figuresOf } from "../../../engine/rules/operations/Figures.ts"
import { LiveSound } from "../../api/air/LiveSound.ts"
import { commandKey, previewAnswer } from "../Commands.ts"
import { readSeenVersion, withVersion } from "../IfMatch.ts"

const starting = new Busy({ detail: "The station has just started. Ask again in a second.", retryAfterSec: 1 })

interface Asked {
  readonly segmentId?: string | null
  readonly trackId?: string | null
}

const chosenOf = ({ segmentId, trackId }: Asked): Chosen | null =>
  segmentId != null && trackId == null
    ? { _tag: "Segment", segmentId }
    : trackId != null && segmentId == null
      ? { _tag: "Track", trackId }
      : null

const requireOne = (asked: Asked) => {
  const chosen = chosenOf(asked)
  return chosen !== null
    ? Effect.succeed(chosen)
    : Effect.fail(
        asked.segmentId == null
          ? new MissingFields({
              detail: "Required: segmentId or trackId.",
              errors: [{ pointer: "/segmentId", code: "MISSING_FIELDS", detail: "segmentId or trackId is required" }]
            })
          : new InvalidField({
              detail: "Send segmentId or trackId, not both.",
              errors: [{ pointer: "/trackId", code: "INVALID_FIELD", detail: "can't be sent with segmentId" }]
            })
      )
}

const oneChange = new InvalidField({
  detail: "Send one change at a time: before, locked, held, segmentId or trackId.",
  errors: ["/before", "/locked", "/held", "/segmentId", "/trackId"].map((pointer) => ({
    pointer,
    code: "INVALID_FIELD",
    detail: "exactly one of these"
  }))
})

const isItemId = Schema.is(ItemId)

/** Answer for an item that has left the rundown. */
const notInRundown = ({ itemId }: Pick<NotInRundown, "itemId">) =>
  new NotFound({
    detail: `${itemId} is not in the rundown: it is unknown, has begun, or was dropped. Read the rundown again.`
  })

/** No item has such an id: the same answer as for unknown ones. */
const itemOf = (id: string) => (isItemId(id) ? Effect.succeed(id) : Effect.fail(notInRundown({ itemId: id })))

const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
  return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
})
/** The acting operator, the version of the rundown that the command is meant for, and whether it is only tried. */
const readAct = Effect.fnUntraced(function* (
  headers: { readonly "if-match"?: string },
  reason: string | null | undefined,
  query: Parameters<typeof isDry>[0] = {}
) {
  return { ...(yield* actOf(reason)), seen: yield* readSeenVersion(headers), dryRun: isDry(query) }
})

/** Keys are scoped to the operator. */
const keyOf = Effect.fnUntraced(function* (headers: { readonly "idempotency-key"?: string }, body: unknown) {
  return commandKey(headers, [(yield* CurrentOperator).name, body])
})

const answerRundown = <A extends { readonly revision: number }, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.flatMap(send(command), (rundown) => withVersion({ rundown }, rundown.revision))
/** Of a tried command: the rundown as it would be. */
const answerTried = <A extends { readonly revision: number }, E, R>(
  { dryRun }: { readonly dryRun: boolean },
  command: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(send(command), (rundown) =>
    dryRun
      ? Effect.succeed<ReturnType<typeof previewAnswer> | { readonly rundown: A }>(previewAnswer({ rundown }, 200))
      : withVersion({ rundown }, rundown.revision)
  )
const requireItem = <A extends { readonly revision: number }, E, R>(
  act: { readonly dryRun: boolean },
  command: Effect.Effect<A, E, R>
) =>
  Effect.catch(answerTried(act, command), (error) =>
    Effect.fail(
      (error as { readonly _tag?: string })._tag === "NotInRundown"
        ? notInRundown(error as NotInRundown)
        : (error as Exclude<typeof error, NotInRundown>)
    )
  )

export const PlayoutHandlers = HttpApiBuilder.group(
  OpsApi,
  "playout",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const station = (yield* Station.client)(slug)
    const desk = (yield* OperatorDesk.client)(slug)
    return handlers.handleAll({
      rundown: () =>
        Effect.flatMap(EventBus, (bus) =>
          Effect.flatMap(bus.get("rundown"), (rundown) =>
            rundown === null ? Effect.fail(starting) : withVersion({ rundown }, rundown.revision)
          )
        ),
      meters: Effect.fnUntraced(function* ({ query }) {
        const { role } = yield* CurrentOperator
        return yield* eventStream("meters", query.lastEventId, role, { until: yield* whileCurrent })
      }),
      metrics: () =>
        Effect.gen(function* () {
          yield* (yield* EventBus).measure
          return { metrics: figuresOf(yield* Metric.snapshot) }
        }),
      actors: () =>
        Effect.gen(function* () {
          const bus = yield* EventBus
          yield* bus.measure
          return {
            actors: mergeActors((yield* bus.get("actors")) ?? [], (yield* bus.get("actorsElsewhere")) ?? []),
            mailboxes: mailboxesOf(yield* Metric.snapshot),
            processes: (yield* bus.get("processes")) ?? []
          }
        }),
      restartActor: Effect.fnUntraced(function* ({ payload }) {
        const act = yield* actOf(payload.reason)
        return { actor: yield* send(desk.RestartActor({ name: payload.name, ...act })) }
      }),
      skip: Effect.fnUntraced(function* ({ headers, payload, query }) {
        const act = yield* readAct(headers, payload.reason, query)
        return yield* answerTried(act, station.Skip({ itemId: payload.itemId ?? null, ...act }))
      }),
      hold: ({ headers, payload, query }) =>
        Effect.flatMap(readAct(headers, payload.reason, query), (act) => answerTried(act, station.Hold(act))),
      resume: ({ headers, payload, query }) =>
        Effect.flatMap(readAct(headers, payload.reason, query), (act) => answerTried(act, station.Resume(act))),
      emergency: ({ payload }) => Effect.flatMap(actOf(payload.reason), (act) => answerRundown(station.Emergency(act))),
      clearEmergency: ({ headers, payload }) =>
        Effect.flatMap(readAct(headers, payload.reason), (act) => answerRundown(station.ClearEmergency(act))),
      live: () =>
        Effect.map(
          Effect.flatMap(LiveSound, ({ state }) => state),
          (live) => ({ live })
        ),
      takeLive: Effect.fnUntraced(function* ({ payload }) {
        return {
          live: yield* send(
            station.TakeLive({
              title: payload.title || "Live",
              isSynthetic: payload.isSynthetic ?? false,
              ...(yield* actOf(payload.reason))
            })
          )
        }
      }),
      releaseLive: Effect.fnUntraced(function* ({ payload }) {
        return { live: yield* send(station.ReleaseLive(yield* actOf(payload.reason))) }
      }),
      insertNow: Effect.fnUntraced(function* ({ headers, payload, query }) {
        const chosen = yield* requireOne(payload)
        const act = yield* readAct(headers, payload.reason, query)
        const commandKey = yield* keyOf(headers, payload)
        return yield* requireItem(act, station.Insert({ commandKey, chosen, before: null, now: true, ...act }))
      }),
      insert: Effect.fnUntraced(function* ({ headers, payload, query }) {
        const chosen = yield* requireOne(payload)
        const act = yield* readAct(headers, payload.reason, query)
        const commandKey = yield* keyOf(headers, payload)
        const before = payload.before ?? null
        return yield* requireItem(act, station.Insert({ commandKey, chosen, before, now: false, ...act }))
      }),
      edit: Effect.fnUntraced(function* ({ headers, params, payload, query }) {
        const itemId = yield* itemOf(params.id)
        const { before, held, locked, reason } = payload
        const chosen = chosenOf(payload)
        if (
          [
            before !== undefined,
            locked !== undefined,
            held !== undefined,
            payload.segmentId != null,
            payload.trackId != null
          ].filter(Boolean).length !== 1
        )
          return yield* oneChange
        const act = yield* readAct(headers, reason, query)
        if (held !== undefined) return yield* requireItem(act, station.HoldItem({ itemId, held, ...act }))
        if (before !== undefined) return yield* requireItem(act, station.Move({ itemId, before, ...act }))
        if (chosen !== null)
          return yield* requireItem(
            act,
            station.Replace({ commandKey: yield* keyOf(headers, [itemId, payload]), itemId, chosen, ...act })
          )
        return yield* requireItem(act, station.Lock({ itemId, locked: locked!, ...act }))
      }),
      drop: Effect.fnUntraced(function* ({ headers, params, query }) {
        const itemId = yield* itemOf(params.id)
        const act = yield* readAct(headers, query.reason, query)
        return yield* requireItem(act, station.Drop({ itemId, ...act }))
      })
    })
  })
)

const formats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3"
}

export const LiveSoundHandlers = HttpApiBuilder.group(
  OpsApi,
  "liveSound",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const station = (yield* Station.client)(slug)
    return handlers.handleRaw(
      "sendLive",
      Effect.fnUntraced(function* ({ query, request }) {
        const type = (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()
        const format = formats[type]
        if (format === undefined) return yield* new UnsupportedMediaType({ detail: "Send audio/wav or audio/mpeg." })
        const act = yield* actOf(query.reason)
        const { receive } = yield* LiveSound
        yield* send(station.ConnectLive({ format, ...act }))
        const ended = yield* receive(request.stream, { format, by: act.actor }).pipe(
          // Also when the sender is gone, and nobody reads the answer.
          Effect.onExit((exit) =>
            exit._tag === "Success" || Cause.hasInterrupts(exit.cause)
              ? Effect.ignore(station.DisconnectLive({ ended: exit._tag === "Success" ? exit.value : null, ...act }))
              : Effect.void
          )
        )
        return { ended }
      })
    )
  })
)
