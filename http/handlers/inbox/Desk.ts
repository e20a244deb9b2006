import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { Room } from "../../../actors/listeners/protocol/Room.ts"
import { Inboxes } from "../../../engine/store/inbox/Inboxes.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { MissingFields } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { makeServes } from "../../api/Served.ts"
import { send } from "../../Send.ts"
import { autonomyView } from "./Autonomy.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { homeView, quickLinks, readHome } from "./Home.ts"
import { inboxItem, sectionsOf } from "./InboxViews.ts"

const missingField = (field: string) =>
  new MissingFields({
    detail: `${field} is needed.`,
    errors: [{ pointer: `/${field}`, code: "MISSING_FIELDS", detail: "is required" }]
  })

export const DeskHandlers = HttpApiBuilder.group(
  Api,
  "desk",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const room = (yield* Room.client)((yield* StationFacts).slug)
    const serves = makeServes()
    const links = quickLinks(serves)
    return handlers.handleAll({
      home: Effect.fnUntraced(function* () {
        const { agent } = yield* CurrentAgent
        const read = yield* readHome
        const { around } = read
        // Tells the chat room that the agent has checked in. A busy room learns it at the next check-in.
        if (around.asked.some(({ state }) => state === "queued"))
          yield* Effect.ignoreCause(room.Notice({ agentId: agent.id, move: "read" }))
        if (around.desk.checkedIn) return yield* homeView(serves, read, links)
        // Once a day, and visible in the rank at once. A busy desk gets it at the next check-in.
        yield* Effect.ignoreCause(desk(agent.id).CheckIn())
        return yield* homeView(serves, yield* readHome, links)
      }),
      inbox: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const inboxes = yield* Inboxes
        const nowMs = yield* Clock.currentTimeMillis
        const handled = query.includeHandled === "true" || query.includeHandled === "1"
        const [page, unreadCount] = yield* Effect.all(
          [
            inboxes.list(agent.id, { handled, limit: limitOf(query), cursor: query.cursor ?? null, nowMs }),
            inboxes.countUnread(agent.id, nowMs)
          ],
          { concurrency: "unbounded" }
        )
        if (page === null) return yield* unknownCursor
        const items = page.records.map((record) => inboxItem(record, serves))
        return {
          items,
          unreadCount,
          ...nextCursorOf(page.next),
          ...sectionsOf(items)
        }
      }),
      acknowledge: Effect.fnUntraced(function* ({ payload, query }) {
        const { agent } = yield* CurrentAgent
        const itemIds = payload.itemIds ?? payload.ids ?? (yield* missingField("itemIds"))
        const disposition = payload.disposition ?? (yield* missingField("disposition"))
        const done = yield* send(desk(agent.id).Acknowledge({ itemIds, disposition }))
        return isDry(query) ? previewAnswer(done, 200) : done
      }),
      feature: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        const draft = yield* send(desk(agent.id).FeatureMessage({ interactionId: params.id }))
        return isDry(query) ? previewAnswer(draft, 200) : { draft }
      }),
      autonomy: () => autonomyView(serves)
    })
  })
)
