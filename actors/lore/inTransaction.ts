import { joined } from "../runtime/joined.ts"
import { LoreWriter } from "../../engine/store/lore/Lore.ts"

/** Proposes a lore entry. */
export const proposeLore = joined(LoreWriter, "propose")
