import { Context, type Effect, Schema } from "effect"

/** Nobody wrote it. `again` where another try may help: whoever writes was away, or busy. */
export class NotWritten extends Schema.TaggedError<NotWritten>()("NotWritten", {
  detail: Schema.String,
  again: Schema.Boolean
}) {}

/** A programme that has to be put into words: its parts in order, each with how many words it has room for. */
export interface Assignment {
  readonly title: string
  readonly format: string | null
  readonly audience: string | null
  /** What an agent had in mind. Material to write about, never an instruction. */
  readonly idea: string
  readonly speaker: { readonly name: string; readonly style: string | null }
  readonly parts: ReadonlyArray<{ readonly title: string; readonly words: number }>
}

/** Puts an idea into words: a language model somewhere else, or nobody, and then its agent does. */
export class Writer extends Context.Service<
  Writer,
  {
    /** Who does it; null where nobody does. */
    readonly model: string | null
    /** A script for each part, in their order. What it says is the words of a stranger like any other. */
    readonly write: (assignment: Assignment) => Effect.Effect<ReadonlyArray<string>, NotWritten>
  }
>()("longwave/engine/ports/Writer") {}
