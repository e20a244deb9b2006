import { type Arc, type Declaration, type LivingState, moods } from "../../../schema/agents/Living.ts"
import { livingsPerDay, tastesMax } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"
import { iso } from "../../../schema/time/Instant.ts"

export const livingAllowance: Allowance = { name: "living_declarations", perDay: livingsPerDay }
type Mood = (typeof moods)[number]
/** A mood as it is written, in any case; null for one that there isn't. */
export const moodOf = (value: string): Mood | null => moods.find((mood) => mood === value.toLowerCase()) ?? null
/** How an agent is, by what it has declared (newest first) and the stories it is part of. */
export const livingState = (
  declared: ReadonlyArray<Pick<Declaration, "kind" | "value" | "at">>,
  arcs: ReadonlyArray<Arc>,
  nowMs: number
): LivingState => {
  const moodsDeclared = declared.filter(({ kind }) => kind === "mood")
  const mood = moodsDeclared[0]?.value
  const others = moodsDeclared.findIndex(({ value }) => value !== mood)
  const tastes = new Map(
    declared
      .filter(({ kind }) => kind === "taste")
      .map(({ value }) => [value.toLowerCase(), value] as const)
      .toReversed()
  )
  const last = declared[0] ?? null
  const declaredToday = last !== null && utcDay(Date.parse(last.at)) === utcDay(nowMs)
  return {
    mood: mood === undefined ? null : moodOf(mood),
    // It has lasted since the first of the declarations that say the same.
    moodSince: mood === undefined ? null : moodsDeclared[(others === -1 ? moodsDeclared.length : others) - 1]!.at,
    tastes: [...tastes.values()].toReversed().slice(0, tastesMax),
    openArcs: arcs
      .filter(({ closedAtMs }) => closedAtMs === null)
      .map(({ id, openedAtMs, title, unlockedAtMs }) => ({
        id,
        title,
        openedAt: iso(openedAtMs),
        unlocked: unlockedAtMs !== null
      })),
    closedArcs: arcs.flatMap(({ closedAtMs, id, openedAtMs, title }) =>
      closedAtMs === null ? [] : [{ id, title, openedAt: iso(openedAtMs), closedAt: iso(closedAtMs) }]
    ),
    lastDeclarationAt: last?.at ?? null,
    // Of a day that is still free it is the day's beginning: the same whenever it is read.
    nextDeclarationAt: iso((utcDay(nowMs) + (declaredToday ? 1 : 0)) * dayMs)
  }
}
