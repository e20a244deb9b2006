import type { Effect } from "effect"
import { songRequestHardHours, songRequestHours } from "../../../engine/rules/air/limits.ts"
import { offerAiring } from "../../../engine/rules/air/Airing.ts"
import { isActive, requestStatus } from "../../../engine/rules/music/SongRequest.ts"
import type { Airing } from "../../../schema/air/Airing.ts"
import type { SongRequestId, TrackId } from "../../../schema/Ids.ts"
import type { SongRequestStatus } from "../../../schema/music/SongRequest.ts"
import { testId } from "./Airables.ts"

interface RequestRow {
  readonly id: SongRequestId
  readonly trackId: TrackId
  readonly label: string
  readonly createdAtMs: number
  airing: Airing
  readonly status: SongRequestStatus
  readonly displacements: number
  readonly itemId: string | null
  readonly atMs: number | null
  readonly moves: Array<SongRequestStatus>
}

/** Requests as a plain map; `MemoryStore` moves their airings by the rules. */
export const makeRequestMemory = (
  query: <A>(run: () => A) => Effect.Effect<A>,
  isApproved: (id: TrackId) => boolean
) => {
  const rows = new Map<SongRequestId, RequestRow>()
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
        airing: offerAiring(id, "song_request", createdAtMs),
        get status(): SongRequestStatus {
          return requestStatus[this.airing.state]
        },
        get displacements() {
          return this.airing.displacements
        },
        get itemId() {
          return this.airing.placement
        },
        get atMs() {
          return this.airing.endedAtMs ?? this.airing.expectedAtMs
        },
        moves: []
      })
      return id
    },
    candidates: {
      songs: (limit: number) =>
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
      findDueRequests: (nowMs: number) =>
        query(() => {
          const listOlder = (hours: number) =>
            active().flatMap(({ createdAtMs, id }) => (createdAtMs + hours * 3_600_000 <= nowMs ? [id] : []))
          return {
            expired: listOlder(songRequestHours),
            stopped: listOlder(songRequestHardHours),
            refused: active().flatMap(({ id, trackId }) => (isApproved(trackId) ? [] : [id]))
          }
        })
    }
  }
}
