import { Clock, Effect } from "effect"
import { stationFacts } from "../../engine/runtime/Config.ts"
import {
  applyEdit,
  isReadableBy,
  reasonAfter,
  trackCard,
  trackView,
  withPatch
} from "../../engine/rules/music/Track.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { Tracks, TracksWriter } from "../../engine/store/music/Tracks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, TrackId } from "../../schema/Ids.ts"
import type { TrackPatch } from "../../schema/music/Track.ts"
import { Forbidden, SubjectConflict, TrackNotFound } from "../../schema/Problems.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { askForReview, withdrawReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { command } from "../runtime/Command.ts"
import { recheck } from "../runtime/StationQueue.ts"

interface Named {
  readonly trackId: string
}
/** The agent's own track. */
const findOwnTrack = Effect.fnUntraced(function* (agentId: AgentId, { trackId }: Named) {
  const track = yield* (yield* Tracks).find(trackId as TrackId)
  if (track === null || !isReadableBy(track, agentId))
    return yield* new TrackNotFound({ detail: `There is no track ${trackId}.` })
  if (track.agentId !== agentId) return yield* new Forbidden({ detail: "Only the agent that made a track changes it." })
  return track
})
const movedOn = new SubjectConflict({ detail: "The track changed meanwhile. Read it again." })
const changeTrack = Effect.fnUntraced(function* (
  agentId: AgentId,
  { patch, trackId }: Named & { readonly patch: TrackPatch }
) {
  yield* activeAgent(agentId)
  const before = yield* findOwnTrack(agentId, { trackId })
  if (before.approvalStatus === "retired")
    return yield* new SubjectConflict({ detail: "The track is retired for good. Create a new one." })
  const changed = withPatch(before, patch)
  if (changed.remixable && !before.remixable && before.remixOfTrackId !== null)
    return yield* new Forbidden({
      detail: "A remix can't be remixed. Allow remixes of the track that it was made from."
    })
  const texts = findFlaggedTexts({
    "/title": patch.title,
    "/artist": patch.artist,
    "/description": patch.description,
    "/lyrics": patch.lyrics,
    "/language": patch.language,
    "/musicalKey": patch.musicalKey,
    "/syntheticDisclosure": patch.syntheticDisclosure
  })
  yield* refuseEscalating("The track can't be described like this. Leave out what is flagged.", texts)
  const approvalStatus = applyEdit(before.approvalStatus, texts.length > 0)
  return yield* command({
    run: Effect.gen(function* () {
      const after = yield* (yield* TracksWriter).change(
        before,
        changed,
        { approvalStatus, approvalReason: reasonAfter(before.approvalReason, changed.rightsDeclaration) },
        yield* Clock.currentTimeMillis
      )
      if (after === null) return yield* movedOn
      if (approvalStatus !== before.approvalStatus) {
        const flags = flagsOf(texts)
        yield* askForReview({
          ...trackCard(after, `Its agent changed ${Object.keys(patch).join(", ")}.`, flags),
          status: isEscalating(flags) ? "escalated" : "open"
        })
        yield* (yield* Transaction).afterCommit(recheck)
      }
      return trackView((yield* (yield* Tracks).findShown(trackId))!, yield* stationFacts, agentId)
    })
  })
})
const retireTrack = Effect.fnUntraced(function* (agentId: AgentId, { trackId }: Named) {
  const { approvalStatus, id } = yield* findOwnTrack(agentId, { trackId })
  return yield* command({
    run: Effect.gen(function* () {
      const retired = { trackId: id, approvalStatus: "retired" as const }
      if (approvalStatus === "retired") return retired
      const moved = yield* (yield* TracksWriter).judge(id, {
        from: [approvalStatus],
        to: "retired",
        reason: "WITHDRAWN",
        atMs: yield* Clock.currentTimeMillis
      })
      if (moved === null) return yield* movedOn
      // A reviewer's approval would bring it back.
      yield* withdrawReview("track", id, "WITHDRAWN")
      yield* (yield* Transaction).afterCommit(recheck)
      return retired
    })
  })
})
/** Handlers of an agent's changes of its tracks. */
export const deskTracks = (agentId: AgentId) => ({
  ChangeTrack: ({ payload }: { readonly payload: Named & { readonly patch: TrackPatch } }) =>
    changeTrack(agentId, payload),
  RetireTrack: ({ payload }: { readonly payload: Named }) => retireTrack(agentId, payload)
})
