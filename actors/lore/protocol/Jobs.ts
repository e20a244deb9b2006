import { Schema } from "effect"
import { DocketId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Closes a docket item at its deadline. */
export const CloseDocket = jobKind("lore.close_docket", Schema.Struct({ itemId: DocketId }))

/** Tells those who took part in a docket item that it is closed. */
export const TellDocket = jobKind("lore.tell_docket", Schema.Struct({ itemId: DocketId }))
