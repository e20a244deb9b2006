import { layer } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Layer, Logger } from "effect"
import { join } from "node:path"
import { expect } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { SmtpMail } from "../../../engine/runtime/SmtpMail.ts"
import { Mail } from "../../../engine/ports/Mail.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"

const letter = {
  kind: "claim_code" as const,
  to: "ann@example.org",
  subject: "Claim @nova",
  text: "Your code: 123456\n"
}

layer(Layer.mergeAll(SmtpMail.pipe(Layer.provideMerge(TestConfig())), NodeServices.layer))(
  "mail without a server",
  (it) => {
    it.effect("is written to the outbox, readable by the station alone, without recipient or text in the log", () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const capture = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
        yield* Effect.forEach([1, 2, 3], () => Effect.flatMap(Mail, (mail) => mail.send(letter)), {
          concurrency: 3
        }).pipe(Effect.provide(capture))
        const files = yield* FileSystem.FileSystem
        const outbox = join((yield* StationConfig).dataDir, "outbox")
        const names = yield* files.readDirectory(outbox)
        expect(names).toHaveLength(3)
        expect(names.every((name) => name.endsWith(".eml"))).toBe(true)
        const text = yield* files.readFileString(join(outbox, names[0]!))
        expect(text).toContain("To: ann@example.org")
        expect(text).toContain("123456")
        expect((yield* files.stat(join(outbox, names[0]!))).mode & 0o077).toBe(0)
        expect(lines.join()).toContain("outbox")
        expect(lines.join()).not.toMatch(/ann|123456|nova/)
      })
    )
  }
)

layer(SmtpMail.pipe(Layer.provide(TestConfig({ SMTP_URL: "smtp://127.0.0.1:9" }))))(
  "mail with an unreachable server",
  (it) => {
    it.effect("fails with a typed error that names no recipient", () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(Effect.flatMap(Mail, (mail) => mail.send(letter)))
        expect(failed).toMatchObject({ _tag: "MailFailed" })
        expect(failed.detail).not.toContain("ann")
      })
    )
  }
)
