import { Effect } from "effect"
import type { Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../actors/protocol/Audience.ts"
import { messageAllowance } from "../../engine/rules/Message.ts"
import type { CallInDraft, Sender, WriteInDraft } from "../../schema/Message.ts"
import { Api } from "../api/Api.ts"
import { CurrentAudience } from "../api/Audience.ts"
import { CallUploads } from "../api/CallUploads.ts"
import { consentAsk } from "../api/Consent.ts"
import { isDry } from "../api/Inputs.ts"
import { send } from "../Send.ts"
import { commandKey, wouldBe } from "./Commands.ts"
import { allowancesLeft, telling } from "./Quotas.ts"

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

const about = (payload: About, showSlug: string | null) => {
  const { attribution, consent, source } = consentAsk(payload, null)
  return { trackId: payload.trackId ?? null, to: payload.to ?? null, showSlug, asked: { source, consent, attribution } }
}

export const MessagesHandlers = HttpApiBuilder.group(Api, "messages", Effect.fn(function*(handlers) {
  const audience = yield* Audience.client
  const uploads = yield* CallUploads
  /** Whose it is, and what makes it the same command when it comes again. */
  const command = Effect.fnUntraced(function*({ headers, query }: Ask<unknown>, fields: object) {
    const who = yield* CurrentAudience
    const from: Sender = { listenerId: who.listenerId, human: who.human === null ? null : { id: who.human.id, displayName: who.human.displayName } }
    return { who, command: { commandKey: commandKey(headers, [who.audience, fields]), from, dryRun: isDry(query) } }
  })
  const write = (slug: string | null) => Effect.fnUntraced(function*(ask: Ask<About & { readonly content: string; readonly kind?: "write_in" | "dedication" }>) {
    const draft: WriteInDraft = { content: ask.payload.content, kind: ask.payload.kind ?? "write_in", ...about(ask.payload, slug) }
    const { command: sent, who } = yield* command(ask, draft)
    const left = allowancesLeft([messageAllowance("write_ins", who.human === null)], who.audience)
    const confirmed = yield* send(audience(who.audience).WriteIn({ ...sent, draft })).pipe(telling(left))
    return sent.dryRun ? wouldBe(confirmed, 200) : confirmed
  })
  const call = (slug: string | null) => Effect.fnUntraced(function*(ask: Ask<About & { readonly audio: Multipart.PersistedFile }>) {
    const { audio, ...fields } = ask.payload
    const draft: Omit<CallInDraft, "uploadKey"> = { contentType: audio.contentType || null, ...about(fields, slug) }
    const { command: sent, who } = yield* command(ask, draft)
    const left = allowancesLeft([messageAllowance("call_ins", who.human === null)], who.audience)
    const confirmed = yield* uploads.using(audio.path, (uploadKey) => send(audience(who.audience).CallIn({ ...sent, draft: { ...draft, uploadKey } }))).pipe(telling(left))
    return sent.dryRun ? wouldBe(confirmed, 200) : confirmed
  })
  // Without a show there is none that isn't found.
  return handlers.handleAll({
    writeIn: Effect.fn(function*(ask) {
      return yield* Effect.catchTag(write(null)(ask), "ShowNotFound", Effect.die)
    }),
    callIn: Effect.fn(function*(ask) {
      return yield* Effect.catchTag(call(null)(ask), "ShowNotFound", Effect.die)
    }),
    writeToShow: Effect.fn(function*(ask) {
      return yield* write(ask.params.slug)(ask)
    }),
    callShow: Effect.fn(function*(ask) {
      return yield* call(ask.params.slug)(ask)
    })
  })
}))
