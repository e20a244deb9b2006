import { Effect } from "effect"
import { Counted } from "../../../http/api/Counted.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { arrive } from "../http/AgentHttp.ts"
import { emitAll, writeIn } from "../inbox/DeskEvents.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const home = "/api/v1/home"
const inbox = "/api/v1/inbox"
const ack = "/api/v1/inbox/ack"
const autonomy = "/api/v1/agents/me/autonomy"
const featurePath = (id: string) => `/api/v1/agents/me/listener-messages/${id}/feature`

/** As if an hour's reads had been sent at once. */
const useUpReads = (agentId: string) =>
  Effect.flatMap(Flood, (flood) => flood.take({ name: "agent-reads", limit: 0, windowSec: 3_600 }, agentId)).pipe(
    Effect.provideService(Counted, [])
  )

const arriveWithMessage = Effect.fnUntraced(function* () {
  const agent = yield* arrive()
  const message = yield* writeIn({ toAgentId: agent.id })
  yield* emitAll({ _tag: "ListenerMessageReceived", agentId: agent.id, interactionId: message })
  return { ...agent, message }
})

/** 4.3: home, inbox, legal, capabilities, heartbeat, autonomy. */
export const checkin: Scenes = {
  "GET /api/v1/legal": {},
  "GET /api/v1/capabilities": {},
  "POST /api/heartbeat": { INVALID_API_KEY: call("POST", "/api/heartbeat", { body: {} }) },
  [`GET ${home}`]: {
    INVALID_API_KEY: call("GET", home),
    AGENT_SUSPENDED: Effect.flatMap(arrive(), ({ id, key }) =>
      Effect.gen(function* () {
        yield* call("POST", `/api/ops/agents/${id}/suspend`, {
          key: yield* operator("admin"),
          body: { reason: "A test." }
        })
        return yield* call("GET", home, { key })
      })
    ),
    RATE_LIMITED: Effect.flatMap(arrive(), ({ id, key }) => Effect.andThen(useUpReads(id), call("GET", home, { key })))
  },
  [`GET ${inbox}`]: callWithoutKey("GET", inbox),
  [`POST ${ack}`]: callWithoutKey("POST", ack),
  [`POST ${featurePath("{id}")}`]: callWithoutKey("POST", featurePath("int_00000000000000000000000000")),
  [`GET ${autonomy}`]: callWithoutKey("GET", autonomy)
}

export const checkinElsewhere: Elsewhere = {}

export const checkinSuccesses: Successes = {
  "GET /api/v1/legal": {
    ask: call("GET", "/api/v1/legal"),
    fields: [
      "termsUrl",
      "privacyUrl",
      "rulesUrl",
      "contactUrl",
      "consent.agentClaim.version",
      "consent.broadcastDisclosure.text",
      "attestations.rightsAttested.routes.0"
    ]
  },
  "GET /api/v1/capabilities": {
    ask: call("GET", "/api/v1/capabilities"),
    fields: ["groups.0.routes.0.auth", "routes.0.auth"]
  },
  "POST /api/heartbeat": {
    ask: Effect.flatMap(arrive(), ({ key }) => post("/api/heartbeat", undefined, key)),
    fields: ["accepted", "at", "recommendedCadenceSeconds"]
  },
  [`GET ${home}`]: {
    // The first of a day also checks in.
    ask: Effect.flatMap(arriveWithMessage(), ({ key }) =>
      Effect.andThen(call("GET", home, { key }), call("GET", home, { key }))
    ),
    fields: [
      "actions.0.code",
      "quick_links.inbox",
      "inbox.unreadCount",
      "inbox.items.0.id",
      "inbox.path",
      "station.slug",
      "station.now",
      "station.streamNowPlaying",
      "station.chat.recentMessages",
      "station.listenerCount",
      "station.currentBlock",
      "station.nextBlock",
      "your_rank.tier",
      "your_rank.rankScore",
      "your_rank.nextTier",
      "your_rank.pointsToNext",
      "your_rank.position",
      "your_account.broadcast_gate.state",
      "your_account.blocks",
      "your_account.quotas.0.name",
      "what_to_do_next.0",
      "recommendedCadenceSeconds",
      "serverTime"
    ]
  },
  [`GET ${inbox}`]: {
    ask: Effect.flatMap(arriveWithMessage(), ({ key }) => call("GET", inbox, { key })),
    fields: ["items.0.id", "unreadCount", "listenerMessages.0.preview", "sessions", "comments", "follows"]
  },
  [`POST ${ack}`]: {
    ask: Effect.flatMap(arriveWithMessage(), ({ key, message }) =>
      post(ack, { itemIds: [`listener_msg:${message}`, "listener_msg:none"], disposition: "seen" }, key)
    ),
    fields: ["acknowledged.0", "unknown.0", "disposition"]
  },
  [`POST ${featurePath("{id}")}`]: {
    ask: Effect.flatMap(arriveWithMessage(), ({ key, message }) => post(featurePath(message), undefined, key)),
    fields: [
      "draft.messageId",
      "draft.attribution",
      "draft.excerpt",
      "draft.suggestedTitle",
      "draft.category",
      "draft.expiresAt"
    ]
  },
  [`GET ${autonomy}`]: {
    ask: Effect.flatMap(arriveWithMessage(), ({ key }) => call("GET", autonomy, { key })),
    fields: [
      "authority.level",
      "authority.may.0",
      "authority.mayNot.0",
      "blockers",
      "nextActions.0.code",
      "recovery",
      "jobs",
      "receipts"
    ]
  }
}
