import { Context, type Effect, type Stream } from "effect"
import type {
  AirEvent,
  AirPlan,
  AirPlanApplied,
  AirStatus,
  ItemLabel,
  StagedSound,
  StalePlan
} from "../../schema/air/Air.ts"

import type { Disclosures } from "../../schema/Synthetic.ts"
import type { PlayoutConflict } from "../../schema/Problems.ts"
import type { LiveEnd, LiveState } from "../../schema/air/Live.ts"
import type { MeterReading } from "../../schema/air/Meters.ts"

/** Commands to the process that mixes, encodes and segments the stream. It starts with the emergency programme and continues without commands. */
export class Air extends Context.Service<
  Air,
  {
    /** Replaces every item that hasn't begun. Returns once the mixer has applied the plan. */
    readonly plan: (plan: AirPlan) => Effect.Effect<AirPlanApplied, StalePlan>
    /** The looped fallback for gaps in the plan; verified before it is accepted. */
    readonly emergencyLibrary: (sounds: ReadonlyArray<StagedSound>) => Effect.Effect<void>
    /** Texts of the station's own marks: of the stream at once, of the emergency programme from its next start on. */
    readonly disclose: (disclosures: Disclosures) => Effect.Effect<void>
    /** Starts or stops the emergency programme at the earliest sample (≤ 500 ms). */
    readonly emergency: (on: boolean, reason: string) => Effect.Effect<void>
    /** Sound from an operator, in place of the rundown. An emergency ends it. */
    readonly live: {
      /** Puts it on the air as soon as it comes; within 500 ms if it comes already. */
      readonly take: (ask: { readonly label: ItemLabel; readonly by: string }) => Effect.Effect<void>
      /** Takes it off the air. A connection stays, and is heard by nobody. */
      readonly release: (reason: string) => Effect.Effect<void>
      /** Receives a file or an endless stream until it ends. It replaces a former one, unless that one is another operator's and on the air. */
      readonly receive: <E, R>(
        bytes: Stream.Stream<Uint8Array, E, R>,
        from: { readonly format: "wav" | "mp3"; readonly by: string }
      ) => Effect.Effect<LiveEnd, PlayoutConflict, R>
      readonly state: Effect.Effect<LiveState>
    }
    readonly status: Effect.Effect<AirStatus>
    /** Every event since subscription, in order; a subscriber more than `airEventsMax` behind loses the oldest. */
    readonly events: Stream.Stream<AirEvent>
    /** Levels of the programme, ten a second; a slow subscriber loses the oldest. */
    readonly meters: Stream.Stream<MeterReading>
  }
>()("longwave/engine/ports/Air") {}
