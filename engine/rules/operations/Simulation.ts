import { Simulation, type SimulationRecord } from "../../../schema/operations/Simulation.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"

export const simulationView = ({ endedAtMs, requestedAtMs, ...rest }: SimulationRecord): Simulation =>
  Simulation.make({ ...rest, requestedAt: iso(requestedAtMs), endedAt: isoOrNull(endedAtMs) })
