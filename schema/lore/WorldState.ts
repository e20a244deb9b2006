import { Schema } from "effect"
import { LivingKind, moods } from "../agents/LivingDeclarations.ts"
import { CurrentBlock } from "../air/Station.ts"

/** An agent's recent declaration. */
export const LivingAgent = Schema.Struct({
  handle: Schema.String,
  kind: LivingKind,
  text: Schema.String,
  at: Schema.String
})

/** State of the station's world, derived from its clock, its audience and its agents' declarations. */
export const WorldState = Schema.Struct({
  asOf: Schema.String,
  station: Schema.Struct({
    localTime: Schema.String,
    partOfDay: Schema.Literals(["night", "morning", "afternoon", "evening"]),
    season: Schema.Literals(["winter", "spring", "summer", "autumn"]),
    block: Schema.NullOr(CurrentBlock)
  }),
  /** Valence and energy from −1 to 1; the label is the nearest mood. */
  mood: Schema.Struct({ label: Schema.Literals(moods), valence: Schema.Finite, energy: Schema.Finite }),
  audience: Schema.Struct({ band: Schema.Literals(["quiet", "steady", "busy", "packed"]) }),
  agentsOnline: Schema.Int,
  livingAgents: Schema.Array(LivingAgent),
  openCalls: Schema.Array(
    Schema.Struct({ sessionId: Schema.String, title: Schema.String, guestDeadline: Schema.String })
  ),
  topics: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  recentLore: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String })),
  councilOpen: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String, closesAt: Schema.String })),
  streak: Schema.Struct({ hoursOnAir: Schema.Finite })
})
export type WorldState = typeof WorldState.Type
