import { Clock, Effect, Schema } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { mailTriedHours } from "../../engine/rules/operations/limits.ts"
import { maskAddress, withoutSecrets } from "../../engine/rules/operations/Letter.ts"
import { Mails } from "../../engine/store/operations/Mails.ts"
import { NotFound, SubjectConflict } from "../../schema/Problems.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { addJob } from "../runtime/Jobs.ts"
import { SendMail } from "./protocol/Jobs.ts"

const Letter = Schema.fromJsonString(Schema.Struct({ to: Schema.String, subject: Schema.String, text: Schema.String }))

/** Opens the letter of a mail. The key stays on this floor. */
const requireOpen = Effect.fnUntraced(function* (id: string) {
  const mail = yield* (yield* Mails).find(id)
  if (mail === null) return yield* new NotFound({ detail: `There is no mail ${id}.` })
  const keys = yield* Keys
  const letter =
    mail.letterSealed === null
      ? null
      : yield* Effect.orDie(Schema.decodeUnknownEffect(Letter)(keys.open(mail.letterSealed, mail.id)))
  return { mail, letter }
})

/** Operators' handlers for mail. */
export const mailControl = {
  ReadMail: Effect.fnUntraced(function* ({ payload: { id } }: { readonly payload: { readonly id: string } }) {
    const { letter } = yield* requireOpen(id)
    return letter === null
      ? null
      : {
          to: maskAddress(letter.to),
          subject: withoutSecrets(letter.subject),
          text: withoutSecrets(letter.text)
        }
  }),
  ResendMail: Effect.fnUntraced(function* ({
    payload: { actor, id, reason }
  }: {
    readonly payload: Act & { readonly id: string }
  }) {
    return yield* command({
      run: Effect.gen(function* () {
        const { letter, mail } = yield* requireOpen(id)
        const nowMs = yield* Clock.currentTimeMillis
        if (letter === null)
          return yield* new SubjectConflict({
            detail: "Its letter is not kept any more. The person can ask for a new one."
          })
        if (mail.expiresAtMs !== null && mail.expiresAtMs <= nowMs)
          return yield* new SubjectConflict({
            detail: "What it says has expired. The person can ask for a new one."
          })
        const keys = yield* Keys
        const mailId = yield* (yield* IdSource).make("mail")
        yield* addJob(SendMail, {
          key: mailId,
          payload: {
            mailId,
            kind: mail.kind,
            sealed: keys.seal(JSON.stringify(letter), mailId),
            expiresAtMs: Math.min(mail.expiresAtMs ?? Infinity, nowMs + mailTriedHours * hourMs)
          }
        })
        yield* record({ actor, reason }, "mail.resend", { type: "mail", id }, { kind: mail.kind }, { id: mailId })
        return { id: mailId }
      })
    })
  })
}
