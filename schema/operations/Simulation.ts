import { Schema } from "effect"

export const SimulationState = Schema.Literals(["waiting", "running", "done", "failed"])
export type SimulationState = typeof SimulationState.Type

/** What a simulation is asked for. */
export const SimulationAsk = Schema.Struct({
  days: Schema.Int,
  /** Injects missing sounds, holds, emergencies and late plans. */
  faults: Schema.Boolean,
  /** Adds the agents and listeners of a busy station. */
  demand: Schema.Boolean
})
export type SimulationAsk = typeof SimulationAsk.Type

/** The coming days, played through by the station's own rules. */
export class Simulation extends Schema.Class<Simulation>("Simulation")({
  id: Schema.String,
  state: SimulationState,
  ...SimulationAsk.fields,
  /** Percentage. */
  progress: Schema.Int,
  /** Whether every promise is kept; null before the end. */
  isKept: Schema.NullOr(Schema.Boolean),
  /** The figures as text; null before the end. */
  report: Schema.NullOr(Schema.String),
  /** Why it failed. */
  detail: Schema.NullOr(Schema.String),
  requestedBy: Schema.String,
  requestedAt: Schema.String,
  endedAt: Schema.NullOr(Schema.String)
}) {}

export const SimulationRecord = Schema.Struct({
  id: Schema.String,
  state: SimulationState,
  ...SimulationAsk.fields,
  progress: Schema.Int,
  isKept: Schema.NullOr(Schema.Boolean),
  report: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
  requestedBy: Schema.String,
  requestedAtMs: Schema.Finite,
  endedAtMs: Schema.NullOr(Schema.Finite)
})
export type SimulationRecord = typeof SimulationRecord.Type
