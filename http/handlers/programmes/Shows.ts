import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Showrunner } from "../../../actors/programmes/protocol/Showrunner.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Shows } from "../../../engine/store/programmes/Shows.ts"
import { MissingFields, ShowNotFound } from "../../../schema/Problems.ts"
import { ShowDraft } from "../../../schema/programmes/Show.ts"
import type { ShowId } from "../../../schema/Ids.ts"
import { Api } from "../../api/Api.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor, previewAnswer, findAgent } from "../Commands.ts"

const listShows = Effect.fnUntraced(function* (
  open: boolean,
  query: { readonly limit?: number; readonly cursor?: string }
) {
  const page = yield* (yield* Shows).list({ open, limit: limitOf(query), cursor: query.cursor ?? null })
  if (page === null) return yield* unknownCursor
  return { shows: page.shows, ...nextCursorOf(page.next) }
})
export const ShowsHandlers = HttpApiBuilder.group(Api, "shows", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => listShows(true, query),
    show: Effect.fnUntraced(function* ({ params }) {
      const show = yield* (yield* Shows).findBySlug(params.slug)
      const host = show === null ? null : yield* (yield* Agents).find(show.hostAgentId)
      return show === null || host === null || host.deletedAtMs !== null
        ? yield* new ShowNotFound({ detail: `There is no show ${params.slug}.` })
        : { show }
    })
  })
)
const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
  return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
})
export const ShowsForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "showsForOps",
  Effect.fnUntraced(function* (handlers) {
    const showrunner = yield* Showrunner.client
    return handlers.handleAll({
      shows: ({ query }) => listShows(false, query),
      makeShow: Effect.fnUntraced(function* ({
        payload: { audience, description, format, genres, hostHandle, reason, tagline, title },
        query
      }) {
        const host = yield* findAgent(hostHandle)
        const draft = ShowDraft.make({
          title,
          tagline: tagline ?? null,
          description: description ?? null,
          format: format ?? null,
          audience: audience ?? null,
          genres: genres ?? []
        })
        const show = yield* send(showrunner(host.id).MakeShow({ draft, ...(yield* actOf(reason)) }))
        return isDry(query) ? previewAnswer({ show }, 200) : { show }
      }),
      changeShow: Effect.fnUntraced(function* ({ params, payload: { hostHandle, reason, ...changed }, query }) {
        const show = yield* (yield* Shows).findById(params.id as ShowId)
        if (show === null) return yield* new ShowNotFound({ detail: `There is no show ${params.id}.` })
        if (hostHandle === undefined && Object.keys(changed).length === 0)
          return yield* new MissingFields({ detail: "Send at least one field to change." })
        const patch = {
          ...changed,
          ...(hostHandle === undefined ? {} : { hostAgentId: (yield* findAgent(hostHandle)).id })
        }
        const after = yield* send(
          showrunner(show.hostAgentId).ChangeShow({
            showId: show.id,
            patch,
            ...(yield* actOf(reason))
          })
        )
        return isDry(query) ? previewAnswer({ show: after }, 200) : { show: after }
      })
    })
  })
)
