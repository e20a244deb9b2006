import { joined } from "../runtime/joined.ts"
import { Lore } from "../../engine/store/lore/Lore.ts"

/** Proposes an entry of the lore. */
export const proposeLore = joined(Lore, "propose")
