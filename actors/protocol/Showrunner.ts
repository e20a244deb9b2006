import { Entity } from "effect/cluster"
import { showrunnerProductions } from "./ShowrunnerProductions.ts"
import { showrunnerShows } from "./ShowrunnerShows.ts"

/** The shows of one agent and what is being made for them. Keyed by the agent that hosts: no two of its shows begin at once. */
export const Showrunner = Entity.make("Showrunner", [...showrunnerShows, ...showrunnerProductions])
