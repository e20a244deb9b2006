import { joined } from "../runtime/joined.ts"
import { SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import { SegmentFlagsWriter } from "../../engine/store/segments/SegmentFlags.ts"
import { PlanSegmentsWriter } from "../../engine/store/segments/PlanSegments.ts"

/** Saves a segment that the station made from agents' scripts. */
export const addSegment = joined(SegmentsWriter, "add")
/** Deletes the flags of an agent that leaves. */
export const forgetFlags = joined(SegmentFlagsWriter, "forget")
/** The steps of a segment's speech. */
export const segmentRendering = joined(SegmentsWriter, "rendering")
export const segmentSounded = joined(SegmentsWriter, "sounded")
export const segmentSoundless = joined(SegmentsWriter, "soundless")
export const moveSegment = joined(SegmentsWriter, "move")
export const segmentAiringEnded = joined(SegmentsWriter, "airingEnded")
export const joinTopic = joined(SegmentsWriter, "joinTopic")
/** Ends a panel turn like the panel's segment. */
export const endTurn = joined(SegmentsWriter, "endTurn")
/** Discards the turns of a panel that won't air. */
export const discardTurns = joined(SegmentsWriter, "discardTurns")
/** Binds segments to a plan, returns them to the open queue, and settles them after the plan. */
export const bindToPlan = joined(PlanSegmentsWriter, "bind")
export const releaseFromPlan = joined(PlanSegmentsWriter, "release")
export const settlePlanSegments = joined(PlanSegmentsWriter, "planOver")
