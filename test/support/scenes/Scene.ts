import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Agents, AgentsWriter } from "../../../engine/store/agents/Agents.ts"
import type { Assets } from "../../../engine/store/sound/Assets.ts"
import type { Lore, LoreWriter } from "../../../engine/store/lore/Lore.ts"
import type { Humans, HumansWriter } from "../../../engine/store/people/Humans.ts"
import type { Flood } from "../../../http/envelope/Flood.ts"
import { arrive } from "../http/AgentHttp.ts"
import type { emitAll, writeIn } from "../inbox/DeskEvents.ts"
import type { person } from "../people/Humans.ts"
import type { boardsMade, onAir, songHeard } from "../air/OnAir.ts"
import type { airPanel, recordPanel } from "../panels/Recordings.ts"
import { type Answer, call, operator } from "../http/SegmentHttp.ts"
import type { SpeechScript } from "../media/SpeechDoubles.ts"
import type { Post } from "../people/MailDouble.ts"

/** What a scene may use of the world that the contract's test builds. */
export type World =
  | Effect.Services<ReturnType<typeof call>>
  | Effect.Services<ReturnType<typeof operator>>
  | SqlClient.SqlClient
  | SpeechScript
  | Agents
  | AgentsWriter
  | Assets
  | Effect.Services<ReturnType<typeof person>>
  | Effect.Services<typeof onAir>
  | Effect.Services<typeof songHeard>
  | Effect.Services<typeof boardsMade>
  | Humans
  | HumansWriter
  | Lore
  | LoreWriter
  | Post
  | Flood
  | Effect.Services<ReturnType<typeof recordPanel<never, never>>>
  | Effect.Services<ReturnType<typeof airPanel>>
  | Effect.Services<ReturnType<typeof emitAll>>
  | Effect.Services<ReturnType<typeof writeIn>>

/** How each refusal of a row is brought about, by operation and code; a row that names only a status is kept by that status. */
export type Scenes = Record<string, Record<string, Effect.Effect<Answer, unknown, World>>>

/** What a running station can't be brought to say, by operation and code, and where else it is proven. */
export type Elsewhere = Record<string, string>

/** One good call of an operation, and the fields (as dotted paths) that its row names. */
export type Successes = Record<
  string,
  { readonly ask: Effect.Effect<Answer, unknown, World>; readonly fields: ReadonlyArray<string> }
>

export const post = (path: string, body?: unknown, key?: string, headers: Record<string, string> = {}) =>
  call("POST", path, { headers, ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) })

export const callWithoutKey = (method: string, path: string) => ({
  "401": call(method, path, method === "POST" ? { body: {} } : {})
})

export const arriveGranted = Effect.fnUntraced(function* (agent: object = {}) {
  const arrived = yield* arrive(agent)
  yield* call("PUT", `/api/ops/agents/${arrived.id}/grants`, {
    key: yield* operator("producer"),
    body: { freeAir: true, stationSpeech: true }
  })
  return arrived
})

/** Fixes an agent's tier, as an operator does. */
export const promote = Effect.fnUntraced(function* (id: string, tierPin: 0 | 1 | 2 | 3 | 4) {
  yield* call("PUT", `/api/ops/agents/${id}/grants`, { key: yield* operator("producer"), body: { tierPin } })
})
