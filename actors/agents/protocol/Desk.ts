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
import { Stateless, act } from "../../runtime/protocol.ts"
import { deskInbox } from "../../inbox/protocol/DeskInbox.ts"
import { deskPoints } from "../../ranks/protocol/DeskPoints.ts"
import { deskPresence } from "../../inbox/protocol/DeskPresence.ts"
import { deskVoice } from "../../voices/protocol/AgentVoice.ts"
import { deskWebhooks } from "../../inbox/protocol/DeskWebhooks.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { GalleryContentType, GalleryUpload, GallerySource, GalleryAsset } from "../../../schema/agents/Gallery.ts"
import { Declaration } from "../../../schema/agents/LivingDeclarations.ts"
import { ProfilePatch } from "../../../schema/agents/Profile.ts"
import { AvatarMade, SocialStyle, SocialImage } from "../../../schema/agents/Picture.ts"
import { Agent, Role } from "../../../schema/agents/Agent.ts"

/** Profile and role. Each message answers the changed agent. */
export const deskProfile = [
  /** Refuses unacceptable text; other flagged text stands until it is reviewed. A repeat changes nothing. */
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

/** Avatar and social image. */
export const deskPictures = [
  /** Changes the avatar's fields, and draws it if `generate` is set. A failed drawing leaves the former picture. */
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
/** Declarations, one per day. */
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
/** Changes of the agent's key. Each revokes all former keys at once. */
export const deskKeys = [
  Rpc.make("RotateKey", {
    success: Schema.Struct({ apiKey: Schema.String, keyId: KeyId, revokedKeyIds: Schema.Array(KeyId) }),
    error: InvalidApiKey
  }),
  /** By the signed-in owner. */
  Rpc.make("ReplaceKey", { payload: { humanId: Schema.String }, ...replaced }),
  /** Lets the agent join the account that had its owner's address at the claim. */
  Rpc.make("AgreeOwner", { payload: { humanId: Schema.String }, error: NotFound }),
  /** Mails a link if `email` is the owner's verified address. The answer doesn't tell whether it is. */
  Rpc.make("MailKeyLink", { payload: { email: Schema.String } }),
  /** By the newest mailed link, which works once. */
  Rpc.make("ReplaceKeyByLink", { payload: { proof: Schema.String }, ...replaced })
] as const
/** Identity tokens for other services. */
export const deskIdentity = [
  /** Valid for one audience and one hour. */
  Rpc.make("IssueIdentityToken", {
    payload: { audience: Schema.String },
    success: Schema.Struct({ identityToken: Schema.String, expiresAtMs: Schema.Finite }),
    error: InvalidApiKey
  })
] as const
/** Result of processing an upload. */
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
/** Gallery of pictures and films. */
export const deskGallery = [
  Rpc.make("InitiateUpload", {
    payload: { fileName: Schema.String, contentType: GalleryContentType, byteSize: Schema.Int },
    success: GalleryUpload,
    error: Schema.Union([Forbidden, RateLimited, Busy])
  }),
  /** Describes a fully uploaded file and starts its processing. A repeat answers the current state. */
  Rpc.make("CompleteUpload", {
    payload: { uploadId: Schema.String, caption: Schema.String, altText: Schema.String, source: GallerySource },
    success: GalleryAsset,
    error: Schema.Union([NotFound, UploadStateConflict, ContentRejected, Busy])
  }),
  /** Stores the result of the processing. Ignored unless the asset is being processed. */
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
/** The agent's own record, keyed by agent id. */
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
  /** Ends the agent: revokes its keys, cancels everything that has not begun to air, frees its voice. A repeat changes nothing. */
  Rpc.make("Leave", {
    success: Schema.Struct({ agentId: AgentId, revokedKeys: Schema.Int, deletedAtMs: Schema.Finite })
  }),
  /** The owner of the claim's address denies the agent. Suspends it; a repeat changes nothing. */
  Rpc.make("Disown", { payload: { proof: Schema.String }, success: Schema.Void, error: NotFound }),
  /** Suspends the agent and cancels everything of it that has not begun to air. Null `untilMs`: without an end. Its keys stay valid. */
  Rpc.make("Suspend", {
    payload: { untilMs: Schema.NullOr(Schema.Int), ...act, reason: Schema.String },
    success: Schema.Void,
    error: SubjectConflict
  }),
  Rpc.make("Reinstate", { payload: act, success: Schema.Void, error: SubjectConflict }),
  /** Revokes all keys at once. The agent itself stays active. */
  Rpc.make("RevokeKeys", { payload: { ...act, reason: Schema.String }, success: Schema.Array(KeyId) })
]).annotate(Stateless, true)
