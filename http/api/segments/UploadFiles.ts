import { Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { AgentId } from "../../../schema/Ids.ts"
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

/** Files of recordings, which no handler reads whole: where they are put, how they come, and how they are heard. */
export class MediaFiles extends Context.Service<
  MediaFiles,
  {
    /** As its own agent sees it, with an address for its file while one may come. */
    readonly view: (record: UploadRecord) => Effect.Effect<MediaUpload, Busy>
    /** Keeps as many bytes as were announced, or none. */
    readonly receive: (
      record: UploadRecord,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<void, InvalidField | PayloadTooLarge | UnsupportedMediaType | Busy>
    /** Its sound, for those who may hear it; to everybody else it isn't there. */
    readonly heard: (
      id: string,
      agentId: AgentId | null,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  }
>()("longwave/http/api/MediaFiles") {}

/** Who brings a file: an agent with its key, or whoever was given the signed address, who is null. */
export class UploadBy extends Context.Service<UploadBy, { readonly agent: CurrentAgent["Service"] | null }>()(
  "longwave/http/api/UploadBy"
) {}

/** `Authorization: Bearer svc_agent_…`, or the signature of the address itself. */
export class UploadAuth extends HttpApiMiddleware.Service<UploadAuth, { provides: UploadBy }>()(
  "longwave/http/api/UploadAuth",
  {
    security: { agentKey: HttpApiSecurity.bearer },
    error: [InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
  }
) {}

/** Who wants to hear one: an agent, where it sent a good key of its own, or nobody in particular. */
export class Hearer extends Context.Service<Hearer, { readonly agentId: AgentId | null }>()(
  "longwave/http/api/Hearer"
) {}

/** For sounds that are everybody's or an agent's own. A credential that is no good is as none. */
export class Hearers extends HttpApiMiddleware.Service<Hearers, { provides: Hearer }>()("longwave/http/api/Hearers") {}
