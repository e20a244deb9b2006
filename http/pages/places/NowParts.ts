import type { FunctionComponent } from "preact"
import type { PlaceProps } from "../Radio.ts"
import { Reactions } from "./Reactions.tsx"
import { VotesNow } from "./Votes.tsx"

/** What can be done about the item that is heard, between what it is and what follows: votes, reactions. */
export const nowParts: ReadonlyArray<FunctionComponent<PlaceProps>> = [VotesNow, Reactions]
