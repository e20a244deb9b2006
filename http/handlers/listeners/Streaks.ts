import { Effect } from "effect"
import { streakDayMinutes, streakHistoryDays } from "../../../engine/rules/listeners/limits.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { streakOf } from "../../../engine/rules/listeners/Streak.ts"
import { ListenerDays } from "../../../engine/store/listeners/ListenerDays.ts"
import type { ListenerId } from "../../../schema/Ids.ts"
import type { Streaks } from "../../../schema/listeners/Listener.ts"

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
/** A listener's streak up to a day. */
export const streaksOf = Effect.fnUntraced(function* (listenerId: ListenerId, who: string, today: number) {
  const days = yield* ListenerDays
  const [listened, { others: _, ...totals }, history] = yield* Effect.all(
    [days.listDaysListened(who, streakDayMinutes), days.totals(who), days.history(who, today - streakHistoryDays + 1)],
    { concurrency: "unbounded" }
  )
  const { current, lastDay, longest } = streakOf(listened, today)
  const streaks: typeof Streaks.Type = {
    listenerId,
    totals,
    streak: {
      current,
      longest,
      lastDay: lastDay === null ? null : dateOf(lastDay),
      todayMinutes: history.find(({ day }) => day === today)?.minutes ?? 0
    },
    history: history.map(({ callIns, day, minutes, others, reactions, requests, votes, writeIns }) => ({
      day: dateOf(day),
      minutes,
      actions: callIns + others + reactions + requests + votes + writeIns
    }))
  }
  return streaks
})
