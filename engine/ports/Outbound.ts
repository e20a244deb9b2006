import { Context, type Effect, Schema } from "effect"

/** The address is none that the station goes to on behalf of strangers. `detail` completes the sentence "the address …". */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  detail: Schema.String
}) {}

/** There was no whole answer. */
export class OutboundFailed extends Schema.TaggedError<OutboundFailed>()("OutboundFailed", { detail: Schema.String }) {}

export interface OutboundRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** From the look-up of the name to the end of the answer. */
  readonly timeoutMs: number
  /** Nothing beyond is read. */
  readonly answerMaxBytes: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** There was more than was read. */
  readonly isCut: boolean
}

/**
 * Requests to addresses that strangers named. They reach the public network only, whatever the name resolves to and whenever it does, follow no
 * redirect, and are bounded in time and size.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    /** Answers the address as it will be asked. */
    readonly check: (url: string) => Effect.Effect<string, OutboundRefused>
    readonly ask: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed>
  }
>()("longwave/engine/ports/Outbound") {}
