import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { signInListener } from "../listeners/Listeners.ts"
import { callIn, consent, fromPage, makeRecording, writeIn } from "../listeners/Messages.ts"
import { showOf } from "../programmes/Shows.ts"
import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

const wrote = "POST /api/station/write-in"
const called = "POST /api/station/call-in"
const wroteToShow = "POST /api/shows/{slug}/write-in"
const calledShow = "POST /api/shows/{slug}/call-in"

/** 4.10, and the shows' desks of 4.6: write-ins and call-ins. Their rows name no codes; what they refuse is proven in test/http/listeners/WriteIns.test.ts and CallIns.test.ts. */
export const messages: Scenes = { [wrote]: {}, [called]: {}, [wroteToShow]: {}, [calledShow]: {} }

export const messagesElsewhere: Elsewhere = {}

/** Somebody with an account: all guests of this world share one address. */
const own = Effect.map(signInListener(), ({ token }) => ({ "x-listener-token": token }))
const desk = Effect.map(
  Effect.flatMap(arrive(), ({ handle }) => showOf(handle)),
  ({ slug }) => `/api/shows/${slug}`
)

const sent = ["id", "type", "content", "visibility", "moderationStatus"].map((field) => `interaction.${field}`)

export const messagesSuccesses: Successes = {
  [wrote]: {
    ask: writeIn({
      content: "Good night to all lighthouse keepers.",
      kind: "write_in",
      attribution: { useDisplayName: false },
      ...fromPage
    }),
    fields: [...sent, "confirmation.status", "confirmation.message"]
  },
  [called]: {
    ask: Effect.flatMap(makeRecording("webm", 2), (audio) =>
      callIn({ audio, parts: { source: "web", durationSec: 2, consent, attribution: { useDisplayName: false } } })
    ),
    fields: [...sent, "confirmation.status", "durationSec", "transcript"]
  },
  [wroteToShow]: {
    ask: Effect.flatMap(Effect.all([desk, own]), ([show, headers]) =>
      writeIn({ content: "Good night to the watch.", ...fromPage }, headers, `${show}/write-in`)
    ),
    fields: [...sent, "confirmation.status", "confirmation.message"]
  },
  [calledShow]: {
    ask: Effect.flatMap(Effect.all([desk, own, makeRecording("webm", 2)]), ([show, headers, audio]) =>
      callIn({ audio, headers, parts: { source: "web", durationSec: 2, consent }, path: `${show}/call-in` })
    ),
    fields: [...sent, "confirmation.status", "durationSec", "transcript"]
  }
}
