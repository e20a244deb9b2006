import { methodOf } from "../runtime/methodOf.ts"
import { HumanIdentitiesWriter } from "../../engine/store/people/HumanIdentities.ts"

/** Uses up the state of a sign-in. False when it was used before. */
export const useIdentity = methodOf(HumanIdentitiesWriter, "use")
