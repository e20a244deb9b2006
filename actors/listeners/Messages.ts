import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { CallSound } from "../../engine/ports/CallSound.ts"
import { Transcriber } from "../../engine/ports/Transcriber.ts"
import { judgeCallConsent, judgeConsent } from "../../engine/rules/listeners/Consent.ts"
import {
  callChecks,
  confirmationOf,
  messageAllowance,
  messageView,
  openingOf,
  messageCard
} from "../../engine/rules/listeners/Message.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { CallsWriter } from "../../engine/store/listeners/Calls.ts"
import { InteractionsWriter } from "../../engine/store/listeners/Messages.ts"
import { ShowDesks } from "../../engine/store/programmes/Shows.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { Consented } from "../../schema/listeners/Consent.ts"
import type { AgentId, InteractionId, SegmentId, TrackId } from "../../schema/Ids.ts"
import {
  type CallConfirmed,
  type CallInDraft,
  type Confirmed,
  type Sender,
  type WriteInDraft,
  Interaction,
  type NewInteraction
} from "../../schema/listeners/Message.ts"
import { refuseField } from "../runtime/refuseField.ts"
import { BroadcastConsentRequired, Busy, ShowNotFound, TrackNotFound } from "../../schema/Problems.ts"
import { addJob } from "../runtime/Jobs.ts"
import { TranscribeCall } from "./protocol/Jobs.ts"
import { countDeed } from "./inTransaction.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { checkAllowance, spendAllowance } from "../runtime/spendAllowance.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { emit } from "../runtime/emit.ts"

export interface Sending<Draft> {
  readonly draft: Draft
  readonly from: Sender
}
interface Addressed {
  readonly toAgentId: AgentId | null
  readonly toShowSlug: string | null
}
/** The addressee: the show of the URL, a named agent or show, or the station. */
const addresseeOf = Effect.fnUntraced(function* ({ showSlug, to }: Pick<WriteInDraft, "showSlug" | "to">) {
  const shows = yield* ShowDesks
  const nobody: Addressed = { toAgentId: null, toShowSlug: null }
  if (showSlug !== null)
    return (yield* shows.host(showSlug)) === null
      ? yield* new ShowNotFound({ detail: `There is no show ${showSlug}.` })
      : { ...nobody, toShowSlug: showSlug }
  if (to === null) return nobody
  const agent = yield* (yield* Agents).findByHandle(to.replace(/^@/, ""))
  if (agent !== null && agent.status === "claimed") return { ...nobody, toAgentId: agent.id }
  if ((yield* shows.host(to)) !== null) return { ...nobody, toShowSlug: to }
  return yield* refuseField(
    "/to",
    "INVALID_FIELD",
    "No agent or show has this name. Send an agent's handle or a show's slug, or omit to to write to the station."
  )
})
const findDedication = Effect.fnUntraced(function* (trackId: string | null) {
  const track = trackId === null ? null : yield* (yield* Tracks).find(trackId as TrackId)
  if (trackId !== null && track?.approvalStatus !== "approved")
    return yield* new TrackNotFound({ detail: `There is no track ${trackId} here.` })
  return track?.id ?? null
})
/** Notifies the addressee of an approved message. */
export const tellAddressee = Effect.fnUntraced(function* ({
  id,
  toAgentId,
  toShowSlug
}: Addressed & { readonly id: InteractionId }) {
  const agentId = toAgentId ?? (toShowSlug === null ? null : yield* (yield* ShowDesks).host(toShowSlug))
  if (agentId !== null) yield* emit({ _tag: "ListenerMessageReceived", agentId, interactionId: id })
})
/** Checks in this order: the track, the consent, the addressee. */
const admit = Effect.fnUntraced(function* (
  type: "message" | "call",
  { asked, ...draft }: Pick<WriteInDraft, "asked" | "showSlug" | "to" | "trackId">,
  { human }: Sender
) {
  const trackId = yield* findDedication(draft.trackId)
  const ask = { ...asked, account: human }
  const consented = yield* Effect.mapError(
    Effect.fromResult(type === "call" ? judgeCallConsent(ask) : judgeConsent(ask)),
    (detail) => new BroadcastConsentRequired({ detail })
  )
  return { trackId, consented, ...(yield* addresseeOf(draft)) }
})
const recordOf = (
  id: InteractionId,
  { listenerId, human }: Sender,
  {
    consented,
    toAgentId,
    toShowSlug,
    trackId
  }: Addressed & { readonly consented: Consented; readonly trackId: TrackId | null }
) => ({
  id,
  listenerId,
  humanId: human?.id ?? null,
  toAgentId,
  toShowSlug,
  trackId,
  listenerLabel: consented.listenerLabel,
  source: consented.source,
  consentVersion: consented.disclosureVersion
})
const fillIn = (record: NewInteraction): Interaction =>
  Interaction.make({
    humanId: null,
    ...record,
    featuredBy: null,
    featuredUntilMs: null,
    answeredBy: null,
    segmentId: null
  })
const confirm = (record: Interaction): Confirmed => ({
  interaction: messageView(record),
  confirmation: confirmationOf(record.type, record, record.toAgentId !== null || record.toShowSlug !== null)
})
export const writeIn = Effect.fnUntraced(function* (audience: string, { draft, from }: Sending<WriteInDraft>) {
  const interactions = yield* InteractionsWriter
  const about = yield* admit("message", draft, from)
  const id = (yield* (yield* IdSource).make("int")) as InteractionId
  const { flags } = precheck(draft.content, excerptHash)
  const record: NewInteraction = {
    ...recordOf(id, from, about),
    type: draft.kind,
    content: draft.content,
    flags,
    ...openingOf(draft.kind, flags),
    createdAtMs: yield* Clock.currentTimeMillis
  }
  return yield* command({
    by: audience,
    allowances: [messageAllowance("write_ins", from.human === null)],
    meter: "listener",
    run: Effect.gen(function* () {
      yield* interactions.add(record)
      yield* countDeed(from.listenerId, "writeIns")
      if (record.moderationStatus === "approved") return yield* tellAddressee({ id, ...about })
      yield* askForReview({
        ...messageCard(record),
        status: record.moderationStatus === "escalated" ? "escalated" : "open"
      })
    }),
    view: () => confirm(fillIn(record))
  })
})
/** Id of the call in the rundown and the as-run log. */
export const segmentIdOf = (id: InteractionId) => `seg_${id.slice(4)}` as SegmentId
export const callIn = Effect.fnUntraced(function* (audience: string, { draft, from }: Sending<CallInDraft>) {
  const interactions = yield* InteractionsWriter
  const calls = yield* CallsWriter
  const sound = yield* CallSound
  const about = yield* admit("call", draft, from)
  const allowance = messageAllowance("call_ins", from.human === null)
  // Checked first: decoding is slow.
  yield* checkAllowance(allowance, audience, "listener")
  yield* spendAllowance(callChecks, audience, "listener")
  const id = (yield* (yield* IdSource).make("int")) as InteractionId
  const durationSec = yield* Effect.catchTags(
    sound.take({ id, uploadKey: draft.uploadKey, contentType: draft.contentType }),
    {
      Unusable: ({ code, detail }) => Effect.fail(refuseField("/audio", "INVALID_FIELD", `${code}: ${detail}`)),
      TooManyCalls: () =>
        Effect.fail(
          new Busy({
            detail: "Many recordings wait to be checked. Nothing was kept; call again soon.",
            retryAfterSec: 15
          })
        ),
      ObjectsUnavailable: ({ detail }) =>
        Effect.fail(new Busy({ detail: `${detail} Nothing was kept; call again later.`, retryAfterSec: 60 }))
    }
  )
  const nowMs = yield* Clock.currentTimeMillis
  const record: NewInteraction = {
    ...recordOf(id, from, about),
    type: "call_in",
    content: null,
    flags: [],
    ...openingOf("call_in", []),
    createdAtMs: nowMs
  }
  const gone = Effect.ignore(sound.discard(id, null))
  const { engine } = yield* Transcriber
  const answer = yield* command({
    by: audience,
    allowances: [allowance],
    meter: "listener",
    run: Effect.gen(function* () {
      yield* interactions.add(record)
      yield* countDeed(from.listenerId, "callIns")
      yield* calls.add({
        interactionId: id,
        segmentId: segmentIdOf(id),
        durationSec,
        recordingNoticeVersion: about.consented.recordingNoticeVersion,
        transcriptStatus: engine === null ? "awaiting" : "queued"
      })
      yield* askForReview(messageCard(record, durationSec))
      if (engine !== null) yield* addJob(TranscribeCall, { key: id, payload: { interactionId: id } })
    }),
    view: (): CallConfirmed => ({ ...confirm(fillIn(record)), durationSec, transcript: null })
  }).pipe(Effect.onError(() => gone))
  // A dry run keeps no recording, and neither does a repeat that lost to another.
  if ((yield* isDryRun) || answer.interaction.id !== id) yield* gone
  return answer
})
