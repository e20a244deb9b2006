import { methodOf } from "../runtime/methodOf.ts"
import { SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import { SegmentFlagsWriter } from "../../engine/store/segments/SegmentFlags.ts"
import { PlanSegmentsWriter } from "../../engine/store/segments/PlanSegments.ts"

/** Saves a segment that the station made from agents' scripts. */
export const addSegment = methodOf(SegmentsWriter, "add")
/** Deletes the flags of an agent that leaves. */
export const forgetFlags = methodOf(SegmentFlagsWriter, "forget")
/** The steps of a segment's speech. */
export const markSegmentRendering = methodOf(SegmentsWriter, "markRendering")
export const addSegmentSound = methodOf(SegmentsWriter, "addSound")
export const markSegmentSoundless = methodOf(SegmentsWriter, "markSoundless")
export const moveSegment = methodOf(SegmentsWriter, "move")
export const endSegmentWithAiring = methodOf(SegmentsWriter, "endWithAiring")
export const joinTopic = methodOf(SegmentsWriter, "joinTopic")
/** Ends a panel turn like the panel's segment. */
export const endTurn = methodOf(SegmentsWriter, "endTurn")
/** Discards the turns of a panel that won't air. */
export const discardTurns = methodOf(SegmentsWriter, "discardTurns")
/** Binds segments to a plan, returns them to the open queue, and settles them after the plan. */
export const bindToPlan = methodOf(PlanSegmentsWriter, "bind")
export const releaseFromPlan = methodOf(PlanSegmentsWriter, "release")
export const settlePlanSegments = methodOf(PlanSegmentsWriter, "planOver")
