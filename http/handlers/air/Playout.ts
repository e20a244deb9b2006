import { Effect, Metric, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { type Chosen, type NotInRundown, Station } from "../../../actors/air/protocol.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { ItemId } from "../../../schema/Ids.ts"
import { Busy, InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { eventStream } from "../../stream/events/EventStream.ts"
import { whileCurrent } from "../operations/OpsEvents.ts"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { mailboxesOf } from "../../../engine/rules/operations/Mailboxes.ts"
import { commandKey } from "../Commands.ts"
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
/** The acting operator and the version of the rundown that the command is meant for. */
const readAct = Effect.fnUntraced(function* (
  headers: { readonly "if-match"?: string },
  reason: string | null | undefined
) {
  return { ...(yield* actOf(reason)), seen: yield* readSeenVersion(headers) }
})

/** Keys are scoped to the operator. */
const keyOf = Effect.fnUntraced(function* (headers: { readonly "idempotency-key"?: string }, body: unknown) {
  return commandKey(headers, [(yield* CurrentOperator).name, body])
})

const answerRundown = <A extends { readonly revision: number }, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.flatMap(send(command), (rundown) => withVersion({ rundown }, rundown.revision))
const requireItem = <A extends { readonly revision: number }, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.catch(answerRundown(command), (error) =>
    Effect.fail(
      (error as { readonly _tag?: string })._tag === "NotInRundown"
        ? notInRundown(error as NotInRundown)
        : (error as Exclude<typeof error, NotInRundown>)
    )
  )

export const PlayoutHandlers = HttpApiBuilder.group(
  OpsApi,
  "playout",
  Effect.fn(function* (handlers) {
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
      meters: Effect.fn("playout.meters")(function* ({ query }) {
        const { role } = yield* CurrentOperator
        return yield* eventStream("meters", query.lastEventId, role, { until: yield* whileCurrent })
      }),
      actors: () =>
        Effect.gen(function* () {
          const bus = yield* EventBus
          yield* bus.measure
          return { actors: (yield* bus.get("actors")) ?? [], mailboxes: mailboxesOf(yield* Metric.snapshot) }
        }),
      restartActor: Effect.fn("restartActor")(function* ({ payload }) {
        const act = yield* actOf(payload.reason)
        return { actor: yield* send(desk.RestartActor({ name: payload.name, ...act })) }
      }),
      skip: Effect.fn(function* ({ headers, payload }) {
        return yield* answerRundown(
          station.Skip({ itemId: payload.itemId ?? null, ...(yield* readAct(headers, payload.reason)) })
        )
      }),
      hold: ({ headers, payload }) =>
        Effect.flatMap(readAct(headers, payload.reason), (act) => answerRundown(station.Hold(act))),
      resume: ({ headers, payload }) =>
        Effect.flatMap(readAct(headers, payload.reason), (act) => answerRundown(station.Resume(act))),
      emergency: ({ payload }) => Effect.flatMap(actOf(payload.reason), (act) => answerRundown(station.Emergency(act))),
      clearEmergency: ({ headers, payload }) =>
        Effect.flatMap(readAct(headers, payload.reason), (act) => answerRundown(station.ClearEmergency(act))),
      insertNow: Effect.fn(function* ({ headers, payload }) {
        const chosen = yield* requireOne(payload)
        return yield* requireItem(
          station.Insert({
            commandKey: yield* keyOf(headers, payload),
            chosen,
            before: null,
            now: true,
            ...(yield* readAct(headers, payload.reason))
          })
        )
      }),
      insert: Effect.fn(function* ({ headers, payload }) {
        const chosen = yield* requireOne(payload)
        return yield* requireItem(
          station.Insert({
            commandKey: yield* keyOf(headers, payload),
            chosen,
            before: payload.before ?? null,
            now: false,
            ...(yield* readAct(headers, payload.reason))
          })
        )
      }),
      edit: Effect.fn(function* ({ headers, params, payload }) {
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
        const act = yield* readAct(headers, reason)
        if (held !== undefined) return yield* requireItem(station.HoldItem({ itemId, held, ...act }))
        if (before !== undefined) return yield* requireItem(station.Move({ itemId, before, ...act }))
        if (chosen !== null)
          return yield* requireItem(
            station.Replace({ commandKey: yield* keyOf(headers, [itemId, payload]), itemId, chosen, ...act })
          )
        return yield* requireItem(station.Lock({ itemId, locked: locked!, ...act }))
      }),
      drop: Effect.fn(function* ({ headers, params, query }) {
        return yield* requireItem(
          station.Drop({ itemId: yield* itemOf(params.id), ...(yield* readAct(headers, query.reason)) })
        )
      })
    })
  })
)
