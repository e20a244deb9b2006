import { Clock, Effect, Layer } from "effect"
import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createTransport } from "nodemailer"
import { StationConfig } from "./Config.ts"
import { mailTimeoutMs } from "../rules/operations/limits.ts"
import { Mail, MailFailed } from "../ports/Mail.ts"

/**
 * Mail by SMTP if a server is configured; otherwise each message becomes an `.eml` file in the outbox for operators. Recipients and content are never
 * logged.
 */
export const SmtpMail = Layer.effect(
  Mail,
  Effect.gen(function* () {
    const { dataDir, mailFrom, smtpUrl } = yield* StationConfig
    const outbox = join(dataDir, "outbox")
    const timeouts = { connectionTimeout: mailTimeoutMs, greetingTimeout: mailTimeoutMs, socketTimeout: mailTimeoutMs }
    const server = smtpUrl === null ? null : createTransport({ url: smtpUrl, ...timeouts })
    const composer = createTransport({ streamTransport: true, buffer: true })
    let written = 0
    return Mail.of({
      send: Effect.fnUntraced(function* ({ subject, text, to }) {
        const message = { from: mailFrom, to, subject, text }
        if (server !== null) {
          return yield* Effect.tryPromise({
            try: async () => void (await server.sendMail(message)),
            catch: () => new MailFailed({ detail: "the mail server did not take the message" })
          })
        }
        const nowMs = yield* Clock.currentTimeMillis
        const name = join(outbox, `${nowMs}-${String(++written).padStart(4, "0")}`)
        yield* Effect.tryPromise({
          try: async () => {
            await mkdir(outbox, { recursive: true, mode: 0o700 })
            await writeFile(`${name}.part`, (await composer.sendMail(message)).message, { mode: 0o600 })
            await rename(`${name}.part`, `${name}.eml`)
          },
          catch: () => new MailFailed({ detail: "the outbox can't be written" })
        })
        yield* Effect.logInfo("mail not configured: a message lies in the outbox")
      })
    })
  })
)
