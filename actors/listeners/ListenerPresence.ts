import { Clock, Effect, Result } from "effect"
import { streakDayMinutes } from "../../engine/rules/listeners/limits.ts"
import { listenerEngages, reactions } from "../../engine/rules/social/Engagement.ts"
import { utcDay } from "../../engine/rules/allowance/Meter.ts"
import { beat, streakOf } from "../../engine/rules/listeners/Streak.ts"
import { sha256 } from "../../engine/runtime/Secrets.ts"
import { ListenerDays, ListenerDaysWriter } from "../../engine/store/listeners/ListenerDays.ts"
import { ReactionsWriter } from "../../engine/store/listeners/Reactions.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import type { Voter } from "../../engine/store/music/TrackVotes.ts"
import type { ListenerId } from "../../schema/Ids.ts"
import { type EngageAnswer, Reaction } from "../../schema/listeners/Listener.ts"
import { InvalidField } from "../../schema/Problems.ts"
import { voterOf } from "./inTransaction.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { command } from "../runtime/Command.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { likeClip } from "../panels/inTransaction.ts"

interface Engaging {
  readonly listenerId: ListenerId
  readonly kind: "tune_in" | "listening" | "reaction" | "share" | "poll"
  readonly subject: { readonly type: string; readonly id: string } | null
  readonly value: string | null
}
const invalidField = (pointer: string, detail: string) =>
  new InvalidField({ detail: `${pointer}: ${detail}`, errors: [{ pointer, code: "INVALID_FIELD", detail }] })
/** The reaction's item. Only the item now on the air takes reactions. */
const readReaction = Effect.fnUntraced(function* ({ subject, value }: Engaging) {
  if (!Reaction.literals.some((each) => each === value))
    return yield* invalidField("/value", `is one of ${Reaction.literals.join(", ")}`)
  const now = yield* (yield* EventBus).get("nowPlaying")
  if (now === null) return yield* invalidField("/subject", "nothing is playing yet")
  const ids = { item: now.item.id, track: now.track?.id ?? null, segment: now.segment?.id ?? null }
  const isNow = subject === null || Object.entries(ids).some(([type, id]) => type === subject.type && id === subject.id)
  if (!isNow)
    return yield* invalidField(
      "/subject",
      `is not what is playing now: ${Object.entries(ids)
        .filter(([, id]) => id !== null)
        .map(([type, id]) => `${type} ${id}`)
        .join(", ")}`
    )
  return { segmentId: ids.segment, startedAtMs: Date.parse(now.item.startedAt) }
})
/** Records the second at which a listener reacted to a segment, for highlights, and for the clips of a panel. The listener is stored as a hash. */
const noteReaction = Effect.fnUntraced(function* (
  who: string,
  { value }: Engaging,
  { segmentId, startedAtMs }: { readonly segmentId: string | null; readonly startedAtMs: number },
  nowMs: number
) {
  if (segmentId === null) return
  const reactor = sha256(`${segmentId} ${who}`)
  const atSec = Math.max(0, nowMs - startedAtMs) / 1_000
  yield* (yield* ReactionsWriter).add({ segmentId, reactor, atSec, atMs: nowMs })
  if (value !== "sad") yield* likeClip(segmentId, reactor, atSec)
})
/** True when a minute has passed since the last counted one. */
const isAnotherMinute = Effect.fnUntraced(function* (who: string, nowMs: number) {
  const meters = yield* Meters
  return Result.isSuccess(
    yield* Effect.result(
      meters.change([`listening:${who}`], ([meter]) => {
        const dueAtMs = beat(meter!.emptyAtMs, nowMs)
        return dueAtMs === null ? Result.fail("early") : Result.succeed([{ ...meter!, emptyAtMs: dueAtMs }])
      })
    )
  )
})
const recordEngagement = Effect.fnUntraced(function* (voter: Voter, asked: Engaging, nowMs: number) {
  const days = yield* ListenerDaysWriter
  const who = voter.humanId ?? voter.listenerId
  if (asked.kind === "listening") {
    const isAnother = yield* isAnotherMinute(who, nowMs)
    if (isAnother) yield* days.count(voter, "minutes", nowMs)
    return isAnother
  }
  const heard = asked.kind === "reaction" ? yield* readReaction(asked) : null
  yield* spendAllowance(heard !== null ? reactions : listenerEngages, who)
  if (heard !== null) yield* noteReaction(who, asked, heard, nowMs)
  yield* days.count(voter, asked.kind === "reaction" ? "reactions" : "others", nowMs)
  return true
})
const engage = Effect.fnUntraced(function* (asked: Engaging) {
  return yield* command({
    run: Effect.gen(function* () {
      const days = yield* ListenerDays
      const nowMs = yield* Clock.currentTimeMillis
      const voter = yield* voterOf(asked.listenerId)
      const who = voter.humanId ?? voter.listenerId
      const answer = yield* recordEngagement(voter, asked, nowMs)
      const today = utcDay(nowMs)
      const { current, longest } = streakOf(yield* days.listDaysListened(who, streakDayMinutes), today)
      const engaged: EngageAnswer = {
        recorded: answer,
        streak: { current, longest, todayMinutes: (yield* days.find(who, today))?.minutes ?? 0 }
      }
      return engaged
    })
  })
})
/** Handler of tune-ins, listening minutes, reactions, shares and polls. */
export const listenerPresence = {
  Engage: ({ payload }: { readonly payload: Engaging }) => engage(payload)
}
