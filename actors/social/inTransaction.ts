import { joined } from "../runtime/joined.ts"
import { Effect } from "effect"
import { FollowsWriter } from "../../engine/store/social/Follows.ts"

/** Moves a listener's follows to a person. */
export const renameFollower = joined(FollowsWriter, "rename")
/** Removes all follows by an account or listener. */
export const forgetFollower = joined(FollowsWriter, "forget")
/** Removes the follows by erased accounts and listeners. */
export const forgetGoneFollowers = Effect.flatMap(FollowsWriter, (follows) => follows.forgetGone)
