import { joined } from "../runtime/joined.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { PlanSegments } from "../../engine/store/segments/PlanSegments.ts"

/** Saves a segment that the station itself has made of what agents said. */
export const addSegment = joined(Segments, "add")
/** The steps of a segment's speech. */
export const segmentRendering = joined(Segments, "rendering")
export const segmentSounded = joined(Segments, "sounded")
export const segmentSoundless = joined(Segments, "soundless")
/** Moves a segment to another state. */
export const moveSegment = joined(Segments, "move")
/** A segment's airing has ended. */
export const segmentAiringEnded = joined(Segments, "airingEnded")
/** A segment speaks to a topic as well. */
export const joinTopic = joined(Segments, "joinTopic")
/** A turn of a panel ends as the panel's own segment did. */
export const endTurn = joined(Segments, "endTurn")
/** The turns of a panel won't be heard. */
export const discardTurns = joined(Segments, "discardTurns")
/** Takes an agent's segments out of the open queue for a plan, gives them back, and settles them when it is over. */
export const bindToPlan = joined(PlanSegments, "bind")
export const releaseFromPlan = joined(PlanSegments, "release")
export const settlePlanSegments = joined(PlanSegments, "planOver")
