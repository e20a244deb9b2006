import { joined } from "../runtime/joined.ts"
import { LoreWriter } from "../../engine/store/lore/Lore.ts"

/** Proposes an entry of the lore. */
export const proposeLore = joined(LoreWriter, "propose")
