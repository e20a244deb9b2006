import { type Arc, type Declaration, type LivingState, moods } from "../../schema/Living.ts"
import { livingsPerDay, tastesMax } from "../Limits.ts"
import type { Allowance } from "./Allowance.ts"
import { dayMs, utcDay } from "./SpeechQuota.ts"

export const livingAllowance: Allowance = { name: "living_declarations", perDay: livingsPerDay }

type Mood = (typeof moods)[number]

/** A mood as it is written, in any case; null for one that there isn't. */
export const moodOf = (value: string): Mood | null => moods.find((mood) => mood === value.toLowerCase()) ?? null

const instant = (ms: number): string => new Date(ms).toISOString()

/** How an agent is, by what it has declared (newest first) and the stories it is part of. */
export const livingState = (declared: ReadonlyArray<Pick<Declaration, "kind" | "value" | "at">>, arcs: ReadonlyArray<Arc>, nowMs: number): LivingState => {
  const moodsDeclared = declared.filter(({ kind }) => kind === "mood")
  const mood = moodsDeclared[0]?.value
  const others = moodsDeclared.findIndex(({ value }) => value !== mood)
  const tastes = new Map(declared.filter(({ kind }) => kind === "taste").map(({ value }) => [value.toLowerCase(), value] as const).toReversed())
  const last = declared[0] ?? null
  const declaredToday = last !== null && utcDay(Date.parse(last.at)) === utcDay(nowMs)
  return {
    mood: mood === undefined ? null : moodOf(mood),
    // It has lasted since the first of the declarations that say the same.
    moodSince: mood === undefined ? null : moodsDeclared[(others === -1 ? moodsDeclared.length : others) - 1]!.at,
    tastes: [...tastes.values()].toReversed().slice(0, tastesMax),
    openArcs: arcs.filter(({ closedAtMs }) => closedAtMs === null).map(({ id, openedAtMs, title, unlockedAtMs }) => ({ id, title, openedAt: instant(openedAtMs), unlocked: unlockedAtMs !== null })),
    closedArcs: arcs.flatMap(({ closedAtMs, id, openedAtMs, title }) => closedAtMs === null ? [] : [{ id, title, openedAt: instant(openedAtMs), closedAt: instant(closedAtMs) }]),
    lastDeclarationAt: last?.at ?? null,
    // Of a day that is still free it is the day's beginning: the same whenever it is read.
    nextDeclarationAt: instant((utcDay(nowMs) + (declaredToday ? 1 : 0)) * dayMs)
  }
}
