import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Panel } from "../../actors/protocol/Panel.ts"
import { Panels } from "../../engine/store/Panels.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import type { PanelSession } from "../../schema/Panel.ts"
import { MissingFields } from "../../schema/Problems.ts"
import { CurrentOperator } from "../api/Authorization.ts"
import { msOf } from "../api/Instants.ts"
import { OpsApi } from "../api/OpsApi.ts"
import { limitOf } from "../api/Segments.ts"
import { send } from "../Send.ts"
import { following, unknownCursor } from "./Commands.ts"
import { sessionView } from "./PanelViews.ts"

const noDeadline = new MissingFields({ detail: "Say which deadline moves: guestDeadline, hardDeadline or turnDue.", errors: [{ pointer: "/hardDeadline", code: "MISSING_FIELDS", detail: "is required where neither guestDeadline nor turnDue is there" }] })

export const PanelsForOpsHandlers = HttpApiBuilder.group(OpsApi, "panelsForOps", Effect.fn(function*(handlers) {
  const panel = yield* Panel.client
  const facts = yield* StationFacts
  const shown = (session: PanelSession) => ({ session: sessionView(session, true, facts) })
  const by = Effect.fnUntraced(function*(reason: string | null | undefined) {
    return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
  })
  const at = (text: string | undefined) => text === undefined ? null : msOf(text)
  return handlers.handleAll({
    sessions: Effect.fn(function*({ query }) {
      const page = yield* (yield* Panels).list({ showId: null, status: query.status === undefined ? null : [query.status], limit: limitOf(query), cursor: query.cursor ?? null })
      if (page === null) return yield* unknownCursor
      return { sessions: page.records.map((session) => shown(session).session), ...following(page.next) }
    }),
    extend: Effect.fn(function*({ params, payload: { guestDeadline, hardDeadline, reason, turnDue } }) {
      const to = { guestDeadlineMs: at(guestDeadline), hardDeadlineMs: at(hardDeadline), turnDueMs: at(turnDue) }
      if (Object.values(to).every((ms) => ms === null)) return yield* noDeadline
      return shown(yield* send(panel(params.id).Extend({ ...to, ...yield* by(reason) })))
    }),
    close: Effect.fn(function*({ params, payload }) {
      return shown(yield* send(panel(params.id).Close(yield* by(payload.reason))))
    }),
    removeSeat: Effect.fn(function*({ params, query }) {
      return shown(yield* send(panel(params.id).RemoveSeat({ participantId: params.participantId, ...yield* by(query.reason) })))
    })
  })
}))
