import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import type { Human } from "../../../schema/people/Human.ts"
import { airable } from "../air/Airables.ts"
import { person } from "../people/Humans.ts"
import { call } from "../http/SegmentHttp.ts"
import { assetOf } from "../air/StudioDouble.ts"

/** Headers of a browser at another address: trusted if the world has `TRUSTED_PROXIES: "127.0.0.1/32"`. */
export const from = (address: string) => ({ "x-forwarded-for": address })

let addresses = 0
/** A distinct address in 198.18.0.0/15, which is reserved for tests. */
export const newAddress = (): string => `198.18.${++addresses >> 8}.${addresses & 255}`

/** A new listener, made over HTTP: a guest with a token. */
export const listener = Effect.fnUntraced(function* (headers: Record<string, string> = {}) {
  const { body } = yield* call("POST", "/api/listeners/session", { headers })
  return { id: body.listenerId as string, token: body.listenerToken as string }
})

/** A listener that belongs to an account, with a token that names it. */
export const signInListener = Effect.fnUntraced(function* (
  over: Partial<typeof Human.Type> = {},
  headers: Record<string, string> = {}
) {
  const human = yield* person(over)
  const one = yield* listener(headers)
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE listeners SET human_id = ${human.id}, linked_at = now() WHERE id = ${one.id}`
  return { ...one, human }
})

let tracks = 0
/** A song in rotation. */
export const song = Effect.fnUntraced(function* (status = "approved") {
  const sql = yield* SqlClient.SqlClient
  const id = yield* (yield* IdSource).make("trk")
  const asset = assetOf(airable("music", ++tracks, 180))
  yield* (yield* Assets).save(asset)
  yield* sql`
    INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, created_at, updated_at)
    VALUES (${id}, ${asset.id}, ${`Song ${tracks}`}, ${`Artist ${tracks}`}, 'jazz', 'song', true, 180, ${status}, 'house', 'house', now(), now())`
  return id
})
