import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Account } from "../../../actors/people/protocol/Account.ts"
import { daysOf, historyOf, historyTables } from "../../../engine/rules/people/PersonRecord.ts"
import { HumanRecords } from "../../../engine/store/people/HumanRecords.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { MissingFields } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentHuman } from "../../api/auth/Audience.ts"
import { isDry } from "../../api/Inputs.ts"
import { OwnAddress } from "../../api/auth/OwnAddress.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { withSession } from "../../api/auth/SessionCookie.ts"
import { send } from "../../Send.ts"
import {
  accountView,
  exportAccount,
  readAccount,
  readAgents,
  readKeys,
  readSessions
} from "../../views/AccountViews.ts"
import { unknownCursor, previewAnswer } from "../Commands.ts"

type Dry = Parameters<typeof isDry>[0]

const answer = <A>(value: A, query: Dry) => (isDry(query) ? previewAnswer(value, 200) : value)
const nothing = new MissingFields({
  detail: "Send at least one of displayName, slug, bio, links and published.",
  errors: [{ pointer: "", code: "MISSING_FIELDS", detail: "one of them is required" }]
})

/** Clears the cookie of an ended session. */
const clearCookie = Effect.fnUntraced(function* (value: unknown, query: Dry, over = true) {
  const response = HttpServerResponse.jsonUnsafe(answer(value, query))
  return over && !isDry(query) ? withSession(response, (yield* StationFacts).publicUrl, "") : response
})

export const AccountHandlers = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const client = yield* Account.client
    const provideAddress = Effect.provideService(OwnAddress, yield* OwnAddress)
    const own = Effect.map(CurrentHuman, ({ id }) => client(id))
    return handlers.handleAll({
      me: () =>
        Effect.flatMap(CurrentHuman, ({ id }) =>
          Effect.map(provideAddress(readAccount(id)), (account) => ({ account }))
        ),
      describe: Effect.fnUntraced(function* ({ payload, query }) {
        if (Object.keys(payload).length === 0) return yield* nothing
        return answer(
          {
            account: yield* provideAddress(accountView(yield* send((yield* own).Describe({ patch: payload }))))
          },
          query
        )
      }),
      leave: Effect.fnUntraced(function* ({ query }) {
        yield* send((yield* own).Leave())
        return yield* clearCookie({ deleted: true }, query)
      }),
      agents: () => Effect.flatMap(CurrentHuman, ({ id }) => readAgents(id)),
      ask: Effect.fnUntraced(function* ({ payload, query }) {
        return answer({ request: yield* send((yield* own).AskForAgent({ handle: payload.handle })) }, query)
      }),
      release: Effect.fnUntraced(function* ({ params, query }) {
        yield* send((yield* own).ReleaseAgent({ agentId: params.id }))
        return answer({ released: true as const }, query)
      }),
      history: Effect.fnUntraced(function* ({ query }) {
        const records = yield* (yield* HumanRecords).listAll((yield* CurrentHuman).id, historyTables)
        const entries = historyOf(records)
        const from = query.cursor === undefined ? 0 : entries.findIndex(({ id }) => id === query.cursor) + 1
        if (query.cursor !== undefined && from === 0) return yield* unknownCursor
        const page = entries.slice(from, from + limitOf(query))
        return {
          entries: page,
          days: daysOf(records),
          ...(entries.length > from + page.length ? { nextCursor: page.at(-1)!.id } : {})
        }
      }),
      keys: () => Effect.flatMap(CurrentHuman, ({ id }) => Effect.map(readKeys(id), (keys) => ({ keys }))),
      storeKey: Effect.fnUntraced(function* ({ params, payload, query }) {
        return answer(
          {
            key: yield* send((yield* own).StoreKey({ provider: params.provider, key: payload.key }))
          },
          query
        )
      }),
      dropKey: Effect.fnUntraced(function* ({ params, query }) {
        yield* send((yield* own).DropKey({ provider: params.provider }))
        return answer({ deleted: true as const }, query)
      }),
      sessions: () =>
        Effect.flatMap(CurrentHuman, ({ id, sessionId }) =>
          Effect.map(readSessions(id, sessionId), (sessions) => ({ sessions }))
        ),
      endSession: Effect.fnUntraced(function* ({ params, query }) {
        yield* send((yield* own).EndSession({ sessionId: params.id }))
        return yield* clearCookie({ ended: true }, query, params.id === (yield* CurrentHuman).sessionId)
      }),
      signOut: Effect.fnUntraced(function* ({ payload, query }) {
        const { sessionId } = yield* CurrentHuman
        const account = yield* own
        const sessions =
          payload?.everywhere === true
            ? yield* send(account.EndSessions())
            : yield* Effect.as(send(account.EndSession({ sessionId })), 1)
        return yield* clearCookie({ signedOut: true, sessions }, query)
      }),
      export: Effect.fnUntraced(function* () {
        const file = yield* provideAddress(exportAccount((yield* CurrentHuman).id))
        return HttpServerResponse.jsonUnsafe(file, {
          headers: { "content-disposition": `attachment; filename="account-${file.exportedAt.slice(0, 10)}.json"` }
        })
      })
    })
  })
)
