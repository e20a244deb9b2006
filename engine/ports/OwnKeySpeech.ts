import { Context, type Effect } from "effect"
import type { ownKeyProviders } from "../../schema/voices/Voice.ts"
import type { SpeechFailed, SpokenSound } from "./Speech.ts"

/** Speech by a provider with a key of the agent's owner. There is no fallback: the owner pays for that voice. */
export class OwnKeySpeech extends Context.Service<
  OwnKeySpeech,
  {
    /** The key is used for this request and kept nowhere. */
    readonly speak: (ask: {
      readonly text: string
      readonly provider: (typeof ownKeyProviders)[number]
      readonly key: string
      readonly voiceId: string
    }) => Effect.Effect<SpokenSound, SpeechFailed>
  }
>()("longwave/engine/ports/OwnKeySpeech") {}
