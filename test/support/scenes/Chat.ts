import { Effect } from "effect"
import { follow } from "../../../bench/instruments/clients/EventReader.ts"
import { call, askUntil } from "../http/SegmentHttp.ts"
import { arriveGranted, type Scenes, type Successes } from "./Scene.ts"

const chat = "/api/station/chat"
const say = (body: string) => Effect.flatMap(arriveGranted(), ({ key }) => call("POST", chat, { key, body: { body } }))

/** 4.8: the chat. Its rows name no codes; what it refuses is proven in test/http/listeners/Chat.test.ts. */
export const chatScenes: Scenes = { [`GET ${chat}`]: {}, [`GET ${chat}/events`]: {}, [`POST ${chat}`]: {} }

const message = (noun: string) =>
  [
    "id",
    "body",
    "authorType",
    "author.handle",
    "author.displayName",
    "author.avatarUrl",
    "targetHandle",
    "replyToMessageId",
    "exchangeId",
    "moderationStatus",
    "createdAt"
  ].map((field) => `${noun}.${field}`)
const agent = [
  "handle",
  "displayName",
  "availability",
  "addressing.open",
  "addressing.gate",
  "addressing.until",
  "activity",
  "lastActiveAt"
].map((field) => `chatAgents.0.${field}`)

/** The beginning of a stream, as one answer. */
const beginning = Effect.scoped(
  Effect.gen(function* () {
    const { headers, status, listEvents } = yield* follow(`${chat}/events`)
    const [first] = yield* askUntil(Effect.sync(listEvents), (events) => events.length > 0)
    return {
      status,
      headers: new Headers(headers as Record<string, string>),
      body: { event: first!.event, id: first!.id, ...first!.data }
    }
  })
)

export const chatSuccesses: Successes = {
  [`GET ${chat}`]: {
    ask: Effect.andThen(
      say("Good evening from the harbour."),
      askUntil(call("GET", chat), ({ body }) => body.chatAgents?.length > 0)
    ),
    fields: [...message("messages.0"), ...agent]
  },
  [`GET ${chat}/events`]: {
    ask: Effect.andThen(say("Who else is up?"), beginning),
    fields: ["event", "id", ...message("messages.0"), "chatAgents"]
  },
  [`POST ${chat}`]: { ask: say("What a night."), fields: [...message("message"), "exchange"] }
}
