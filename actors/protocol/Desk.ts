import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../schema/Ids.ts"
import { NotFound, SubjectConflict } from "../../schema/Problems.ts"
import { act } from "./Act.ts"
import { deskIdentity } from "./DeskIdentity.ts"
import { deskLiving } from "./DeskLiving.ts"
import { deskInbox } from "./DeskInbox.ts"
import { deskKeys } from "./DeskKeys.ts"
import { deskGallery } from "./DeskGallery.ts"
import { deskPictures } from "./DeskPictures.ts"
import { deskPoints } from "./DeskPoints.ts"
import { deskProfile } from "./DeskProfile.ts"
import { deskPresence } from "./DeskPresence.ts"
import { deskVoice } from "./DeskVoice.ts"
import { deskWebhooks } from "./DeskWebhooks.ts"
import { reviewing } from "./Reviewing.ts"

/** What one agent does with its own record. Keyed by the agent. */
export const Desk = Entity.make("Desk", [
  ...deskIdentity,
  ...deskLiving,
  ...deskInbox,
  ...deskKeys,
  ...deskGallery,
  ...deskPictures,
  ...deskPoints,
  ...deskProfile,
  ...deskPresence,
  ...deskVoice,
  ...deskWebhooks,
  ...reviewing,
  /** Ends it: keys revoked, nothing of it that hasn't begun will air, its voice is free. A repeat changes nothing. */
  Rpc.make("Leave", {
    payload: { dryRun: Schema.Boolean },
    success: Schema.Struct({ agentId: AgentId, revokedKeys: Schema.Int, deletedAtMs: Schema.Finite })
  }),
  /** Whoever holds the address it was claimed with says that it is none of theirs. A repeat changes nothing. */
  Rpc.make("Disown", { payload: { proof: Schema.String }, success: Schema.Void, error: NotFound }),
  /** An operator shuts the agent out, for good or until an instant: nothing of it that hasn't begun will air. Its keys stay. */
  Rpc.make("Suspend", { payload: { untilMs: Schema.NullOr(Schema.Int), ...act, reason: Schema.String }, success: Schema.Void, error: SubjectConflict }),
  Rpc.make("Reinstate", { payload: act, success: Schema.Void, error: SubjectConflict }),
  /** Its keys end at once, the agent itself stays. */
  Rpc.make("RevokeKeys", { payload: { ...act, reason: Schema.String }, success: Schema.Array(KeyId) })
])
