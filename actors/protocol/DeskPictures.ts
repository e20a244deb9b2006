import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AvatarMade, SocialImage, SocialStyle } from "../../schema/Picture.ts"
import { AgentNotFound, Busy, ContentRejected, PromptRejected, RateLimited } from "../../schema/Problems.ts"
import { ProfilePatch } from "../../schema/Profile.ts"

/** Pictures of the agent itself. */
export const deskPictures = [
  /** Changes what its face follows from, and draws it where `generate` says so. A picture that fails leaves the one before. */
  Rpc.make("MakeAvatar", {
    payload: { patch: ProfilePatch, generate: Schema.Boolean, dryRun: Schema.Boolean },
    success: AvatarMade,
    error: Schema.Union([AgentNotFound, ContentRejected, RateLimited])
  }),
  Rpc.make("MakeSocialImage", {
    payload: { prompt: Schema.NullOr(Schema.String), style: SocialStyle, dryRun: Schema.Boolean },
    success: SocialImage,
    error: Schema.Union([AgentNotFound, PromptRejected, RateLimited, Busy])
  })
] as const
