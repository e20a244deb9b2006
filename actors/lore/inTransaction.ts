import { joined } from "../runtime/joined.ts"
import { LoreWriter } from "../../engine/store/lore/Lore.ts"

export const proposeLore = joined(LoreWriter, "propose")
