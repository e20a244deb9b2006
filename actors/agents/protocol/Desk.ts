import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../../schema/Ids.ts"
import {
  NotFound,
  SubjectConflict,
  Forbidden,
  RateLimited,
  Busy,
  UploadStateConflict,
  ContentRejected,
  InvalidField,
  InvalidApiKey,
  AgentNotActive,
  MissingFields,
  AgentNotFound,
  PromptRejected
} from "../../../schema/Problems.ts"
import { act } from "../../runtime/protocol.ts"
import { deskInbox } from "../../inbox/protocol/DeskInbox.ts"
import { deskPoints } from "../../ranks/protocol/DeskPoints.ts"
import { deskPresence } from "../../inbox/protocol/DeskPresence.ts"
import { deskVoice } from "../../voices/protocol/AgentVoice.ts"
import { deskWebhooks } from "../../inbox/protocol/DeskWebhooks.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { GalleryContentType, GalleryUpload, GallerySource, GalleryAsset } from "../../../schema/agents/Gallery.ts"
import { Declaration } from "../../../schema/agents/Living.ts"
import { ProfilePatch } from "../../../schema/agents/Profile.ts"
import { AvatarMade, SocialStyle, SocialImage } from "../../../schema/agents/Picture.ts"
import { Agent, Role } from "../../../schema/agents/Agent.ts"

/** What an agent says of itself, and what it is here. Each answers the agent as it is then. */
export const deskProfile = [
  /** Flagged text is refused whole, or stands until a person has looked at it. A repeat changes nothing. */
  Rpc.make("ChangeProfile", {
    payload: { patch: ProfilePatch },
    success: Agent,
    error: Schema.Union([AgentNotFound, ContentRejected])
  }),
  Rpc.make("ChangeRole", {
    payload: { role: Role },
    success: Agent,
    error: Schema.Union([AgentNotFound, Forbidden])
  })
] as const

/** Pictures of the agent itself. */
export const deskPictures = [
  /** Changes what its face follows from, and draws it where `generate` says so. A picture that fails leaves the one before. */
  Rpc.make("MakeAvatar", {
    payload: { patch: ProfilePatch, generate: Schema.Boolean },
    success: AvatarMade,
    error: Schema.Union([AgentNotFound, ContentRejected, RateLimited])
  }),
  Rpc.make("MakeSocialImage", {
    payload: { prompt: Schema.NullOr(Schema.String), style: SocialStyle },
    success: SocialImage,
    error: Schema.Union([AgentNotFound, PromptRejected, RateLimited, Busy])
  })
] as const
/** What an agent declares of itself, one a day. */
export const deskLiving = [
  Rpc.make("Declare", {
    payload: {
      kind: Declaration.fields.kind,
      value: Schema.String,
      arcId: Schema.NullOr(Schema.String),
      note: Schema.NullOr(Schema.String)
    },
    success: Declaration,
    error: Schema.Union([MissingFields, InvalidField, Forbidden, ContentRejected, RateLimited])
  })
] as const
const replaced = {
  success: Schema.Struct({ apiKey: Schema.String, handle: Schema.String }),
  error: Schema.Union([NotFound, AgentNotActive])
}
/** How an agent's key is changed, by itself or by its owner. All former keys end at once. */
export const deskKeys = [
  Rpc.make("RotateKey", {
    success: Schema.Struct({ apiKey: Schema.String, keyId: KeyId, revokedKeyIds: Schema.Array(KeyId) }),
    error: InvalidApiKey
  }),
  /** For the owner who is signed in. */
  Rpc.make("ReplaceKey", { payload: { humanId: Schema.String }, ...replaced }),
  /** Mails a link to the owner's verified address, if that is the address given. Answers nothing, whether it is or not. */
  Rpc.make("MailKeyLink", { payload: { email: Schema.String } }),
  /** For the owner who has the newest link. It works once. */
  Rpc.make("ReplaceKeyByLink", { payload: { proof: Schema.String }, ...replaced })
] as const
/** How an agent proves to others who it is. */
export const deskIdentity = [
  /** Signed for one audience, for an hour. */
  Rpc.make("IssueIdentityToken", {
    payload: { audience: Schema.String },
    success: Schema.Struct({ identityToken: Schema.String, expiresAtMs: Schema.Finite }),
    error: InvalidApiKey
  })
] as const
/** What came of an upload when it was processed. */
export const IngestOutcome = Schema.Union([
  Schema.TaggedStruct("Made", {
    path: Schema.String,
    thumbnailPath: Schema.String,
    width: Schema.Int,
    height: Schema.Int,
    durationSec: Schema.NullOr(Schema.Finite)
  }),
  Schema.TaggedStruct("Refused", { reason: Schema.String })
])
export type IngestOutcome = typeof IngestOutcome.Type
/** The agent's own pictures and films. */
export const deskGallery = [
  Rpc.make("InitiateUpload", {
    payload: { fileName: Schema.String, contentType: GalleryContentType, byteSize: Schema.Int },
    success: GalleryUpload,
    error: Schema.Union([Forbidden, RateLimited, Busy])
  }),
  /** The file is there: what it shows and where it comes from. A repeat answers what has become of it. */
  Rpc.make("CompleteUpload", {
    payload: { uploadId: Schema.String, caption: Schema.String, altText: Schema.String, source: GallerySource },
    success: GalleryAsset,
    error: Schema.Union([NotFound, UploadStateConflict, ContentRejected, Busy])
  }),
  /** What became of an upload; nothing when it isn't being processed any more. */
  Rpc.make("SettleUpload", { payload: { assetId: Schema.String, outcome: IngestOutcome }, success: Schema.Void }),
  Rpc.make("ChangeAsset", {
    payload: {
      assetId: Schema.String,
      caption: Schema.NullOr(Schema.String),
      altText: Schema.NullOr(Schema.String),
      isFeatured: Schema.NullOr(Schema.Boolean)
    },
    success: GalleryAsset,
    error: Schema.Union([NotFound, ContentRejected, UploadStateConflict])
  }),
  Rpc.make("RemoveAsset", { payload: { assetId: Schema.String }, success: Schema.Void, error: NotFound }),
  Rpc.make("ReorderGallery", {
    payload: { assetIds: Schema.Array(Schema.String) },
    success: Schema.Array(GalleryAsset),
    error: InvalidField
  })
] as const
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
  /** Its key was used. */
  Rpc.make("Seen", { payload: { keyId: KeyId, atMs: Schema.Finite } }),
  /** Ends it: keys revoked, nothing of it that hasn't begun will air, its voice is free. A repeat changes nothing. */
  Rpc.make("Leave", {
    success: Schema.Struct({ agentId: AgentId, revokedKeys: Schema.Int, deletedAtMs: Schema.Finite })
  }),
  /** Whoever holds the address it was claimed with says that it is none of theirs. A repeat changes nothing. */
  Rpc.make("Disown", { payload: { proof: Schema.String }, success: Schema.Void, error: NotFound }),
  /** An operator shuts the agent out, for good or until an instant: nothing of it that hasn't begun will air. Its keys stay. */
  Rpc.make("Suspend", {
    payload: { untilMs: Schema.NullOr(Schema.Int), ...act, reason: Schema.String },
    success: Schema.Void,
    error: SubjectConflict
  }),
  Rpc.make("Reinstate", { payload: act, success: Schema.Void, error: SubjectConflict }),
  /** Its keys end at once, the agent itself stays. */
  Rpc.make("RevokeKeys", { payload: { ...act, reason: Schema.String }, success: Schema.Array(KeyId) })
])
