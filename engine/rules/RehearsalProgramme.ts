import type { Airable, Rundown, RundownItem } from "../../schema/Rundown.ts"
import { airIdOf, type Due, limitOf } from "./Sequence.ts"
import type { Programmed } from "./RehearsalStage.ts"
import { msOf } from "./Timing.ts"

const hourMs = 3_600_000

/** What of it hasn't begun, as the scheduler sees it: what was passed over once something behind it has begun doesn't come any more. */
export const dueOf = ({ begun, programme }: Programmed, rundown: Rundown, frozen: ReadonlyArray<RundownItem>, good: (airable: Airable) => boolean): Due => {
  const { parts, planId } = programme
  const under = new Set([rundown.onAir, ...frozen].map((item) => item?.id))
  const standing = new Set(rundown.items.map(({ id }) => id))
  const hasBegun = (itemId: Programmed["programme"]["parts"][number]["itemId"]) => begun.includes(itemId) || under.has(airIdOf(planId, itemId))
  const last = parts.findLastIndex(({ itemId }) => hasBegun(itemId))
  return {
    ...programme, begun: last >= 0,
    parts: parts.filter(({ airable, itemId }, i) => good(airable) && !hasBegun(itemId) && (i > last || standing.has(airIdOf(planId, itemId))))
  }
}

/** Nothing of it will air any more. */
export const isOver = (programmed: Programmed, rundown: Rundown, nowMs: number): boolean => {
  const { begun, programme } = programmed
  if ([rundown.onAir, ...rundown.items].some((item) => item?.plan?.planId === programme.planId)) return false
  if (begun.length === 0) return nowMs >= programme.endMs
  const untilMs = programme.overrunPolicy === "allow" ? programme.endMs + hourMs : msOf(limitOf(programme))
  return nowMs >= untilMs || dueOf(programmed, rundown, [], () => true).parts.length === 0
}
