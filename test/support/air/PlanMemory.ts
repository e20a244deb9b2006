import type { Effect } from "effect"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { applyStep } from "../../../engine/rules/programmes/PlanState.ts"
import { type PartHeard, type PlanForAir, PlansForAir } from "../../../engine/store/air/PlansForAir.ts"
import type { PartNote } from "../../../engine/store/programmes/Plans.ts"
import { PlanAirings } from "../../../actors/programmes/inTransaction.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import type { AsRunEntry } from "../../../schema/air/AsRun.ts"
import type { ItemId, PlanId } from "../../../schema/Ids.ts"
import { PlanItem, type PlanStatus } from "../../../schema/programmes/Plan.ts"
import type { Airable } from "../../../schema/air/Rundown.ts"
import type { Track } from "../../../schema/music/Track.ts"
import { testId } from "./Airables.ts"
import type { SegmentMemory } from "./MemoryStore.ts"

interface PlanRow extends Omit<PlanForAir, "status" | "sounds" | "faults" | "spent"> {
  status: PlanStatus
  reason: string | null
  airedItems: number
  readonly moves: Array<PlanStatus>
}
/** Fields of a test plan: the first ones are required. */
export const planItem = (n: number, more: Partial<PlanItem>): PlanItem =>
  new PlanItem({
    id: testId("itm", 50_000 + n),
    index: n,
    kind: "track",
    trackId: null,
    segmentId: null,
    uploadId: null,
    scriptText: null,
    title: `item ${n}`,
    durationSec: 60,
    transition: "segue",
    locked: false,
    lazy: false,
    ...more
  })
/** Plans as a plain map, moved by the rules' transition table. */
export const makePlanMemory = (
  query: <A>(run: () => A) => Effect.Effect<A>,
  shelf: {
    readonly segments: ReadonlyMap<string, SegmentMemory>
    readonly tracks: ReadonlyMap<string, Track>
    readonly asRun: ReadonlyArray<AsRunEntry>
    readonly airableOf: (track: Track) => Airable
  }
) => {
  const rows = new Map<PlanId, PlanRow>()
  const notes = new Map<string, PartNote>()
  const soundOf = (item: PlanItem): Airable | string | null => {
    if (item.kind === "pause" || item.kind === "station_id" || item.kind === "bed") return null
    const track = shelf.tracks.get(item.trackId ?? "")
    if (item.kind === "track")
      return track?.approvalStatus === "approved" ? shelf.airableOf(track) : "its track isn't approved any more"
    const segment = shelf.segments.get(item.segmentId ?? "")
    return segment === undefined
      ? "there is no such segment"
      : segment.state === "held" || segment.state === "failed"
        ? `its segment is ${segment.state}`
        : segment.airable
  }
  const listHeard = (airIds: ReadonlyArray<ItemId>): ReadonlyArray<PartHeard> =>
    airIds.flatMap((itemId) => {
      const found = shelf.asRun.filter((row) => row.itemId === itemId)
      return found.length === 0
        ? []
        : [
            {
              itemId,
              asRunSeq: shelf.asRun.indexOf(found.at(-1)!) + 1,
              startedAtMs: msOf(found[0]!.firstSample),
              endedAtMs: msOf(found.at(-1)!.lastSample + 1),
              complete: found.some(({ outcome }) => outcome === "complete"),
              spokenMs: null,
              cutBy: null
            }
          ]
    })
  const move = (id: PlanId, to: PlanStatus) => {
    const row = rows.get(id)!
    row.moves.push(to)
    row.status = to
    return {
      id,
      agentId: row.agentId,
      title: row.title,
      status: to as "airing" | "aired" | "cancelled",
      airedItems: row.airedItems,
      items: row.items.length
    }
  }
  const service = PlansForAir.of({
    listUpcoming: (untilMs) =>
      query(() =>
        [...rows.values()]
          .filter(({ startMs, status }) => startMs < untilMs && (status === "approved" || status === "airing"))
          .sort((a, b) => a.startMs - b.startMs)
          .map((row) => {
            const sounds = row.items.map((item) => [item.id, soundOf(item)] as const)
            return {
              ...row,
              status: row.status as "approved" | "airing",
              spent: new Set(
                row.items.flatMap(({ id, segmentId }) =>
                  ["airing", "aired"].includes(shelf.segments.get(segmentId ?? "")?.state ?? "") ? [id] : []
                )
              ),
              sounds: new Map(
                sounds.flatMap(([id, sound]) => (typeof sound === "string" || sound === null ? [] : [[id, sound]]))
              ),
              faults: new Map(sounds.flatMap(([id, sound]) => (typeof sound === "string" ? [[id, sound]] : [])))
            }
          })
      ),
    listHeard: (airIds) => query(() => listHeard(airIds))
  })
  const airings = PlanAirings.of({
    noteParts: (all) =>
      query(() => {
        for (const each of all) {
          const before = notes.get(each.itemId)
          const [first, last] = [before?.plannedAtMs ?? null, each.plannedAtMs]
          notes.set(each.itemId, {
            ...each,
            plannedAtMs: rows.get(each.planId)?.status === "approved" ? (last ?? first) : (first ?? last),
            why: each.why ?? before?.why ?? null
          })
        }
      }),
    begin: (id) =>
      query(() => (applyStep(rows.get(id)?.status ?? "draft", "Start") === "airing" ? move(id, "airing") : null)),
    finish: (id, airedItems) =>
      query(() => {
        const row = rows.get(id)
        if (row === undefined || (row.status !== "approved" && row.status !== "airing")) return null
        row.airedItems = airedItems
        // An unheard segment waits in the open queue again.
        for (const { segmentId } of row.items) {
          const segment = shelf.segments.get(segmentId ?? "")
          if (segment?.state === "queued") segment.bound = false
        }
        row.reason = airedItems > 0 ? null : "NOT_AIRED"
        return move(id, airedItems > 0 ? "aired" : "cancelled")
      })
  })
  const book = (
    n: number,
    startMs: number,
    endMs: number,
    items: ReadonlyArray<PlanItem>,
    blockId = defaultGrid[0]!.id
  ) => {
    const id: PlanId = testId("plan", n)
    rows.set(id, {
      id,
      agentId: testId("agt", n),
      title: `plan ${n}`,
      blockId,
      startMs,
      endMs,
      items,
      status: "approved",
      reason: null,
      airedItems: 0,
      moves: []
    })
    return id
  }
  return { service, airings, rows, notes, book }
}
