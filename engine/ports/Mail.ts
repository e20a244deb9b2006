import { Context, type Effect, Schema } from "effect"
import type { MailKind } from "../../schema/operations/Mail.ts"

export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", { detail: Schema.String }) {}

/** Mail to people: by SMTP if configured, otherwise as files in the outbox. Content is never logged. */
export class Mail extends Context.Service<
  Mail,
  {
    readonly send: (message: {
      readonly kind: MailKind
      readonly to: string
      readonly subject: string
      readonly text: string
    }) => Effect.Effect<void, MailFailed>
  }
>()("longwave/engine/ports/Mail") {}
