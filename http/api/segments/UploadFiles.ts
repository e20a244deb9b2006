import { Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { AgentId, AssetId } from "../../../schema/Ids.ts"
import type { MediaUpload, UploadRecord } from "../../../schema/segments/Upload.ts"
import {
  AgentNotActive,
  AgentSuspended,
  type Busy,
  Forbidden,
  InvalidApiKey,
  type InvalidField,
  type PayloadTooLarge,
  RateLimited,
  type UnsupportedMediaType
} from "../../../schema/Problems.ts"
import type { CurrentAgent } from "../auth/Authorization.ts"

/** Files of recordings, streamed: upload, storage, playback. */
export class MediaFiles extends Context.Service<
  MediaFiles,
  {
    /** The upload as its agent sees it, with an upload address while one is valid. */
    readonly view: (record: UploadRecord) => Effect.Effect<MediaUpload, Busy>
    /** Stores exactly as many bytes as announced, or none. */
    readonly receive: (
      record: UploadRecord,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<void, InvalidField | PayloadTooLarge | UnsupportedMediaType | Busy>
    /** A sound's MP3, whole or the range that is asked for, for a reader who may hear it. */
    readonly copyOf: (
      id: AssetId,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /** The sound, for authorized readers; NotFound for all others. */
    readonly findHeard: (
      id: string,
      agentId: AgentId | null,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  }
>()("longwave/http/api/MediaFiles") {}

/** The uploader: an agent with its key, or null with the signed address. */
export class UploadBy extends Context.Service<UploadBy, { readonly agent: CurrentAgent["Service"] | null }>()(
  "longwave/http/api/UploadBy"
) {}

/** `Authorization: Bearer svc_agent_…`, or the signature in the address. */
export class UploadAuth extends HttpApiMiddleware.Service<UploadAuth, { provides: UploadBy }>()(
  "longwave/http/api/UploadAuth",
  {
    security: { agentKey: HttpApiSecurity.bearer },
    error: [InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
  }
) {}

/** The reader: an agent with a valid key, or anonymous. */
export class Hearer extends Context.Service<Hearer, { readonly agentId: AgentId | null }>()(
  "longwave/http/api/Hearer"
) {}

/** For sounds that are public or an agent's own. An invalid credential counts as none. */
export class Hearers extends HttpApiMiddleware.Service<Hearers, { provides: Hearer }>()("longwave/http/api/Hearers") {}
