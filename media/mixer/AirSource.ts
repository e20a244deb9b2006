import type { AirEvent, AirPlan, AirPlanApplied, ItemLabel, StalePlan, StagedSound } from "../../schema/air/Air.ts"

/** Interface of a mixer for the chain: the programme from one sample to the next, without time. */
export interface AirSource {
  readonly renderedTo: number
  readonly render: (out: Float32Array, frames: number) => ReadonlyArray<AirEvent>
  readonly plan: (plan: AirPlan) => AirPlanApplied | StalePlan
  readonly emergency: (on: boolean, reason: string) => ReadonlyArray<AirEvent> | void
  readonly live: (label: ItemLabel | null, reason: string) => ReadonlyArray<AirEvent>
  readonly emergencyLibrary: (sounds: ReadonlyArray<StagedSound>) => void
}
