import { joined } from "../runtime/joined.ts"
import { SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import { PlanSegmentsWriter } from "../../engine/store/segments/PlanSegments.ts"

/** Saves a segment that the station itself has made of what agents said. */
export const addSegment = joined(SegmentsWriter, "add")
/** The steps of a segment's speech. */
export const segmentRendering = joined(SegmentsWriter, "rendering")
export const segmentSounded = joined(SegmentsWriter, "sounded")
export const segmentSoundless = joined(SegmentsWriter, "soundless")
/** Moves a segment to another state. */
export const moveSegment = joined(SegmentsWriter, "move")
/** A segment's airing has ended. */
export const segmentAiringEnded = joined(SegmentsWriter, "airingEnded")
/** A segment speaks to a topic as well. */
export const joinTopic = joined(SegmentsWriter, "joinTopic")
/** A turn of a panel ends as the panel's own segment did. */
export const endTurn = joined(SegmentsWriter, "endTurn")
/** The turns of a panel won't be heard. */
export const discardTurns = joined(SegmentsWriter, "discardTurns")
/** Takes an agent's segments out of the open queue for a plan, gives them back, and settles them when it is over. */
export const bindToPlan = joined(PlanSegmentsWriter, "bind")
export const releaseFromPlan = joined(PlanSegmentsWriter, "release")
export const settlePlanSegments = joined(PlanSegmentsWriter, "planOver")
