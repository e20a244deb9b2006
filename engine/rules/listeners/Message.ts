import type { Confirmed, Message, MessageForOps, Interaction } from "../../../schema/listeners/Message.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import { callChecksPerHour, guestFormsPerDay, listenerFormsPerHour } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { isEscalating } from "../moderation/Precheck.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"
import { callAudioUrl } from "../sound/MediaUrl.ts"

type Moderation = Interaction["moderationStatus"]
export type MessageState = Pick<Interaction, "moderationStatus" | "visibility">
/** One counter per kind of form, for the station's form and the shows' forms together: per address for guests, per account for others. */
export const messageAllowance = (form: "write_ins" | "call_ins", isGuest: boolean): Allowance =>
  isGuest ? { name: form, per24Hours: guestFormsPerDay } : { name: form, perHour: listenerFormsPerHour }
/** Decoding costs the same whether the call counts in the end, is refused, or was a dry run. */
export const callChecks: Allowance = { name: "call_checks", perHour: callChecksPerHour }
/** State of a new message. Clean text is available to its recipient at once. A call always waits for a reviewer. */
export const openingOf = (
  type: Interaction["type"],
  flags: ReadonlyArray<Pick<Flag, "code" | "severity">>
): MessageState =>
  flags.length === 0 && type !== "call_in"
    ? { moderationStatus: "approved", visibility: "desk" }
    : { moderationStatus: isEscalating(flags) ? "escalated" : "pending", visibility: "private" }
const stateOf = (moderationStatus: Moderation, before: MessageState): MessageState => ({
  moderationStatus,
  visibility: moderationStatus === "approved" ? (before.visibility === "on_air" ? "on_air" : "desk") : "private"
})
const isWaiting = ({ moderationStatus }: MessageState): boolean =>
  moderationStatus === "pending" || moderationStatus === "escalated"
/** State after a reviewer's decision; null if the message no longer waits for one. */
export const applyReview = (before: MessageState, review: ReviewStatus): MessageState | null => {
  if (!isWaiting(before)) return null
  switch (review) {
    case "approved":
      return stateOf("approved", before)
    case "rejected":
    case "changes_requested":
      return stateOf("rejected", before)
    case "escalated":
      return stateOf("escalated", before)
    default:
      return before
  }
}
/** State after an operator's judgement, at any time; null if it has no effect. A message that aired stays aired; its copy is hidden. */
export const applyJudgement = (before: MessageState, judgement: Judgement): MessageState | null => {
  if (before.moderationStatus === "aired")
    return { moderationStatus: "aired", visibility: judgement === "release" ? "on_air" : "private" }
  switch (judgement) {
    case "remove":
      return stateOf("rejected", before)
    case "hold":
      return isWaiting(before) ? before : before.moderationStatus === "approved" ? stateOf("pending", before) : null
    case "release":
      return before.moderationStatus === "rejected" ? null : stateOf("approved", before)
  }
}
/** A message as its sender sees it. */
export const messageView = ({ content, id, moderationStatus, type, visibility }: Interaction): Message => ({
  id,
  type,
  content,
  visibility,
  moderationStatus
})

type Call = NonNullable<MessageForOps["call"]>
interface Beside {
  /** Handle of the addressed agent. */
  readonly handle: string | null
  readonly call:
    | (Pick<Call, "durationSec" | "transcriptStatus" | "airStatus" | "airReason"> & {
        readonly expectedAirAtMs: number | null
        readonly airedAtMs: number | null
      })
    | null
  readonly publicUrl: string
}
/** A message as operators see it. */
export const messageForOps = (record: Interaction, { call, handle, publicUrl }: Beside): MessageForOps => ({
  ...messageView(record),
  flags: record.flags,
  label: record.listenerLabel,
  to: handle === null ? record.toShowSlug : `@${handle}`,
  trackId: record.trackId,
  source: record.source,
  createdAt: isoOrNull(record.createdAtMs)!,
  call:
    call === null
      ? null
      : {
          durationSec: call.durationSec,
          transcriptStatus: call.transcriptStatus,
          airStatus: call.airStatus,
          airReason: call.airReason,
          expectedAirAt: isoOrNull(call.expectedAirAtMs),
          airedAt: isoOrNull(call.airedAtMs),
          audioUrl: callAudioUrl(publicUrl, record.id)
        }
})
export const reviewTypeOf = ({ type }: Pick<Interaction, "type">): "call_in" | "write_in" =>
  type === "call_in" ? "call_in" : "write_in"
export const messageCard = (
  message: Pick<Interaction, "type" | "id" | "flags" | "content">,
  durationSec: number | null = null
): ReviewCard => ({
  kind: reviewTypeOf(message),
  type: reviewTypeOf(message),
  id: message.id,
  agentId: null,
  flags: message.flags,
  title:
    message.type !== "call_in"
      ? message.type === "dedication"
        ? "A dedication"
        : "A write-in"
      : durationSec === null
        ? "A call"
        : `A call of ${Math.round(durationSec)} s`,
  body: message.content ?? ""
})
/** The confirmation for the sender. */
export const confirmationOf = (
  type: Interaction["type"],
  { moderationStatus }: MessageState,
  isAddressed: boolean
): Confirmed["confirmation"] =>
  type === "call_in"
    ? { status: "received", message: "Thank you for calling. An operator reviews your call before it airs." }
    : moderationStatus === "approved" || moderationStatus === "aired"
      ? {
          status: "received",
          message: isAddressed
            ? "Thank you. It lies on the desk it was sent to."
            : "Thank you. It lies on the station's desk."
        }
      : { status: "held", message: "Thank you. An operator reviews your message before it is delivered." }
