import { Context, type Effect, Schema, type Scope } from "effect"
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Readable } from "node:stream"

/** An origin did not answer, not in time, or too much. */
export class OriginFailed extends Schema.TaggedError<OriginFailed>()("OriginFailed", {
  url: Schema.String,
  detail: Schema.String
}) {}

/** A station, or another edge, whose broadcast this process passes on. */
export interface Origin {
  /** Without a final slash. */
  readonly url: string
  /** Last token it showed; null before that. */
  readonly fence: number | null
  /** Its last answer failed. */
  readonly isFailing: boolean
}

export interface OriginAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface OriginRequest {
  readonly method?: string
  /** Path with query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body?: Readable
  /** Somebody else's request, which carries nothing of this edge. */
  readonly isPassedOn?: boolean
  /** Until the head of the answer. */
  readonly timeoutMs: number
}

/** How a stream is followed, for metrics and readiness. */
export interface OriginFigures {
  /** Objects fetched so far. */
  readonly fetched: () => number
  /** Bytes kept in memory. */
  readonly bytes: () => number
  /** Since the last new part. */
  readonly silentMs: () => number
}

/** The origins of an edge. One is followed: that with the highest fencing token among those that answer. It is never left for a lower one. */
export class Origins extends Context.Service<
  Origins,
  {
    readonly all: ReadonlyArray<Origin>
    readonly current: () => Origin
    /** Highest token seen; null before the first. */
    readonly fence: () => number | null
    /** How often another origin was taken. */
    readonly switches: () => number
    /** Notes the token of an answer. False if a later owner is known: the answer must not be used. */
    readonly accept: (origin: Origin, fence: number | null) => boolean
    /** Notes a failure; the others are asked at once. */
    readonly fail: (origin: Origin) => void
    /** An answer of at most `edgeAnswerMaxBytes`. */
    readonly get: (origin: Origin, request: OriginRequest) => Effect.Effect<OriginAnswer, OriginFailed>
    /** An answer whose body is read by the caller, until the scope closes. */
    readonly open: (origin: Origin, request: OriginRequest) => Effect.Effect<IncomingMessage, OriginFailed, Scope.Scope>
    /** The proof of the highest token, which requests to all origins carry from now on: one that has lost the air without knowing learns it. */
    readonly prove: (proof: string | null) => void
    /** Called with listeners of this edge for reports; the last one given is asked. */
    readonly report: (counts: () => { readonly hls: number; readonly mp3: number }) => void
  }
>()("longwave/engine/ports/Origins") {}
