import { Effect } from "effect"
import { Candidates } from "../../engine/store/air/Candidates.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { AirStatus } from "../../schema/air/Air.ts"
import { PlayoutConflict, PreconditionFailed, SegmentNotFound, TrackNotFound } from "../../schema/Problems.ts"
import type { Airable, Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import type { RundownShown, RundownVersions } from "../../engine/rules/air/RundownVersions.ts"
import type { Chosen } from "./protocol.ts"

const conflict = (detail: string) => new PlayoutConflict({ detail })

/** The sound of a segment or track that an operator chose. Fails when the rules keep it off the air. */
export const airableOf = Effect.fnUntraced(function* (
  chosen: Chosen
): Effect.fn.Return<Airable, SegmentNotFound | TrackNotFound | PlayoutConflict, Candidates | Segments | Tracks> {
  if (chosen._tag === "Track") {
    const tracks = yield* Tracks
    const track = yield* tracks.find(chosen.trackId)
    if (track === null) return yield* new TrackNotFound({ detail: `There is no track ${chosen.trackId}.` })
    return (
      (yield* tracks.findAirable(chosen.trackId)) ??
      (yield* conflict(
        `The track is ${track.approvalStatus} (${track.category}): only songs of the rotation can be put on the air.`
      ))
    )
  }
  const airable = yield* (yield* Candidates).findAirable(chosen.segmentId)
  if (airable !== null) return airable
  const segment = yield* (yield* Segments).find(chosen.segmentId)
  if (segment === null) return yield* new SegmentNotFound({ detail: `There is no segment ${chosen.segmentId}.` })
  return yield* conflict(
    segment.status !== "queued" && segment.status !== "scheduled"
      ? `The segment is ${segment.status}: only what is queued or scheduled can be put on the air.`
      : segment.audioStatus !== "ready"
        ? "The segment has no sound yet."
        : segment.rerunHold
          ? "The segment is held. Release it first."
          : segment.category === "panel_turn"
            ? "It is a turn of a panel: it airs within its session's programme."
            : "Its status changed during the request. Try again."
  )
})

/** Conflict while the emergency programme is on: nothing planned is heard then. */
export const emergencyIsOn = (rundown: Rundown, air: Pick<AirStatus, "emergency" | "live">): PlayoutConflict | null =>
  air.live === true
    ? conflict("Live sound is on the air. Release it first.")
    : rundown.emergency || air.emergency
      ? conflict("The emergency programme is on. Clear the emergency first.")
      : null

/** Reason why an inserted item would not be heard, or null. */
export const obstacle = (
  rundown: Rundown,
  airable: Airable,
  { emergency, live, nowMs }: Pick<AirStatus, "emergency" | "live" | "nowMs">
): PlayoutConflict | null =>
  emergencyIsOn(rundown, { emergency, ...(live === undefined ? {} : { live }) }) ??
  (rundown.held && airable.segmentId !== null
    ? conflict("Contributions are held. Resume first.")
    : airable.segmentId !== null && rundown.onAir?.airable.segmentId === airable.segmentId
      ? conflict("It is on the air already.")
      : airable.validFromMs !== null && airable.validFromMs > nowMs
        ? conflict(`Its agent asked for it no earlier than ${new Date(airable.validFromMs).toISOString()}.`)
        : null)

/** Fails when the rundown has changed since the revision that the operator saw. */
export const requireUnchanged = (versions: RundownVersions, now: RundownShown, seen: string | null | undefined) =>
  Effect.suspend(() => {
    if (seen == null) return Effect.void
    const differences = versions.differencesSince(/^\d{1,15}$/.test(seen) ? Number(seen) : -1, now)
    return differences === null
      ? Effect.void
      : Effect.fail(
          new PreconditionFailed({
            detail: "The rundown has changed since you read it. Read it again, then decide.",
            errors: [{ pointer: "/headers/if-match", code: "PRECONDITION_FAILED", detail: "is an older version" }],
            version: String(now.revision),
            differences
          })
        )
  })

/** The audit log's view of the rundown and one item. */
export const snapshotOf = (rundown: Rundown, itemId: string | null) => {
  const at = rundown.items.findIndex(({ id }) => id === itemId)
  const item: RundownItem | undefined = rundown.items[at]
  return {
    revision: rundown.revision,
    held: rundown.held,
    emergency: rundown.emergency,
    onAir: rundown.onAir?.id ?? null,
    ...(itemId === null
      ? {}
      : { item: item === undefined ? null : { id: itemId, title: item.airable.title, place: at, locked: item.locked } })
  }
}
