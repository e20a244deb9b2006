import { Clock, Effect } from "effect"
import {
  messagesKeptMin,
  panelLookSec,
  panelTickMs,
  panelsAtOnce,
  panelsWokenAtOnce
} from "../../engine/rules/panels/limits.ts"
import { nextDeadlineMs } from "../../engine/rules/panels/PanelDeadlines.ts"
import { ClusterMessages } from "../../engine/store/sql/ClusterMessages.ts"
import { Panels } from "../../engine/store/panels/Panels.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, Later, periodicJob, purgeJob } from "../runtime/Jobs.ts"
import { WakeSession } from "./protocol/Jobs.ts"
import { Panel } from "./protocol/Panel.ts"

/** Reads the current deadline, which may have moved since the job was added. */
const wakeSession = jobHandler(WakeSession, {
  atOnce: panelsWokenAtOnce,
  restMs: backOff(panelTickMs, 60_000),
  work: Effect.fnUntraced(function* ({ sessionId }) {
    const panels = yield* Panels
    const session = yield* panels.find(sessionId)
    const dueMs = session === null ? null : nextDeadlineMs(session)
    if (dueMs === null) return
    if (dueMs > (yield* Clock.currentTimeMillis)) return new Later({ runAtMs: dueMs, reason: null })
    yield* (yield* Panel.client)(sessionId).Wake()
    return yield* rescheduleAfter(panelTickMs)
  })
})

/** Removes suspended and departed agents from their panels. */
export const freeSeats = Effect.fnUntraced(function* () {
  const panel = yield* Panel.client
  yield* Effect.forEach(
    yield* (yield* Panels).listGone(panelsAtOnce),
    ({ agentId, sessionId }) => panel(sessionId).Leave({ agentId }),
    { discard: true }
  )
})

export const panelJobs = [
  wakeSession,
  periodicJob("panels.free_seats", { next: repeatEvery(panelLookSec * 1_000), work: freeSeats() }),
  purgeJob("panels.purge_messages", {
    next: repeatEvery(messagesKeptMin * 60_000),
    batch: (nowMs) => Effect.flatMap(ClusterMessages, (mailboxes) => mailboxes.purge(nowMs - messagesKeptMin * 60_000))
  })
] as const
