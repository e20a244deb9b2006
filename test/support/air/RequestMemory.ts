import type { Effect } from "effect"
import { songRequestHardHours, songRequestHours } from "../../../engine/rules/air/limits.ts"
import { isActive, stepped, type SongRequestStep } from "../../../engine/rules/music/SongRequest.ts"
import { type Moved, RequestsForAir } from "../../../engine/store/air/RequestsForAir.ts"
import type { SongRequestId, TrackId } from "../../../schema/Ids.ts"
import type { SongRequestStatus } from "../../../schema/music/SongRequest.ts"
import { testId } from "./Airables.ts"

interface RequestRow {
  readonly id: SongRequestId
  readonly trackId: TrackId
  readonly label: string
  readonly createdAtMs: number
  status: SongRequestStatus
  displacements: number
  itemId: string | null
  atMs: number | null
  readonly moves: Array<SongRequestStatus>
}

/** Requests as a plain map, moved by the rules' own table. */
export const makeRequestMemory = (
  query: <A>(run: () => A) => Effect.Effect<A>,
  isApproved: (id: TrackId) => boolean
) => {
  const rows = new Map<SongRequestId, RequestRow>()
  const move = (
    ids: ReadonlyArray<SongRequestId>,
    step: SongRequestStep,
    then: (row: RequestRow) => void = () => undefined
  ): ReadonlyArray<Moved> =>
    ids.flatMap((id) => {
      const row = rows.get(id)
      const to = row === undefined ? null : stepped(row.status, step, row.displacements)
      if (row === undefined || to === null) return []
      const before = row.status
      if (to !== before) row.moves.push(to)
      row.status = to
      if (step === "displace") row.displacements = Math.min(2, row.displacements + 1)
      then(row)
      return [
        { id, agentId: null, humanId: null, listenerLabel: row.label, before, status: to, scheduledForMs: row.atMs }
      ]
    })
  const active = () => [...rows.values()].filter(({ status }) => isActive(status))
  return {
    rows,
    ask: (trackId: TrackId, createdAtMs: number, label = "a listener"): SongRequestId => {
      const id = testId("sreq", rows.size + 1)
      rows.set(id, {
        id,
        trackId,
        label,
        createdAtMs,
        status: "pending",
        displacements: 0,
        itemId: null,
        atMs: null,
        moves: []
      })
      return id
    },
    service: RequestsForAir.of({
      waiting: (limit) =>
        query(() =>
          [
            ...new Set(
              active()
                .filter((row) => isApproved(row.trackId))
                .map(({ trackId }) => trackId)
            )
          ]
            .slice(0, limit)
            .map((trackId) => ({
              trackId,
              songRequestIds: active()
                .filter((row) => row.trackId === trackId)
                .map(({ id }) => id)
            }))
        ),
      gone: (ids) => query(() => ids.filter((id) => !isActive(rows.get(id)!.status))),
      markScheduled: (ids, { atMs, itemId }) =>
        query(() => move(ids, "place", (row) => Object.assign(row, { itemId, atMs }))),
      markDisplaced: (ids) => query(() => move(ids, "displace")),
      markFulfilled: (ids, atMs) =>
        query(() =>
          move(ids, "hear", (row) => {
            row.atMs = atMs
          })
        ),
      reclaim: (keep) =>
        query(() => {
          for (const row of rows.values())
            if (row.status === "scheduled" && !keep.includes(row.id)) row.status = "pending"
          return []
        }),
      settle: (nowMs) =>
        query(() =>
          active().flatMap((row) => [
            ...(row.createdAtMs + songRequestHours * 3_600_000 <= nowMs ? move([row.id], "expire") : []),
            ...(row.createdAtMs + songRequestHardHours * 3_600_000 <= nowMs ? move([row.id], "stop") : []),
            ...(isApproved(row.trackId) ? [] : move([row.id], "cancel"))
          ])
        ),
      forgetAddresses: () => query(() => undefined)
    })
  }
}
