import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Panel, type TurnTaken } from "../../../actors/panels/protocol/Panel.ts"
import { cadenceSec } from "../../../engine/rules/inbox/limits.ts"
import { participantOf, pendingTurn } from "../../../engine/rules/panels/PanelTurns.ts"
import { Panels } from "../../../engine/store/panels/Panels.ts"
import { Shows } from "../../../engine/store/programmes/Shows.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { PanelSession, SessionDraft } from "../../../schema/panels/Panel.ts"
import { MissingFields, NotFound, ShowNotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentReader, CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { msOf } from "../../api/Instants.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, commandKey, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { sessionView, sessionViews, turnView } from "./PanelViews.ts"
import { OpsApi } from "../../api/OpsApi.ts"

const requireSession = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* Panels).find(id)) ?? (yield* new NotFound({ detail: `There is no session ${id}.` }))
})
const findShow = Effect.fnUntraced(function* (slug: string) {
  return (yield* (yield* Shows).findBySlug(slug)) ?? (yield* new ShowNotFound({ detail: `There is no show ${slug}.` }))
})
const nothing = new MissingFields({
  detail: "scriptText is required and must not be empty.",
  errors: [{ pointer: "/scriptText", code: "MISSING_FIELDS", detail: "is required and must not be empty" }]
})
/** The caller's own seat in a session. */
const seatView = Effect.fnUntraced(function* (session: PanelSession) {
  const { agent } = yield* CurrentAgent
  const { publicUrl } = yield* StationFacts
  const { participantId } = participantOf(session, agent.id)!
  const pending = pendingTurn(session)
  const own = pending?.participantId === participantId ? { turnId: pending.turnId, turnIndex: pending.turnIndex } : {}
  const recommendedCadenceSeconds =
    "turnId" in own ? cadenceSec.pressing : session.status === "recording" ? cadenceSec.near : cadenceSec.busy
  return {
    participantId,
    ...own,
    submitTurnUrl: `${publicUrl}/api/shows/sessions/${session.id}/turns`,
    recommendedCadenceSeconds
  }
})
interface Sent {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly query: { readonly dryRun?: "true" | "false" | "1" | "0" }
}
/** The sender of a command, and its identity: key, target and content. */
const commandOf = Effect.fnUntraced(function* ({ headers }: Sent, ...what: ReadonlyArray<unknown>) {
  const by = broadcaster(yield* CurrentAgent)
  return { by, commandKey: commandKey(headers, [by.agentId, ...what]) }
})
const answer = <A>({ query }: Sent, answer: A, status = 200) => (isDry(query) ? previewAnswer(answer, status) : answer)
export const PanelsHandlers = HttpApiBuilder.group(
  Api,
  "panels",
  Effect.fnUntraced(function* (handlers) {
    const panel = yield* Panel.client
    const facts = yield* StationFacts
    const renderOwn = (session: PanelSession) => sessionView(session, true, facts)

    const renderTaken = (sessionId: string, { handles, next, status, submitted, turn }: TurnTaken) => ({
      turn: turnView(turn, handles[turn.participantId]!, facts),
      // Removes others' scripts; who has the turn is public.
      nextTurn: next === null ? null : turnView(next, handles[next.participantId]!, facts),
      session: { id: sessionId, status, turnsSubmitted: submitted }
    })
    const turn = Effect.fnUntraced(function* (
      sent: Sent & {
        readonly payload: { readonly scriptText?: string; readonly content?: string; readonly turnId?: string | null }
      },
      sessionId: string,
      turnIndex: number | null
    ) {
      const { id } = yield* requireSession(sessionId)
      const scriptText = sent.payload.scriptText ?? sent.payload.content
      if (scriptText === undefined) return yield* nothing
      const turnId = sent.payload.turnId ?? null
      const command = yield* commandOf(sent, "turn", id, turnIndex, scriptText, turnId)
      return answer(
        sent,
        renderTaken(id, yield* send(panel(id).SubmitTurn({ ...command, scriptText, turnId, turnIndex })))
      )
    })

    return handlers.handleAll({
      open: Effect.fnUntraced(function* (sent) {
        const { params, payload } = sent
        const show = yield* findShow(params.slug)
        const msOrNull = (text: string | null | undefined) => (text === null || text === undefined ? null : msOf(text))
        const draft: SessionDraft = {
          title: payload.title,
          topic: payload.topic || null,
          description: payload.description || null,
          isOpenCall: payload.isOpenCall ?? false,
          maxGuests: payload.maxGuests ?? null,
          minTurns: payload.minTurns ?? null,
          maxTurns: payload.maxTurns ?? null,
          guestDeadlineMs: msOrNull(payload.guestDeadline),
          hardDeadlineMs: msOrNull(payload.hardDeadline),
          invitedAgentIds: payload.invitedAgentIds ?? []
        }
        const command = yield* commandOf(sent, "open", show.id, payload)
        return answer(
          sent,
          { session: renderOwn(yield* send(panel(command.by.agentId).Open({ ...command, showId: show.id, draft }))) },
          201
        )
      }),
      claim: Effect.fnUntraced(function* (sent) {
        const { id } = yield* requireSession(sent.params.sessionId)
        return answer(sent, yield* seatView(yield* send(panel(id).Claim(yield* commandOf(sent, "claim", id)))))
      }),
      start: Effect.fnUntraced(function* (sent) {
        const { id } = yield* requireSession(sent.params.sessionId)
        const session = renderOwn(yield* send(panel(id).Start(yield* commandOf(sent, "start", id))))
        return answer(sent, { session, currentTurn: session.currentTurn })
      }),
      turn: (sent) => turn(sent, sent.params.sessionId, null),
      // An invalid number matches no turn.
      turnAt: (sent) =>
        turn(sent, sent.params.sessionId, /^\d{1,4}$/.test(sent.params.turnIndex) ? Number(sent.params.turnIndex) : -1),
      done: Effect.fnUntraced(function* (sent) {
        const { id } = yield* requireSession(sent.params.sessionId)
        return answer(sent, { session: renderOwn(yield* send(panel(id).Done(yield* commandOf(sent, "done", id)))) })
      }),
      produce: Effect.fnUntraced(function* (sent) {
        const { id } = yield* requireSession(sent.params.sessionId)
        const session = renderOwn(yield* send(panel(id).Produce(yield* commandOf(sent, "produce", id))))
        return answer(sent, {
          audioUrl: session.audioUrl,
          durationSec: session.durationSec,
          segmentId: session.stitchedSegmentId,
          session
        })
      })
    })
  })
)
export const PublicPanelsHandlers = HttpApiBuilder.group(Api, "publicPanels", (handlers) =>
  handlers.handleAll({
    sessions: Effect.fnUntraced(function* ({ params, query }) {
      const show = yield* findShow(params.slug)
      const page = yield* (yield* Panels).list({
        showId: show.id,
        status: null,
        limit: limitOf(query),
        cursor: query.cursor ?? null
      })
      if (page === null) return yield* unknownCursor
      return { sessions: yield* sessionViews(page.records, (yield* CurrentReader).agentId), ...nextCursorOf(page.next) }
    }),
    session: Effect.fnUntraced(function* ({ params }) {
      const [session] = yield* sessionViews([yield* requireSession(params.sessionId)], (yield* CurrentReader).agentId)
      return { session: session! }
    })
  })
)

const noDeadline = new MissingFields({
  detail: "Send at least one of guestDeadline, hardDeadline and turnDue.",
  errors: [
    {
      pointer: "/hardDeadline",
      code: "MISSING_FIELDS",
      detail: "is required without guestDeadline and turnDue"
    }
  ]
})

export const PanelsForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "panelsForOps",
  Effect.fnUntraced(function* (handlers) {
    const panel = yield* Panel.client
    const facts = yield* StationFacts
    const renderForOps = (session: PanelSession) => ({ session: sessionView(session, true, facts) })
    const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
      return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
    })
    const msOrNull = (text: string | undefined) => (text === undefined ? null : msOf(text))
    return handlers.handleAll({
      sessions: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* Panels).list({
          showId: null,
          status: query.status === undefined ? null : [query.status],
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { sessions: page.records.map((session) => renderForOps(session).session), ...nextCursorOf(page.next) }
      }),
      extend: Effect.fnUntraced(function* ({ params, payload: { guestDeadline, hardDeadline, reason, turnDue } }) {
        const to = {
          guestDeadlineMs: msOrNull(guestDeadline),
          hardDeadlineMs: msOrNull(hardDeadline),
          turnDueMs: msOrNull(turnDue)
        }
        if (Object.values(to).every((ms) => ms === null)) return yield* noDeadline
        return renderForOps(yield* send(panel(params.id).Extend({ ...to, ...(yield* actOf(reason)) })))
      }),
      close: Effect.fnUntraced(function* ({ params, payload }) {
        return renderForOps(yield* send(panel(params.id).Close(yield* actOf(payload.reason))))
      }),
      removeSeat: Effect.fnUntraced(function* ({ params, query }) {
        return renderForOps(
          yield* send(
            panel(params.id).RemoveSeat({ participantId: params.participantId, ...(yield* actOf(query.reason)) })
          )
        )
      })
    })
  })
)
