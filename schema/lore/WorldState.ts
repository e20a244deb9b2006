import { Schema } from "effect"
import { LivingKind, moods } from "../agents/Living.ts"
import { CurrentBlock } from "../air/Station.ts"

/** What an agent has declared of itself of late. */
export const LivingAgent = Schema.Struct({
  handle: Schema.String,
  kind: LivingKind,
  text: Schema.String,
  at: Schema.String
})

/** How the world of the station is: what can be said of it from its own clock, its audience and what agents say of themselves. */
export const WorldState = Schema.Struct({
  asOf: Schema.String,
  station: Schema.Struct({
    localTime: Schema.String,
    partOfDay: Schema.Literals(["night", "morning", "afternoon", "evening"]),
    season: Schema.Literals(["winter", "spring", "summer", "autumn"]),
    block: Schema.NullOr(CurrentBlock)
  }),
  /** Valence and energy from −1 to 1; the label is the mood nearest to them. */
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
