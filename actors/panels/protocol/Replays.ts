import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ReplayId } from "../../../schema/Ids.ts"
import { NotFound, SegmentNotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { ClipForOps, ReplayForOps } from "../../../schema/panels/Replay.ts"
import { act } from "../../runtime/protocol.ts"

/** Replays and clips of the station, in one mailbox. */
export const Archivist = Entity.make("Archivist", [
  /** Takes either `replayId` or `segmentId`. */
  Rpc.make("MakeClip", {
    payload: {
      replayId: Schema.NullOr(Schema.String),
      segmentId: Schema.NullOr(Schema.String),
      startSec: Schema.Finite,
      durationSec: Schema.Finite,
      title: Schema.String,
      ...act
    },
    success: ClipForOps,
    error: Schema.Union([NotFound, SegmentNotFound, SubjectConflict])
  }),
  /** Null leaves a field unchanged. A repeat changes nothing. */
  Rpc.make("ChangeClip", {
    payload: {
      clipId: Schema.String,
      title: Schema.NullOr(Schema.String),
      hidden: Schema.NullOr(Schema.Boolean),
      ...act
    },
    success: ClipForOps,
    error: NotFound
  }),
  Rpc.make("HideReplay", {
    payload: { replayId: Schema.String, hidden: Schema.Boolean, ...act },
    success: ReplayForOps,
    error: NotFound
  }),
  /** Publishes the replay of an aired panel and starts its clip. A repeat changes nothing. */
  Rpc.make("Publish", { payload: { replayId: ReplayId, airedAtMs: Schema.Finite } })
])
