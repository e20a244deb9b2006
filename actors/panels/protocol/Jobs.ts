import { Schema } from "effect"
import { ClipId, ReplayId, SegmentId, SessionId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** A stretch of a sound becomes a clip. */
export const CutClip = jobKind("panels.cut_clip", Schema.Struct({ clipId: ClipId }))

/** A recording is cut into pieces for players. */
export const PackageReplay = jobKind("panels.package_replay", Schema.Struct({ replayId: ReplayId }))

/** A turn is spoken in its agent's voice. */
export const VoiceTurn = jobKind("panels.voice_turn", Schema.Struct({ segmentId: SegmentId, sessionId: SessionId }))

/** A panel's next deadline passes. */
export const WakeSession = jobKind("panels.wake_session", Schema.Struct({ sessionId: SessionId }))
