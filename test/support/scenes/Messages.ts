import { Effect } from "effect"
import { callIn, consent, fromPage, recording, writeIn } from "../Messages.ts"
import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

const wrote = "POST /api/station/write-in"
const called = "POST /api/station/call-in"

/** 4.10, and the shows' desks of 4.6: write-ins and call-ins. Their rows name no codes; what they refuse is proven in test/http/WriteIns.test.ts and CallIns.test.ts. */
export const messages: Scenes = { [wrote]: {}, [called]: {}, "POST /api/shows/{slug}/write-in": {}, "POST /api/shows/{slug}/call-in": {} }

export const messagesElsewhere: Elsewhere = {}

const sent = ["id", "type", "content", "visibility", "moderationStatus"].map((field) => `interaction.${field}`)

export const messagesSuccesses: Successes = {
  [wrote]: { ask: writeIn({ content: "Good night to all lighthouse keepers.", kind: "write_in", attribution: { useDisplayName: false }, ...fromPage }), fields: [...sent, "confirmation.status", "confirmation.message"] },
  [called]: {
    ask: Effect.flatMap(recording("webm", 2), (audio) => callIn({ audio, parts: { source: "web", durationSec: 2, consent, attribution: { useDisplayName: false } } })),
    fields: [...sent, "confirmation.status", "durationSec", "transcript"]
  }
}
