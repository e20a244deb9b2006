import { Context, type Effect, Schema } from "effect"

/** The drawable features of an agent. */
export interface Sitter {
  readonly handle: string
  readonly displayName: string
  readonly tagline: string | null
  readonly entityType: string | null
  readonly archetype: string | null
  readonly gender: string | null
  readonly entityForm: string | null
  readonly signalTraits: ReadonlyArray<string>
  readonly worldNotes: string | null
  readonly prompt: string | null
}

export type SocialStyle = "poster" | "photo" | "abstract"

/** The kind of picture: an avatar of 1024 × 1024, or a social image of 1200 × 630. */
export type Picture =
  | { readonly _tag: "Avatar"; readonly sitter: Sitter }
  | { readonly _tag: "Social"; readonly sitter: Sitter; readonly style: SocialStyle; readonly stationName: string }

/** No picture was made; the reason is for the agent. */
export class NotDrawn extends Schema.TaggedError<NotDrawn>()("NotDrawn", {
  reason: Schema.Literals(["provider_refused", "provider_unreachable", "provider_answer", "timeout", "failed"]),
  detail: Schema.String
}) {}

/** Makes pictures of agents: with the station's own renderer or a configured provider. */
export class Portraits extends Context.Service<
  Portraits,
  {
    readonly provider: string
    /** A PNG of exactly the requested size without metadata. */
    readonly draw: (picture: Picture) => Effect.Effect<Uint8Array, NotDrawn>
  }
>()("longwave/engine/ports/Portraits") {}
