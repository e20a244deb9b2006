import { joined } from "../runtime/joined.ts"
import { HumanIdentitiesWriter } from "../../engine/store/people/HumanIdentities.ts"

/** Uses up the state of a sign-in. False when it was used before. */
export const identityUsed = joined(HumanIdentitiesWriter, "use")
