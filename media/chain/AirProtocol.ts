import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  type AirEvent,
  AirPlan,
  AirPlanApplied,
  type OutputHealth,
  StagedSound,
  StalePlan
} from "../../schema/air/Air.ts"
import type { Part } from "../encode/PartPacker.ts"
import type { ClockAnchor } from "../clock/StationClock.ts"

/** What may be said to the worker of the air chain. */
export class AirCommands extends RpcGroup.make(
  Rpc.make("Plan", { payload: { plan: AirPlan }, success: AirPlanApplied, error: StalePlan }),
  Rpc.make("EmergencyLibrary", { payload: { sounds: Schema.Array(StagedSound) } }),
  Rpc.make("Emergency", { payload: { on: Schema.Boolean, reason: Schema.String } })
) {}

/** What one incarnation of the worker starts from: memory and time it shares with those before it. */
export interface AirStart {
  readonly memory: SharedArrayBuffer
  readonly anchor: ClockAnchor
  /** First frame of AAC that listeners don't have yet, and of MP3. */
  readonly nextAacFrame: { readonly aac128: number; readonly aac64: number }
  readonly nextMp3Frame: number
  /** What the one before was told, so that the mixer goes on with it from its first sample. */
  readonly plan: typeof AirPlan.Encoded | null
  readonly library: ReadonlyArray<typeof StagedSound.Encoded>
  readonly emergency: string | null
  readonly current: typeof AirEvent.Encoded | null
  readonly ffmpeg: string
  readonly stationName: string
  /** Where parts are kept for restart and time shift; null keeps none. */
  readonly journalPath: string | null
  /** Only tests ask the worker to break. */
  readonly breakable: boolean
}

export type OutputState = typeof OutputHealth.Encoded

/** Asks the worker to break, in tests. */
export type Break = { readonly _tag: "Break"; readonly how: "throw" | "stall" | "exit" }

/** Sound and news from the worker, in order. Bytes are handed over, not copied. */
export type FromAir =
  | { readonly _tag: "Part"; readonly part: Part }
  | {
      readonly _tag: "Mp3"
      readonly firstFrame: number
      readonly frames: number
      readonly bytes: Uint8Array<ArrayBuffer>
    }
  | { readonly _tag: "Event"; readonly event: typeof AirEvent.Encoded }
  | {
      readonly _tag: "Tick"
      readonly anchor: ClockAnchor
      readonly driftMs: number
      readonly emergency: boolean
      readonly outputs: ReadonlyArray<OutputState>
    }
  | { readonly _tag: "Journal"; readonly stopped: string | null }
