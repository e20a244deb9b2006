import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { HighlightDesk } from "../../../actors/lore/protocol/Highlights.ts"
import {
  editionMarkdown,
  editionRow,
  editionText,
  editionView,
  highlightAllowance
} from "../../../engine/rules/lore/Highlights.ts"
import { Highlights } from "../../../engine/store/lore/Highlights.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { HighlightRecord } from "../../../schema/lore/Highlights.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

type Format = "json" | "markdown" | "text"

/** An edition in the format that was asked for. */
const renderEdition = Effect.fnUntraced(function* (record: HighlightRecord, format: Format = "json") {
  const facts = yield* StationFacts
  const subjects = yield* (yield* Highlights).subjects(record.items)
  const highlight = editionView(record, subjects, facts, yield* Clock.currentTimeMillis)
  switch (format) {
    case "json":
      return { highlight }
    case "markdown":
      return HttpServerResponse.text(editionMarkdown(highlight), { contentType: "text/markdown; charset=utf-8" })
    case "text":
      return HttpServerResponse.text(editionText(highlight), { contentType: "text/plain; charset=utf-8" })
  }
})

export const HighlightsHandlers = HttpApiBuilder.group(
  Api,
  "highlights",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl } = yield* StationFacts
    const highlights = yield* Highlights
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const page = yield* highlights.list({ limit: limitOf(query), cursor: query.cursor ?? null })
        if (page === null) return yield* unknownCursor
        return { highlights: page.records.map((record) => editionRow(record, publicUrl)), ...nextCursorOf(page.next) }
      }),
      latest: Effect.fnUntraced(function* ({ query }) {
        const found = yield* highlights.latest
        return found === null
          ? yield* new NotFound({
              detail:
                "Nothing has stood out yet. The first edition is made when listeners react, vote or like something."
            })
          : yield* renderEdition(found, query.format)
      }),
      edition: Effect.fnUntraced(function* ({ params, query }) {
        const found = yield* highlights.find(params.slug)
        return found === null
          ? yield* new NotFound({
              detail: `There are no highlights ${params.slug}. GET /api/v1/highlights lists the editions.`
            })
          : yield* renderEdition(found, query.format)
      })
    })
  })
)

export const HighlightRequestsHandlers = HttpApiBuilder.group(
  Api,
  "highlightRequests",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl, slug: stationSlug } = yield* StationFacts
    const desk = (yield* HighlightDesk.client)(stationSlug)
    return handlers.handleAll({
      request: Effect.fnUntraced(function* ({ payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const { format = "json", topic, window = "24h" } = payload
        const request = yield* send(desk.RequestEdition({ by, window, topic: topic || null })).pipe(
          answerWithQuotas(readAllowances([highlightAllowance], by.agentId))
        )
        const { slug } = request
        const url =
          slug === null ? null : `${publicUrl}/api/v1/highlights/${slug}${format === "json" ? "" : `?format=${format}`}`
        return isDry(query) ? previewAnswer({ request, url }, 200) : { request, url }
      })
    })
  })
)
