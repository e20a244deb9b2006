import { joined } from "../runtime/joined.ts"
import { Effect } from "effect"
import { FollowsWriter } from "../../engine/store/social/Follows.ts"

/** What a listener followed is followed by a person from now on. */
export const renameFollower = joined(FollowsWriter, "rename")
/** Ends all that an account or listener follows. */
export const forgetFollower = joined(FollowsWriter, "forget")
/** Ends the follows of those who are gone. */
export const forgetGoneFollowers = Effect.flatMap(FollowsWriter, (follows) => follows.forgetGone)
