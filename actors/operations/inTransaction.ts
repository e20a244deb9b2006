import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { mailsPerRecipientPerDay, mailTriedHours, signInLinkHours } from "../../engine/rules/operations/limits.ts"
import { randomCode, sha256 } from "../../engine/runtime/Secrets.ts"
import { hourMs } from "../../schema/time/Units.ts"
import type { MailKind } from "../../schema/operations/Mail.ts"
import { addJob } from "../runtime/Jobs.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { SendMail } from "./protocol/Jobs.ts"
import { OperatorsWriter } from "../../engine/store/operations/Operators.ts"
import { methodOf } from "../runtime/methodOf.ts"

const mailsOfRecipient = { name: "mails", perDay: mailsPerRecipientPerDay } as const

/**
 * Whose meter counts what strangers can do to an address. Without the address, and forgotten with the other guests' meters once the day
 * is over.
 */
export const recipientOf = (keys: Keys["Service"], address: string): string =>
  `guest_${keys.hmac("mail-recipient", address.trim().toLowerCase())}`

/**
 * Adds the job that mails a message, in the caller's transaction. Not sent after `expiresAtMs`, or after `mailTriedHours`. Fails with
 * RateLimited when the recipient has had a day's mails.
 */
export const mail = Effect.fnUntraced(function* (
  {
    kind,
    ...letter
  }: { readonly kind: MailKind; readonly to: string; readonly subject: string; readonly text: string },
  expiresAtMs = Infinity
) {
  const keys = yield* Keys
  yield* spendAllowance(mailsOfRecipient, recipientOf(keys, letter.to), "listener")
  const mailId = yield* (yield* IdSource).make("mail")
  const sealed = keys.seal(JSON.stringify(letter), mailId)
  const triedUntilMs = (yield* Clock.currentTimeMillis) + mailTriedHours * hourMs
  yield* addJob(SendMail, {
    key: mailId,
    payload: { mailId, kind, sealed, expiresAtMs: Math.min(expiresAtMs, triedUntilMs) }
  })
})

/** Saves the first operator's key at the start. */
export const saveOperator = methodOf(OperatorsWriter, "save")

/** Adds the first person who operates the station, at the first start. Returns the token of a one-time link to the console. */
export const addFirstOperator = Effect.gen(function* () {
  const operators = yield* OperatorsWriter
  const id = yield* (yield* IdSource).make("opr")
  const nowMs = yield* Clock.currentTimeMillis
  const signInToken = randomCode("ops_link_", 32)
  yield* operators.add({ id, name: "manager", role: "admin", createdAtMs: nowMs })
  yield* operators.addLink(id, sha256(signInToken), nowMs + signInLinkHours * hourMs)
  return signInToken
})
