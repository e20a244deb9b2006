import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Showrunner } from "../../../actors/programmes/protocol/Showrunner.ts"
import { productionAllowance, productionView } from "../../../engine/rules/programmes/Production.ts"
import { outlineOf } from "../../../engine/rules/programmes/ProductionOutline.ts"
import { tidyScript } from "../../../engine/rules/segments/Script.ts"
import { Productions } from "../../../engine/store/programmes/Productions.ts"
import type { ShowId } from "../../../schema/Ids.ts"
import { InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { type Production, ProductionAsk } from "../../../schema/programmes/Production.ts"
import { type ShowAudience, ShowDraft, type ShowFormat } from "../../../schema/programmes/Show.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { msOf } from "../../api/Instants.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

const missingFields = (...names: ReadonlyArray<string>) =>
  new MissingFields({
    detail: `Required: ${names.join(" or ")}.`,
    errors: names.map((name) => ({ pointer: `/${name}`, code: "MISSING_FIELDS", detail: "is required" }))
  })

interface About {
  readonly title: string
  readonly agentShowId?: ShowId | null
  readonly show?: {
    readonly title: string
    readonly description?: string | null
    readonly format?: ShowFormat | null
    readonly audience?: ShowAudience | null
  } | null
  readonly occurrenceStart?: string | null
}

/** Fields common to both kinds. */
const aboutOf = ({ agentShowId, occurrenceStart, show, title }: About) => ({
  title,
  agentShowId: agentShowId ?? null,
  occurrenceStartMs: occurrenceStart == null ? null : msOf(occurrenceStart),
  audience: show?.audience ?? null,
  show:
    show == null
      ? null
      : ShowDraft.make({
          title: show.title,
          tagline: null,
          description: show.description ?? null,
          format: show.format ?? null,
          audience: show.audience ?? null,
          genres: []
        })
})

export const ProductionsHandlers = HttpApiBuilder.group(
  Api,
  "productions",
  Effect.fnUntraced(function* (handlers) {
    const showrunner = yield* Showrunner.client
    const produce = Effect.fnUntraced(function* (ask: ProductionAsk, isRehearsal: boolean) {
      const by = broadcaster(yield* CurrentAgent)
      const production = yield* send(showrunner(by.agentId).Produce({ by, ask })).pipe(
        answerWithQuotas(readAllowances([productionAllowance], by.agentId))
      )
      return answer(production, isRehearsal)
    })
    const answer = (production: Production, isRehearsal: boolean) =>
      isRehearsal ? previewAnswer({ production }, 200) : { production }
    const own = Effect.map(CurrentAgent, ({ agent }) => ({ agentId: agent.id, showrunner: showrunner(agent.id) }))
    return handlers.handleAll({
      generate: Effect.fnUntraced(function* ({ payload, query }) {
        const { format, idea, includeMusic = true, mode, outline, recurring, targetMinutes } = payload
        if (mode === "idea" ? idea == null : outline == null)
          return yield* missingFields(mode === "idea" ? "idea" : "outline")
        const parts =
          mode === "idea"
            ? outlineOf(format, targetMinutes, includeMusic)
            : outline!.map((part) => ({
                title: part.title,
                minutes: part.minutes ?? null,
                scriptText: tidyScript(part.notes)
              }))
        const ask = ProductionAsk.make({
          ...aboutOf(payload),
          kind: "generate",
          format,
          idea: mode === "idea" ? idea! : null,
          parts,
          uploadIds: [],
          includeMusic,
          recurring: recurring ?? null
        })
        return yield* produce(ask, isDry(query))
      }),
      upload: Effect.fnUntraced(function* ({ payload, query }) {
        const { scriptText, segments, show, title, uploadIds } = payload
        if (scriptText == null && segments == null && (uploadIds ?? []).length === 0)
          return yield* missingFields("scriptText", "segments", "uploadIds")
        if (scriptText != null && segments != null)
          return yield* new InvalidField({
            detail: "Send the script whole or as segments, not both.",
            errors: [{ pointer: "/segments", code: "INVALID_FIELD", detail: "excludes scriptText" }]
          })
        const parts = (scriptText == null ? (segments ?? []) : [{ title, scriptText }]).map((part) => ({
          title: part.title,
          minutes: null,
          scriptText: tidyScript(part.scriptText)
        }))
        const ask = ProductionAsk.make({
          ...aboutOf(payload),
          kind: "upload",
          format: show?.format ?? null,
          idea: null,
          parts,
          uploadIds: uploadIds ?? [],
          includeMusic: true,
          recurring: null
        })
        return yield* produce(ask, isDry(query))
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* Productions).listByAgent((yield* own).agentId, limitOf(query), query.cursor ?? null)
        if (page === null) return yield* unknownCursor
        return { productions: page.productions.map(productionView), ...nextCursorOf(page.next) }
      }),
      production: Effect.fnUntraced(function* ({ params }) {
        const found = yield* (yield* Productions).find(params.id)
        return found?.agentId === (yield* own).agentId
          ? { production: productionView(found) }
          : yield* new NotFound({ detail: `None of your productions has the id ${params.id}.` })
      }),
      revise: Effect.fnUntraced(function* ({ params, payload, query }) {
        if (payload.outline === undefined && payload.includeMusic === undefined)
          return yield* missingFields("outline", "includeMusic")
        return answer(
          yield* send((yield* own).showrunner.ReviseProduction({ productionId: params.id, patch: payload })),
          isDry(query)
        )
      }),
      retry: Effect.fnUntraced(function* ({ params, query }) {
        return answer(yield* send((yield* own).showrunner.RetryProduction({ productionId: params.id })), isDry(query))
      }),
      skip: Effect.fnUntraced(function* ({ params, query }) {
        return answer(yield* send((yield* own).showrunner.SkipProduction({ productionId: params.id })), isDry(query))
      })
    })
  })
)
