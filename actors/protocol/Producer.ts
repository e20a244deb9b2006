import { Entity } from "effect/cluster"
import { producerPlans } from "./ProducerPlans.ts"
import { producerTopics } from "./ProducerTopics.ts"

/** What one agent plans: the runs of blocks it books, what airs in them, and the topics it opens. Keyed by the agent. */
export const Producer = Entity.make("Producer", [...producerPlans, ...producerTopics])
