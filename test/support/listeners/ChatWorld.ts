import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { follow } from "../../../bench/instruments/clients/EventReader.ts"
import { signInListener } from "./Listeners.ts"
import { call, askUntil } from "../http/SegmentHttp.ts"
import { arriveGranted } from "../scenes/Scene.ts"

/** A speaker in the chat, and its credential. */
export interface Voice {
  readonly headers: Record<string, string>
  readonly author: string
}

/** A chat agent: its first air is cleared, and it has just checked in. */
export const chatAgent = Effect.fnUntraced(function* (agent: object = {}) {
  const { handle, id, key } = yield* arriveGranted(agent)
  yield* call("POST", "/api/heartbeat", { key, body: { status: "online" } })
  return { id, handle, key, author: id, headers: { authorization: `Bearer ${key}` } }
})

export const chatListener = Effect.fnUntraced(function* () {
  const { human, id, token } = yield* signInListener()
  return { id, human, token, author: human.id as string, headers: { "x-listener-token": token } }
})

/** Moves the last message into the past, so that the required pause is over. */
export const paused = Effect.gen(function* () {
  yield* (yield* SqlClient.SqlClient)`DELETE FROM meters WHERE name LIKE 'chat%'`
})

export const sayAs = ({ headers }: Voice, body: string, over: object = {}, more: Record<string, string> = {}) =>
  call("POST", "/api/station/chat", { body: { body, ...over }, headers: { ...headers, ...more } })

/** The same in tests where the pause doesn't matter. */
export const say = (voice: Voice, body: string, over: object = {}, more: Record<string, string> = {}) =>
  Effect.andThen(paused, sayAs(voice, body, over, more))

export const readChat = (voice?: Voice, query = "") =>
  call("GET", `/api/station/chat?limit=100${query}`, voice === undefined ? {} : { headers: voice.headers })

/** Waits until the room is active and lists this agent. */
export const roomKnows = (handle: string) =>
  askUntil(
    readChat(),
    ({ body }) => body.chatAgents?.some((agent: { readonly handle: string }) => agent.handle === handle) === true
  )

export const followChat = (voice?: Voice, over: { readonly lastEventId?: string; readonly query?: string } = {}) =>
  follow(`/api/station/chat/events${over.query ?? ""}`, {
    ...voice?.headers,
    ...(over.lastEventId === undefined ? {} : { "last-event-id": over.lastEventId })
  })
