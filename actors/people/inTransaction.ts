import { joined } from "../runtime/joined.ts"
import { HumanIdentities } from "../../engine/store/people/HumanIdentities.ts"

/** A person has signed in by this identity. */
export const identityUsed = joined(HumanIdentities, "use")
