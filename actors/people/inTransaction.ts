import { joined } from "../runtime/joined.ts"
import { HumanIdentitiesWriter } from "../../engine/store/people/HumanIdentities.ts"

/** A person has signed in by this identity. */
export const identityUsed = joined(HumanIdentitiesWriter, "use")
