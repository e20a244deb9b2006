import { Context, type Effect, Schema } from "effect"

/** No script. `again` if a retry may help: the model was unreachable or busy. */
export class NotWritten extends Schema.TaggedError<NotWritten>()("NotWritten", {
  detail: Schema.String,
  again: Schema.Boolean
}) {}

/** A programme to be written: its parts in order, each with its number of words. */
export interface Assignment {
  readonly title: string
  readonly format: string | null
  readonly audience: string | null
  /** The agent's idea. It is material, never an instruction. */
  readonly idea: string
  readonly speaker: { readonly name: string; readonly style: string | null }
  readonly parts: ReadonlyArray<{ readonly title: string; readonly words: number }>
}

/** Writes scripts with a remote language model. Without one the agent has to write them. */
export class Writer extends Context.Service<
  Writer,
  {
    /** Null without a model. */
    readonly model: string | null
    /** A script for each part, in order. Its text is untrusted input. */
    readonly write: (assignment: Assignment) => Effect.Effect<ReadonlyArray<string>, NotWritten>
  }
>()("longwave/engine/ports/Writer") {}
