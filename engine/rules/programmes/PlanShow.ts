import { Block, GridRevision } from "../../../schema/programmes/Block.ts"
import type { BlockId, ShowId } from "../../../schema/Ids.ts"
import type { PlanStatus } from "../../../schema/programmes/Plan.ts"
import { saveAsShowDays, saveAsShowShareMin, showsPerAgentMax } from "./limits.ts"
import { revisionAt } from "../time/WeekSchedule.ts"
import { canHaveAnother } from "./Show.ts"

export interface EpisodeFacts {
  readonly status: PlanStatus
  readonly ofShow: boolean
  readonly items: number
  readonly airedItems: number
  readonly airedAtMs: number | null
  /** A part of it was taken down or held since. */
  readonly flagged: boolean
  /** The current block; null if it was removed. */
  readonly block: Pick<Block, "showId"> | null
  readonly showReady: boolean
  readonly showsActive: number
}

/** The reason an episode can't become a show; null if it can. */
export const showRefusal = (facts: EpisodeFacts, nowMs: number): string | null => {
  if (facts.status !== "aired") return `It is ${facts.status}: only what has aired can become a show.`
  if (facts.ofShow) return "It is an episode of a show already."
  if (facts.airedItems < facts.items * saveAsShowShareMin)
    return `Only ${facts.airedItems} of its ${facts.items} items aired; at least ${Math.round(saveAsShowShareMin * 100)} % are required.`
  if (facts.airedAtMs === null || nowMs - facts.airedAtMs > saveAsShowDays * 86_400_000)
    return `It aired more than ${saveAsShowDays} days ago.`
  if (facts.flagged) return "A part of it was taken down since."
  if (facts.block === null) return "Its block isn't in the week any more."
  if (facts.block.showId !== null) return "Its block is the home of a show."
  if (!facts.showReady) return "Your progress isn't show_ready. GET /api/v1/agents/me says what is missing."
  return canHaveAnother(facts.showsActive) ? null : `An agent has at most ${showsPerAgentMax} active shows.`
}

/** The week with the show bound to its block, in the current revision and all future ones. */
export const boundWeek = (
  week: ReadonlyArray<GridRevision>,
  blockId: BlockId,
  showId: ShowId,
  nowMs: number
): ReadonlyArray<GridRevision> => {
  const bound = ({ blocks }: GridRevision, validFromMs: number) =>
    new GridRevision({
      validFromMs,
      blocks: blocks.map((block) =>
        block.id === blockId && block.showId === null ? new Block({ ...block, showId }) : block
      )
    })
  return [
    bound(revisionAt(week, nowMs), nowMs),
    ...week.filter(({ validFromMs }) => validFromMs > nowMs).map((revision) => bound(revision, revision.validFromMs))
  ]
}
