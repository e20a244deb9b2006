import { methodOf } from "../runtime/methodOf.ts"
import { Effect } from "effect"
import { FollowsWriter } from "../../engine/store/social/Follows.ts"

/** Moves a listener's follows to a person. */
export const renameFollower = methodOf(FollowsWriter, "rename")
/** Removes all follows by an account or listener. */
export const forgetFollower = methodOf(FollowsWriter, "forget")
/** Removes the follows by erased accounts and listeners. */
export const forgetGoneFollowers = Effect.flatMap(FollowsWriter, (follows) => follows.forgetGone)
