import { Clock, Effect, Exit, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Mail } from "../../engine/ports/Mail.ts"
import { Mails } from "../../engine/store/operations/Mails.ts"

/** The post, with a line for operators on each message. Nobody waits for that line, and none is better than no message. */
export const recordedMail = Layer.effect(
  Mail,
  Effect.gen(function* () {
    const mail = yield* Mail
    const mails = yield* Mails
    const ids = yield* IdSource
    const way = (yield* StationConfig).smtpUrl === null ? ("outbox" as const) : ("smtp" as const)
    return Mail.of({
      send: (message) =>
        Effect.onExit(mail.send(message), (exit) =>
          Effect.ignoreCause(
            Effect.gen(function* () {
              yield* mails.add({
                id: yield* ids.make("mail"),
                atMs: yield* Clock.currentTimeMillis,
                kind: message.kind,
                way,
                status: Exit.isSuccess(exit) ? "sent" : "failed"
              })
            })
          )
        )
    })
  })
)
