import { Cause, Clock, Effect, Layer, Schedule } from "effect"
import { messagesKeptMin, panelLookSec, panelTickMs, panelsAtOnce } from "../../engine/rules/panels/limits.ts"
import { ClusterMessages } from "../../engine/store/sql/ClusterMessages.ts"
import { Panels } from "../../engine/store/panels/Panels.ts"
import { Panel } from "./protocol/Panel.ts"
import { quietly, superviseForEver } from "../runtime/Supervision.ts"

/** Wakes every panel one of whose deadlines has passed, whoever slept through it. Answers when the next one does. */
export const deadlineRound = Effect.fn("PanelDeadlines.round")(function* () {
  const panels = yield* Panels
  const panel = yield* Panel.client
  for (const id of yield* panels.due(yield* Clock.currentTimeMillis, panelsAtOnce)) {
    // One that can't be woken must not keep the others asleep.
    yield* quietly(`panels: ${id} was not woken`, panel(id).Wake())
  }
  return yield* panels.wakesAt
})

/** Takes leave for those who were shut out or have gone. */
export const leavingRound = Effect.fn("PanelDeadlines.leaving")(function* () {
  const panel = yield* Panel.client
  yield* Effect.forEach(
    yield* (yield* Panels).gone(panelsAtOnce),
    ({ agentId, sessionId }) => panel(sessionId).Leave({ agentId }),
    { discard: true }
  )
})

const deadlines = Effect.gen(function* () {
  for (;;) {
    const nextMs = yield* Effect.catchCause(deadlineRound(), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("panels: a round was left out", cause), null)
    )
    const restMs = nextMs === null ? panelTickMs : nextMs - (yield* Clock.currentTimeMillis)
    // What begins meanwhile may end sooner than what is known now; what is due still was tried just now.
    yield* Effect.sleep(restMs <= 0 ? panelTickMs : Math.min(panelTickMs, restMs))
  }
})

const everyNow = <E, R>(what: string, sec: number, round: Effect.Effect<void, E, R>) =>
  quietly(`panels: ${what} was left out`, round).pipe(Effect.repeat(Schedule.spaced(`${sec} seconds`)))

/** What happens to panels while nobody calls: deadlines pass, agents go, and what they were sent is forgotten once it is done. */
export const PanelDeadlinesLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Effect.forkScoped(superviseForEver("PanelDeadlines", panelTickMs, deadlines))
    yield* Effect.forkScoped(everyNow("leaving", panelLookSec, leavingRound()))
    yield* Effect.forkScoped(
      everyNow(
        "forgetting",
        messagesKeptMin * 60,
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          Effect.flatMap(ClusterMessages, (mailboxes) => mailboxes.purge(nowMs - messagesKeptMin * 60_000))
        )
      )
    )
  })
)
