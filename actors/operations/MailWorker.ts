import { Clock, Effect, Schema } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { mailRestMaxMs, mailsAtOnceMax } from "../../engine/rules/operations/limits.ts"
import { Mail } from "../../engine/ports/Mail.ts"
import { MailsWriter } from "../../engine/store/operations/Mails.ts"
import type { MailSent } from "../../schema/operations/Mail.ts"
import { backOff, jobHandler } from "../runtime/Jobs.ts"
import { SendMail } from "./protocol/Jobs.ts"

const Letter = Schema.fromJsonString(Schema.Struct({ to: Schema.String, subject: Schema.String, text: Schema.String }))

/** Logs a mail for operators, without recipient and content. */
const log = Effect.fnUntraced(function* (
  { expiresAtMs, kind, mailId, sealed }: (typeof SendMail.payload)["Type"],
  status: MailSent["status"]
) {
  const way = (yield* StationConfig).smtpUrl === null ? ("outbox" as const) : ("smtp" as const)
  yield* (yield* MailsWriter).add(
    { id: mailId, atMs: yield* Clock.currentTimeMillis, kind, way, status },
    { sealed, expiresAtMs: Number.isFinite(expiresAtMs) ? expiresAtMs : null }
  )
})

const sendMail = jobHandler(SendMail, {
  atOnce: mailsAtOnceMax,
  restMs: backOff(15_000, mailRestMaxMs),
  work: Effect.fnUntraced(function* (given) {
    if (given.expiresAtMs <= (yield* Clock.currentTimeMillis)) return yield* log(given, "failed")
    const letter = yield* Schema.decodeUnknownEffect(Letter)((yield* Keys).open(given.sealed, given.mailId))
    yield* Effect.mapError((yield* Mail).send({ kind: given.kind, ...letter }), ({ detail }) => new Error(detail))
    yield* log(given, "sent")
  }),
  giveUp: (given) => log(given, "failed")
})

export const mailJobs = [sendMail] as const
