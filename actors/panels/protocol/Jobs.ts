import { Schema } from "effect"
import { ClipId, ReplayId, SegmentId, SessionId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

export const CutClip = jobKind("panels.cut_clip", Schema.Struct({ clipId: ClipId }))

/** Packages a replay for streaming players. */
export const PackageReplay = jobKind("panels.package_replay", Schema.Struct({ replayId: ReplayId }))

export const VoiceTurn = jobKind("panels.voice_turn", Schema.Struct({ segmentId: SegmentId, sessionId: SessionId }))

/** Wakes a panel at its next deadline. */
export const WakeSession = jobKind("panels.wake_session", Schema.Struct({ sessionId: SessionId }))
