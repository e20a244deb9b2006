import type { FunctionComponent } from "preact"
import type { PlaceProps } from "../Radio.ts"

/** What can be done about the item that is heard, between what it is and what follows: votes, reactions. */
export const nowParts: ReadonlyArray<FunctionComponent<PlaceProps>> = []
