import { Schema } from "effect"
import { AssetId } from "./Ids.ts"
import { StitchedTurn } from "./Replay.ts"
import { BedStatus } from "./Segment.ts"

/** The one sound that was made of a panel, and where each turn stands in it. */
export class Recording extends Schema.Class<Recording>("Recording")({
  assetId: AssetId,
  durationSec: Schema.Finite,
  loudnessLufs: Schema.Finite,
  bedStatus: BedStatus,
  turns: Schema.Array(StitchedTurn)
}) {}
