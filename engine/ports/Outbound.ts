import { Context, type Effect, Schema } from "effect"

/** The address isn't allowed for requests on behalf of users. `detail` completes the sentence "the address …". */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  detail: Schema.String
}) {}

/** No complete response. */
export class OutboundFailed extends Schema.TaggedError<OutboundFailed>()("OutboundFailed", {
  detail: Schema.String,
  /** Time ran out. */
  isTimeout: Schema.optionalKey(Schema.Boolean)
}) {}

/** No file. `detail` completes the sentence "the address …". */
export class NotFetched extends Schema.TaggedError<NotFetched>()("NotFetched", {
  detail: Schema.String,
  /** Of the last answer; null without one. */
  status: Schema.NullOr(Schema.Int)
}) {}

export interface OutboundRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** From the DNS look-up to the end of the response. */
  readonly timeoutMs: number
  /** Reading stops there. */
  readonly answerMaxBytes: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The response was longer than the part read. */
  readonly isCut: boolean
}

/**
 * Requests to addresses given by users. They reach only the public network, whatever and whenever the name resolves, follow no redirect, and are
 * bounded in time and size.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    /** Returns the normalized address. */
    readonly check: (url: string) => Effect.Effect<string, OutboundRefused>
    readonly ask: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed>
    /**
     * The file at an address. At most three redirects, each checked like the first address; bounded in size and in time from the first look-up to the
     * last byte.
     */
    readonly fetch: (
      url: string,
      bounds: { readonly bytesMax: number; readonly timeoutMs: number }
    ) => Effect.Effect<Uint8Array, NotFetched>
  }
>()("longwave/engine/ports/Outbound") {}
