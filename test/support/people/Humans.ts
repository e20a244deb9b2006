import { Clock, Effect } from "effect"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { makeKey } from "../../../engine/runtime/Secrets.ts"
import { HumansWriter } from "../../../engine/store/people/Humans.ts"
import { HumanSessionsWriter } from "../../../engine/store/people/HumanSessions.ts"
import { humanCookie } from "../../../http/api/auth/SessionCookie.ts"
import { Human } from "../../../schema/people/Human.ts"

let count = 0

/** Another session of the same person. */
export const signInAgain = Effect.fnUntraced(function* (humanId: string) {
  const { publicUrl } = yield* StationConfig
  const nowMs = yield* Clock.currentTimeMillis
  const key = makeKey("human_session_")
  yield* (yield* HumanSessionsWriter).open(
    {
      publicId: key.publicId,
      secretSha256: key.secretSha256,
      humanId,
      userAgent: "a test",
      expiresAtMs: nowMs + 86_400_000
    },
    nowMs
  )
  const cookie = `${humanCookie(publicUrl)}=${key.text}`
  return { sessionId: key.publicId, cookie, headers: { cookie, origin: new URL(publicUrl).origin } }
})

/**
 * A signed-in person with an account. `headers` are those of a request by the station's own page, `email` is the address of the
 * account.
 */
export const person = Effect.fnUntraced(function* (
  over: Partial<typeof Human.Type> & { readonly email?: string } = {}
) {
  const { email = `person${++count}@example.org`, ...rest } = over
  const id = yield* (yield* IdSource).make("usr")
  const human = Human.make({
    id,
    slug: id.slice(-12),
    displayName: `Person ${count}`,
    bio: null,
    avatarPath: null,
    links: [],
    published: false,
    emailHash: (yield* Keys).hmac("owner-email", email),
    blockedReason: null,
    createdAtMs: yield* Clock.currentTimeMillis,
    ...rest
  })
  yield* (yield* HumansWriter).insert(human)
  return { id: human.id, displayName: human.displayName, slug: human.slug, email, ...(yield* signInAgain(human.id)) }
})
