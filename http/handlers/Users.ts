import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Account } from "../../actors/protocol/Account.ts"
import { Humans } from "../../engine/store/Humans.ts"
import { mediaUrl, StationFacts } from "../../engine/store/StationFacts.ts"
import type { Human } from "../../schema/Human.ts"
import { MissingFields, NotFound } from "../../schema/Problems.ts"
import { CurrentOperator } from "../api/Authorization.ts"
import { isDry } from "../api/Inputs.ts"
import { OpsApi } from "../api/OpsApi.ts"
import { limitOf } from "../api/Segments.ts"
import { send } from "../Send.ts"
import { unknownCursor, wouldBe } from "./Commands.ts"

const absent = (pointer: string, detail: string) => new MissingFields({ detail, errors: [{ pointer, code: "MISSING_FIELDS", detail }] })
const reasonMissing = absent("/reason", "is required with blocked: the person reads it.")
const nothing = absent("", "Send published, blocked or unlink.")

const shown = Effect.fnUntraced(function*(human: Human) {
  const { publicUrl } = yield* StationFacts
  const { avatarPath, bio, blockedReason, createdAtMs, displayName, emailHash, id, links, published, slug } = human
  const agents = yield* (yield* Humans).agentsOf(human)
  return {
    id, slug, displayName, bio, avatarUrl: mediaUrl(avatarPath, publicUrl), links, published, linked: emailHash !== null, blockedReason,
    agents: agents.map(({ handle, id }) => ({ id, handle })), createdAt: new Date(createdAtMs).toISOString()
  }
})

const found = Effect.fnUntraced(function*(id: string) {
  return (yield* (yield* Humans).find(id)) ?? (yield* new NotFound({ detail: `There is no user ${id}.` }))
})

export const UsersHandlers = HttpApiBuilder.group(OpsApi, "users", Effect.fn(function*(handlers) {
  const account = yield* Account.client
  return handlers.handleAll({
    list: Effect.fn(function*({ query }) {
      const humans = yield* Humans
      if (query.cursor !== undefined && (yield* humans.find(query.cursor)) === null) return yield* unknownCursor
      const rows = yield* humans.list(limitOf(query) + 1, query.cursor ?? null)
      const page = rows.slice(0, limitOf(query))
      return { users: yield* Effect.forEach(page, shown), ...rows.length > page.length ? { nextCursor: page.at(-1)!.id } : {} }
    }),
    one: Effect.fn(function*({ params }) {
      return { user: yield* shown(yield* found(params.id)) }
    }),
    change: Effect.fn(function*({ params, payload: { blocked = null, published = null, reason, unlink = false }, query }) {
      if (blocked === null && published === null && !unlink) return yield* nothing
      if (blocked === true && (reason ?? "") === "") return yield* reasonMissing
      const actor = (yield* CurrentOperator).name
      const user = yield* shown(yield* send(account((yield* found(params.id)).id).Moderate({ published, blocked, unlink, actor, reason: reason ?? null, dryRun: isDry(query) })))
      return isDry(query) ? wouldBe({ user }, 200) : { user }
    }),
    erase: Effect.fn(function*({ params, query }) {
      const actor = (yield* CurrentOperator).name
      const { id } = yield* send(account((yield* found(params.id)).id).Erase({ actor, reason: query.reason ?? null, dryRun: isDry(query) }))
      const erased = { id, erased: true as const }
      return isDry(query) ? wouldBe(erased, 200) : erased
    })
  })
}))
