import { Effect } from "effect"
import type { Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { Message } from "../../../actors/listeners/protocol/Message.ts"
import { messageAllowance } from "../../../engine/rules/listeners/Message.ts"
import { type CallInDraft, type Sender, type WriteInDraft, Interaction } from "../../../schema/listeners/Message.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAudience } from "../../api/auth/Audience.ts"
import { CallUploads } from "../../api/listeners/CallUploads.ts"
import { consentAsk } from "../../api/listeners/Consent.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { keyFields, previewAnswer, unknownCursor, nextCursorOf } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { Interactions } from "../../../engine/store/listeners/Messages.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { messagesForOps } from "../../../engine/store/listeners/MessageViews.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"

type Asked = Parameters<typeof consentAsk>[0]
interface About extends Asked {
  readonly trackId?: string
  readonly to?: string
}
interface Ask<Payload> {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly query: { readonly dryRun?: "true" | "false" | "1" | "0" }
  readonly payload: Payload
}
const messageFieldsOf = (payload: About, showSlug: string | null) => {
  const { attribution, consent, source } = consentAsk(payload, null)
  return { trackId: payload.trackId ?? null, to: payload.to ?? null, showSlug, asked: { source, consent, attribution } }
}
export const MessagesHandlers = HttpApiBuilder.group(
  Api,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    const uploads = yield* CallUploads
    const sender = Effect.map(CurrentAudience, (who): { readonly who: typeof who; readonly from: Sender } => ({
      who,
      from: {
        listenerId: who.listenerId,
        human: who.human === null ? null : { id: who.human.id, displayName: who.human.displayName }
      }
    }))
    const write = (slug: string | null) =>
      Effect.fnUntraced(function* (
        ask: Ask<About & { readonly content: string; readonly kind?: "write_in" | "dedication" }>
      ) {
        const draft: WriteInDraft = {
          content: ask.payload.content,
          kind: ask.payload.kind ?? "write_in",
          ...messageFieldsOf(ask.payload, slug)
        }
        const { from, who } = yield* sender
        const left = readAllowances([messageAllowance("write_ins", who.human === null)], who.audience)
        const confirmed = yield* send(audience(who.audience).WriteIn({ from, draft })).pipe(answerWithQuotas(left))
        return isDry(ask.query) ? previewAnswer(confirmed, 200) : confirmed
      })
    const call = (slug: string | null) =>
      Effect.fnUntraced(function* (ask: Ask<About & { readonly audio: Multipart.PersistedFile }>) {
        const { audio, ...fields } = ask.payload
        const draft: Omit<CallInDraft, "uploadKey"> = {
          contentType: audio.contentType || null,
          ...messageFieldsOf(fields, slug)
        }
        const { from, who } = yield* sender
        const left = readAllowances([messageAllowance("call_ins", who.human === null)], who.audience)
        const confirmed = yield* uploads
          .runWithUpload(audio.path, (uploadKey) =>
            send(audience(who.audience).CallIn({ from, draft: { ...draft, uploadKey } }))
          )
          .pipe(keyFields(ask.headers, [who.audience, draft]))
          .pipe(answerWithQuotas(left))
        return isDry(ask.query) ? previewAnswer(confirmed, 200) : confirmed
      })
    // Without a show, ShowNotFound can't occur.
    return handlers.handleAll({
      writeIn: Effect.fnUntraced(function* (ask) {
        return yield* Effect.catchTag(write(null)(ask), "ShowNotFound", Effect.die)
      }),
      callIn: Effect.fnUntraced(function* (ask) {
        return yield* Effect.catchTag(call(null)(ask), "ShowNotFound", Effect.die)
      }),
      writeToShow: Effect.fnUntraced(function* (ask) {
        return yield* write(ask.params.slug)(ask)
      }),
      callShow: Effect.fnUntraced(function* (ask) {
        return yield* call(ask.params.slug)(ask)
      })
    })
  })
)
const requireMessage = Effect.fnUntraced(function* (id: string) {
  const found = yield* (yield* Interactions).find(id)
  return found ?? (yield* new NotFound({ detail: `There is no message ${id}.` }))
})
export const MessagesForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "messagesForOps",
  Effect.fnUntraced(function* (handlers) {
    const message = yield* Message.client
    const { publicUrl } = yield* StationFacts
    return handlers.handleAll({
      messages: Effect.fnUntraced(function* ({ query }) {
        const { moderationStatus, type } = Interaction.fields
        const page = yield* (yield* Interactions).list({
          types: query.type === undefined ? type.literals : [query.type],
          statuses: query.status === undefined ? moderationStatus.literals : [query.status],
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { messages: yield* messagesForOps(page.records, publicUrl), ...nextCursorOf(page.next) }
      }),
      transcript: Effect.fnUntraced(function* ({ params, payload, query }) {
        const found = yield* requireMessage(params.id)
        const act = { actor: (yield* CurrentOperator).name, reason: payload.reason ?? null }
        yield* send(
          message(found.id).WriteDown({
            interactionId: found.id,
            transcript: payload.transcript,
            ...act
          })
        )
        const [written] = yield* messagesForOps([yield* requireMessage(params.id)], publicUrl)
        return isDry(query)
          ? previewAnswer({ message: { ...written!, content: payload.transcript } }, 200)
          : { message: written! }
      })
    })
  })
)
