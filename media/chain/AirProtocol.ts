import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  type AirEvent,
  AirPlan,
  AirPlanApplied,
  ItemLabel,
  type OutputHealth,
  StagedSound,
  StalePlan
} from "../../schema/air/Air.ts"
import { AirStep } from "../../schema/air/AirStep.ts"
import type { MeterReading } from "../../schema/air/Meters.ts"
import type { Part } from "../encode/PartPacker.ts"
import type { ClockAnchor } from "../clock/StationClock.ts"

/** Messages to the worker of the air chain. */
export class AirCommands extends RpcGroup.make(
  Rpc.make("Plan", { payload: { plan: AirPlan }, success: AirPlanApplied, error: StalePlan }),
  Rpc.make("EmergencyLibrary", { payload: { sounds: Schema.Array(StagedSound) } }),
  /** Text of the emergency programme's mark. */
  Rpc.make("Disclose", { payload: { emergency: Schema.String } }),
  /** Null label: off. */
  Rpc.make("Live", { payload: { label: Schema.NullOr(ItemLabel), reason: Schema.String } }),
  /** Steps of the owner's mixer, in order. False if one of them came too late to be applied at its sample. */
  Rpc.make("Follow", { payload: { steps: Schema.Array(AirStep) }, success: Schema.Boolean }),
  /** Stops following: renders what is missing until now, then runs ahead of the clock. */
  Rpc.make("Lead"),
  Rpc.make("Emergency", { payload: { on: Schema.Boolean, reason: Schema.String } })
) {}

/** Initial state of a worker: memory and time shared with its predecessors. */
export interface AirStart {
  readonly memory: SharedArrayBuffer
  readonly anchor: ClockAnchor
  /** First AAC frame that listeners don't have yet, and first MP3 frame. */
  readonly nextAacFrame: { readonly aac128: number; readonly aac64: number }
  readonly nextMp3Frame: number
  /** Commands to the predecessor, so that the mixer continues with them from its first sample. */
  readonly plan: typeof AirPlan.Encoded | null
  readonly library: ReadonlyArray<typeof StagedSound.Encoded>
  readonly emergency: string | null
  /** Memory of live sound, and what is on the air of it. */
  readonly liveMemory: SharedArrayBuffer
  readonly live: { readonly label: typeof ItemLabel.Encoded; readonly reason: string } | null
  readonly current: typeof AirEvent.Encoded | null
  /** Steps that follow these commands, for a chain that follows another process; null for one that leads. */
  readonly follow: ReadonlyArray<typeof AirStep.Encoded> | null
  readonly ffmpeg: string
  readonly stationName: string
  readonly emergencyDisclosure: string
  /** Folder of parts for restart and time shift; null keeps none. */
  readonly journalPath: string | null
  /** Breaks the worker; sent by tests only. */
  readonly breakable: boolean
}

export type OutputState = typeof OutputHealth.Encoded

/** Breaks the worker, in tests. */
export type Break = { readonly _tag: "Break"; readonly how: "throw" | "stall" | "exit" }

/** Sound and events from the worker, in order. Bytes are transferred, not copied. */
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
  | { readonly _tag: "Metered"; readonly reading: MeterReading }
  | { readonly _tag: "Journal"; readonly stopped: string | null }
