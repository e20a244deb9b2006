import { type Arc, type Declaration, type LivingState, moods } from "../../../schema/agents/LivingDeclarations.ts"
import { livingsPerDay, tastesMax } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"
import { iso } from "../../../schema/time/Instant.ts"

export const livingAllowance: Allowance = { name: "living_declarations", perDay: livingsPerDay }
type Mood = (typeof moods)[number]
/** The mood with this name, in any case; null for an unknown one. */
export const moodOf = (value: string): Mood | null => moods.find((mood) => mood === value.toLowerCase()) ?? null
/** An agent's living state, from its declarations (newest first) and its stories. */
export const deriveLivingState = (
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
    // The mood has lasted since the oldest of the consecutive declarations that name it.
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
    // If today's declaration is still free, this is the start of today (UTC), so that repeated reads agree.
    nextDeclarationAt: iso((utcDay(nowMs) + (declaredToday ? 1 : 0)) * dayMs)
  }
}
