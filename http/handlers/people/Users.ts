import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Account } from "../../../actors/people/protocol/Account.ts"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { Humans } from "../../../engine/store/people/Humans.ts"
import { Listeners } from "../../../engine/store/listeners/Listeners.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Human } from "../../../schema/people/Human.ts"
import { InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { unknownCursor, previewAnswer } from "../Commands.ts"
import {
  isListener,
  requireListener,
  renderListener,
  listListeners,
  renderWholeListener
} from "../listeners/ListenersForOps.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"

const missingFields = (pointer: string, detail: string) =>
  new MissingFields({ detail, errors: [{ pointer, code: "MISSING_FIELDS", detail }] })
const reasonMissing = missingFields("/reason", "is required with blocked: the person reads it.")
const nothing = missingFields("", "Send published, blocked or unlink; of a listener blocked or voidTokens.")
const invalidField = (pointer: string, detail: string) =>
  new InvalidField({ detail: `${pointer} ${detail}.`, errors: [{ pointer, code: "INVALID_FIELD", detail }] })

const render = Effect.fnUntraced(function* (human: Human) {
  const { publicUrl } = yield* StationFacts
  const { avatarPath, bio, blockedReason, createdAtMs, displayName, emailHash, id, links, published, slug } = human
  const agents = yield* (yield* Humans).agentsOf(human)
  return {
    id,
    slug,
    displayName,
    bio,
    avatarUrl: mediaUrl(avatarPath, publicUrl),
    links,
    published,
    linked: emailHash !== null,
    blockedReason,
    agents: agents.map(({ handle, id }) => ({ id, handle })),
    createdAt: new Date(createdAtMs).toISOString()
  }
})

const withListeners = Effect.fnUntraced(function* (human: Human) {
  return { ...(yield* render(human)), listeners: (yield* (yield* Listeners).listByHuman(human.id)).map(({ id }) => id) }
})

const requireHuman = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* Humans).find(id)) ?? (yield* new NotFound({ detail: `There is no user ${id}.` }))
})

interface Change {
  readonly blocked: boolean | null
  readonly published: boolean | null
  readonly unlink: boolean
  readonly voidTokens: boolean
  readonly reason: string | null
}

const changeHuman = Effect.fnUntraced(function* (id: string, { voidTokens, ...change }: Change) {
  if (voidTokens) return yield* invalidField("/voidTokens", "is for listeners: a person's sessions end with blocked")
  const account = (yield* Account.client)((yield* requireHuman(id)).id)
  return yield* render(yield* send(account.Moderate({ ...change, actor: (yield* CurrentOperator).name })))
})

const changeListener = Effect.fnUntraced(function* (id: string, { published, unlink, ...change }: Change) {
  if (published !== null || unlink)
    return yield* invalidField(
      published === null ? "/unlink" : "/published",
      "is for people with an account: a listener has blocked and voidTokens"
    )
  const listenerId = (yield* requireListener(id)).id
  const audience = (yield* Audience.client)(listenerId)
  return renderListener(
    yield* send(audience.ModerateListener({ ...change, listenerId, actor: (yield* CurrentOperator).name }))
  )
})

const eraseUser = Effect.fnUntraced(function* (
  id: string,
  act: { readonly actor: string; readonly reason: string | null }
) {
  if (!isListener(id)) return yield* send((yield* Account.client)((yield* requireHuman(id)).id).Erase(act))
  const listenerId = (yield* requireListener(id)).id
  return yield* send((yield* Audience.client)(listenerId).EraseListener({ ...act, listenerId }))
})

export const UsersHandlers = HttpApiBuilder.group(OpsApi, "users", (handlers) =>
  handlers.handleAll({
    list: Effect.fnUntraced(function* ({ query }) {
      if (query.kind === "listener") return yield* listListeners(limitOf(query), query.cursor)
      const humans = yield* Humans
      if (query.cursor !== undefined && (yield* humans.find(query.cursor)) === null) return yield* unknownCursor
      const rows = yield* humans.list(limitOf(query) + 1, query.cursor ?? null)
      const page = rows.slice(0, limitOf(query))
      return {
        users: yield* Effect.forEach(page, render),
        ...(rows.length > page.length ? { nextCursor: page.at(-1)!.id } : {})
      }
    }),
    one: Effect.fnUntraced(function* ({ params: { id } }) {
      return {
        user: isListener(id)
          ? yield* renderWholeListener(yield* requireListener(id))
          : yield* withListeners(yield* requireHuman(id))
      }
    }),
    change: Effect.fnUntraced(function* ({
      params: { id },
      payload: { blocked = null, published = null, reason = null, unlink = false, voidTokens = false },
      query
    }) {
      if (blocked === null && published === null && !unlink && !voidTokens) return yield* nothing
      if (blocked === true && (reason ?? "") === "") return yield* reasonMissing
      const change = { blocked, published, unlink, voidTokens, reason }
      const user = yield* isListener(id) ? changeListener(id, change) : changeHuman(id, change)
      return isDry(query) ? previewAnswer({ user }, 200) : { user }
    }),
    erase: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* eraseUser(params.id, {
        actor: (yield* CurrentOperator).name,
        reason: query.reason ?? null
      })
      const gone = { id, erased: true as const }
      return isDry(query) ? previewAnswer(gone, 200) : gone
    })
  })
)
