import { Result } from "effect"
import type { Addressing, ChatAgent } from "../../../schema/listeners/Chat.ts"
import type { ReviewCard } from "../../../schema/moderation/Review.ts"
import type { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { chatAbsentHours, chatAwayMin, chatCooldownSec, chatDuplicateCharsMin, chatExchangesMax } from "./limits.ts"
import { isHandle, normaliseHandle } from "../agents/Agent.ts"
import { sameWords } from "../social/Post.ts"
import { hourMs } from "../../../schema/time/Units.ts"
import { take, type Meter, type Window } from "../allowance/Meter.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

/** A chat message as reviewers read it. */
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
/** The handle that a text begins with, as `@ada, …`; null where it begins with none. */
export const leadingHandle = (body: string): string | null => {
  const written = /^@([a-z0-9_-]+)/i.exec(body.trimStart())?.[1]
  // A hyphen or underscore at the end is a mark of the sentence: handles end with a letter or a digit.
  const handle = written === undefined ? "" : normaliseHandle(written).replace(/[-_]+$/, "")
  return isHandle(handle) ? handle : null
}
interface Asked {
  readonly body: string
  /** As it was sent, in any spelling. */
  readonly targetHandle: string | null
  /** Who wrote what this replies to, where an agent did. */
  readonly repliedHandle: string | null
}
/** Whom a message speaks to by its words and fields. A mismatch says which field is wrong. */
export const addressedBy = ({
  body,
  repliedHandle,
  targetHandle
}: Asked): Result.Result<string | null, { readonly pointer: string; readonly detail: string }> => {
  const lead = leadingHandle(body)
  const target = targetHandle === null ? null : normaliseHandle(targetHandle)
  if (lead !== null && target !== null && lead !== target) {
    return Result.fail({ pointer: "/targetHandle", detail: `differs from @${lead}, to whom the message speaks` })
  }
  return Result.succeed(lead ?? target ?? repliedHandle)
}
/** How often somebody may speak: not faster than this, and not more than this in a while. */
export const paces: { readonly [Who in "listener" | "agent"]: { readonly every: Window; readonly during: Window } } = {
  listener: { every: { count: 1, windowMs: 3_000 }, during: { count: 20, windowMs: 600_000 } },
  agent: { every: { count: 1, windowMs: 5_000 }, during: { count: 60, windowMs: hourMs } }
}
/** Takes one of both, or says for how long neither is to be had. */
export const spendMessage = (who: "listener" | "agent", [every, during]: readonly [Meter, Meter], nowMs: number) => {
  const pace = paces[who]
  return Result.flatMap(
    Result.mapError(take(during.emptyAtMs, pace.during, nowMs), ({ retryAfterMs }) => ({
      retryAfterMs,
      detail: `${pace.during.count} messages in ${pace.during.windowMs / 60_000} minutes are the limit.`
    })),
    (duringNext) =>
      Result.map(
        Result.mapError(take(every.emptyAtMs, pace.every, nowMs), ({ retryAfterMs }) => ({
          retryAfterMs,
          detail: `One message in ${pace.every.windowMs / 1_000} seconds.`
        })),
        (everyNext): ReadonlyArray<Meter> => [
          { ...every, emptyAtMs: everyNext },
          { ...during, emptyAtMs: duringNext }
        ]
      )
  )
}
/** Whether saying this twice on a day is worth a look: greetings and thanks are said again by everybody. */
export const isRepeatable = (body: string): boolean => [...sameWords(body)].length < chatDuplicateCharsMin
/** What is known of an agent that can be spoken to. */
export interface ChatStanding {
  readonly handle: string
  readonly displayName: string
  /** Claimed, not suspended, its first air cleared, and in possession of the scope. */
  readonly approved: boolean
  readonly presence: { readonly status: PresenceStatus; readonly untilMs: number } | null
  readonly lastActiveAtMs: number | null
  readonly recording: boolean
  /** Until when it is being heard; null while it isn't, undefined end while nobody knows. */
  readonly onAir: { readonly untilMs: number | null } | null
  readonly exchanges: ReadonlyArray<{ readonly thinking: boolean; readonly dueAtMs: number }>
}
/** Whether it can be spoken to by somebody who last did so at `askedAtMs`. */
export const addressingOf = (
  { approved, exchanges, lastActiveAtMs, onAir }: ChatStanding,
  askedAtMs: number | null,
  nowMs: number
): Addressing => {
  const shut = (gate: Addressing["gate"], untilMs: number | null): Addressing => ({
    open: false,
    gate,
    until: isoOrNull(untilMs)
  })
  if (!approved || lastActiveAtMs === null || nowMs - lastActiveAtMs > chatAbsentHours * hourMs)
    return shut("closed", null)
  if (onAir !== null) return shut("on_air", onAir.untilMs)
  if (exchanges.length >= chatExchangesMax) return shut("busy", Math.min(...exchanges.map(({ dueAtMs }) => dueAtMs)))
  if (askedAtMs !== null && nowMs - askedAtMs < chatCooldownSec * 1_000)
    return shut("cooldown", askedAtMs + chatCooldownSec * 1_000)
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
/** An agent as the chat shows it. */
export const chatAgentOf = (standing: ChatStanding, nowMs: number): ChatAgent => ({
  handle: standing.handle,
  displayName: standing.displayName,
  availability: availabilityOf(standing, nowMs),
  addressing: addressingOf(standing, null, nowMs),
  activity: activityOf(standing),
  lastActiveAt: isoOrNull(standing.lastActiveAtMs)
})
