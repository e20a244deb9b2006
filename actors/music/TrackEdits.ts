import { Clock, Effect } from "effect"
import { trackCard } from "../../engine/rules/music/Track.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { TrackId } from "../../schema/Ids.ts"
import type { Track, TrackEdit } from "../../schema/music/Track.ts"
import { PreconditionFailed, SubjectConflict, TrackNotFound } from "../../schema/Problems.ts"
import { askForReview, withdrawReview } from "../moderation/Reviews.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { recheck } from "../runtime/StationQueue.ts"

const movedOn = new SubjectConflict({ detail: "The track changed meanwhile. Read it again." })
const soundGone = new SubjectConflict({
  detail: "A retired piece of the house can't come back: its sound is deleted a day after it retired."
})
const preconditionFailed = ({ id, updatedAtMs }: Track) =>
  new PreconditionFailed({
    detail: "The track has changed since you read it. Read it again, then change it.",
    errors: [{ pointer: "/headers/if-match", code: "PRECONDITION_FAILED", detail: "is an older version" }],
    version: String(updatedAtMs),
    differences: [{ id, change: "changed", detail: "Its fields or its status are others." }]
  })
/** The fields that an edit gives another value. */
const pickChanged = (before: Track, patch: TrackEdit): TrackEdit =>
  Object.fromEntries(
    Object.entries(patch).filter(([name, value]) => value !== (before as unknown as Record<string, unknown>)[name])
  )

/** Operators' handlers for single tracks: tags, weight, and whether it is in rotation. */
export const trackEdits = {
  EditTrack: Effect.fnUntraced(function* ({
    payload: { actor, patch, reason, seen, trackId }
  }: {
    readonly payload: Act & { readonly trackId: string; readonly patch: TrackEdit; readonly seen?: string | null }
  }) {
    const tracks = yield* TracksWriter
    return yield* command({
      run: Effect.gen(function* () {
        const before = yield* tracks.find(trackId as TrackId)
        if (before === null) return yield* new TrackNotFound({ detail: `There is no track ${trackId}.` })
        if (seen != null && seen !== String(before.updatedAtMs)) return yield* preconditionFailed(before)
        const changed = pickChanged(before, patch)
        if (Object.keys(changed).length === 0) return before
        const { approvalStatus: to } = changed
        if (to === "approved" && before.approvalStatus === "retired" && before.source === "house")
          return yield* soundGone
        // Later than the former version, so that an ETag is never used twice.
        const atMs = Math.max(yield* Clock.currentTimeMillis, before.updatedAtMs + 1)
        const after = yield* tracks.edit(before, changed, to === undefined || to === "approved" ? null : reason, atMs)
        if (after === null) return yield* movedOn
        if (to === "held")
          yield* askForReview({ ...trackCard(after, reason ?? "Held by an operator."), status: "escalated" })
        else if (to !== undefined) yield* withdrawReview("track", trackId, "DECIDED")
        if (to !== undefined || changed.category !== undefined) yield* (yield* Transaction).afterCommit(recheck)
        const former = Object.fromEntries(
          Object.keys(changed).map((name) => [name, (before as unknown as Record<string, unknown>)[name]])
        )
        yield* record({ actor, reason }, "track.change", { type: "track", id: trackId }, former, changed)
        return after
      })
    })
  })
}
