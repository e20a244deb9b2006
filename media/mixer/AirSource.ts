import type { AirEvent, AirPlan, AirPlanApplied, StalePlan, StagedSound } from "../../schema/air/Air.ts"

/** What the chain needs of a mixer: the programme from one sample to the next, and nothing about time. */
export interface AirSource {
  readonly renderedTo: number
  readonly render: (out: Float32Array, frames: number) => ReadonlyArray<AirEvent>
  readonly plan: (plan: AirPlan) => AirPlanApplied | StalePlan
  readonly emergency: (on: boolean, reason: string) => ReadonlyArray<AirEvent> | void
  readonly emergencyLibrary: (sounds: ReadonlyArray<StagedSound>) => void
}
