import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../engine/Ids.ts"
import { Humans } from "../../engine/store/Humans.ts"
import { Human } from "../../schema/Human.ts"
import { call } from "./SegmentHttp.ts"

/** As a browser elsewhere: believed where the world has `TRUSTED_PROXIES: "127.0.0.1/32"`. */
export const from = (address: string) => ({ "x-forwarded-for": address })

let addresses = 0
/** An address of its own in 198.18.0.0/15, which belongs to tests. */
export const newAddress = (): string => `198.18.${++addresses >> 8}.${addresses & 255}`

/** A new listener, minted over HTTP: a guest who holds a token. */
export const listener = Effect.fnUntraced(function*(headers: Record<string, string> = {}) {
  const { body } = yield* call("POST", "/api/listeners/session", { headers })
  return { id: body.listenerId as string, token: body.listenerToken as string }
})

let count = 0

/** A person with an account, put into the store. */
export const person = Effect.fnUntraced(function*(over: Partial<typeof Human.Type> = {}) {
  const nowMs = yield* Clock.currentTimeMillis
  const human = Human.make({
    id: yield* (yield* Ids).make("usr"), slug: `person-${++count}`, displayName: `Person ${count}`, bio: null, avatarPath: null, links: [], published: false, emailHash: null, blockedReason: null, createdAtMs: nowMs, ...over
  })
  yield* (yield* Humans).insert(human)
  return human
})

/** A listener who belongs to an account, with a token that says so. */
export const signedIn = Effect.fnUntraced(function*(over: Partial<typeof Human.Type> = {}, headers: Record<string, string> = {}) {
  const human = yield* person(over)
  const one = yield* listener(headers)
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE listeners SET human_id = ${human.id}, linked_at = now() WHERE id = ${one.id}`
  return { ...one, human }
})
