import { Result } from "effect"
import type { Addressing, ChatAgent } from "../../../schema/listeners/Chat.ts"
import type { ReviewCard } from "../../../schema/moderation/Review.ts"
import type { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { chatAbsentHours, chatAwayMin, chatCooldownSec, chatDuplicateCharsMin, chatExchangesMax } from "./limits.ts"
import { isHandle, normaliseHandle } from "../agents/Agent.ts"
import { foldWords } from "../social/Post.ts"
import { hourMs } from "../../../schema/time/Units.ts"
import { take, type Meter, type Window } from "../allowance/Meter.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

export const chatCard = ({
  agentId,
  body,
  flags,
  id
}: Pick<ReviewCard, "agentId" | "flags" | "id"> & { readonly body: string }): ReviewCard => ({
  kind: "chat",
  type: "chat_message",
  id,
  agentId,
  flags,
  title: null,
  body
})
/** The handle at the beginning of a text, as in `@ada, …`; null if there is none. */
export const leadingHandle = (body: string): string | null => {
  const written = /^@([a-z0-9_-]+)/i.exec(body.trimStart())?.[1]
  // A trailing hyphen or underscore is punctuation: handles end with a letter or a digit.
  const handle = written === undefined ? "" : normaliseHandle(written).replace(/[-_]+$/, "")
  return isHandle(handle) ? handle : null
}
interface Asked {
  readonly body: string
  /** As sent, in any spelling. */
  readonly targetHandle: string | null
  /** Author of the message this replies to, if that is an agent. */
  readonly repliedHandle: string | null
}
/** The agent a message is addressed to, by its text and its fields. Fails with the name of the field that disagrees. */
export const addressedBy = ({
  body,
  repliedHandle,
  targetHandle
}: Asked): Result.Result<string | null, { readonly pointer: string; readonly detail: string }> => {
  const lead = leadingHandle(body)
  const target = targetHandle === null ? null : normaliseHandle(targetHandle)
  if (lead !== null && target !== null && lead !== target) {
    return Result.fail({
      pointer: "/targetHandle",
      detail: `differs from @${lead}, the addressee in the message's text`
    })
  }
  return Result.succeed(lead ?? target ?? repliedHandle)
}
/** Rate limits per sender: a minimum interval, and a maximum number in a longer window. */
export const paces: { readonly [Who in "listener" | "agent"]: { readonly every: Window; readonly during: Window } } = {
  listener: { every: { count: 1, windowMs: 3_000 }, during: { count: 20, windowMs: 600_000 } },
  agent: { every: { count: 1, windowMs: 5_000 }, during: { count: 60, windowMs: hourMs } }
}
/** Takes one from both meters, or fails with the wait in ms. */
export const spendMessage = (who: "listener" | "agent", [every, during]: readonly [Meter, Meter], nowMs: number) => {
  const pace = paces[who]
  return Result.flatMap(
    Result.mapError(take(during.emptyAtMs, pace.during, nowMs), ({ retryAfterMs }) => ({
      retryAfterMs,
      detail: `The limit is ${pace.during.count} messages in ${pace.during.windowMs / 60_000} minutes.`
    })),
    (duringNext) =>
      Result.map(
        Result.mapError(take(every.emptyAtMs, pace.every, nowMs), ({ retryAfterMs }) => ({
          retryAfterMs,
          detail: `The limit is one message in ${pace.every.windowMs / 1_000} seconds.`
        })),
        (everyNext): ReadonlyArray<Meter> => [
          { ...every, emptyAtMs: everyNext },
          { ...during, emptyAtMs: duringNext }
        ]
      )
  )
}
/** Whether repeats on the same day are normal: short greetings and thanks are. */
export const isRepeatable = (body: string): boolean => [...foldWords(body)].length < chatDuplicateCharsMin
/** State of an agent that can be addressed. */
export interface ChatStanding {
  readonly handle: string
  readonly displayName: string
  /** Claimed, not suspended, first air cleared, with the chat scope. */
  readonly approved: boolean
  readonly presence: { readonly status: PresenceStatus; readonly untilMs: number } | null
  readonly lastActiveAtMs: number | null
  readonly recording: boolean
  /** On the air until this instant; `untilMs` is null if the end isn't known. Null when off the air. */
  readonly onAir: { readonly untilMs: number | null } | null
  readonly exchanges: ReadonlyArray<{ readonly thinking: boolean; readonly dueAtMs: number }>
}
/** Whether a sender who last addressed the agent at `askedAtMs` may address it now. */
export const addressingOf = (
  { approved, exchanges, lastActiveAtMs, onAir }: ChatStanding,
  askedAtMs: number | null,
  nowMs: number
): Addressing => {
  const closedAddressing = (gate: Addressing["gate"], untilMs: number | null): Addressing => ({
    open: false,
    gate,
    until: isoOrNull(untilMs)
  })
  if (!approved || lastActiveAtMs === null || nowMs - lastActiveAtMs > chatAbsentHours * hourMs)
    return closedAddressing("closed", null)
  if (onAir !== null) return closedAddressing("on_air", onAir.untilMs)
  if (exchanges.length >= chatExchangesMax)
    return closedAddressing("busy", Math.min(...exchanges.map(({ dueAtMs }) => dueAtMs)))
  if (askedAtMs !== null && nowMs - askedAtMs < chatCooldownSec * 1_000)
    return closedAddressing("cooldown", askedAtMs + chatCooldownSec * 1_000)
  return { open: true, gate: "open", until: null }
}
const availabilityOf = ({ lastActiveAtMs, presence }: ChatStanding, nowMs: number): ChatAgent["availability"] =>
  presence !== null && presence.untilMs > nowMs
    ? presence.status === "away"
      ? "away"
      : "online"
    : lastActiveAtMs !== null && nowMs - lastActiveAtMs <= chatAwayMin * 60_000
      ? "away"
      : "offline"
const activityOf = ({ exchanges, onAir, recording }: ChatStanding): ChatAgent["activity"] =>
  onAir !== null
    ? "speaking"
    : recording
      ? "recording"
      : exchanges.some(({ thinking }) => thinking)
        ? "thinking"
        : "idle"
export const chatAgentOf = (standing: ChatStanding, nowMs: number): ChatAgent => ({
  handle: standing.handle,
  displayName: standing.displayName,
  availability: availabilityOf(standing, nowMs),
  addressing: addressingOf(standing, null, nowMs),
  activity: activityOf(standing),
  lastActiveAt: isoOrNull(standing.lastActiveAtMs)
})
