import { Effect } from "effect"
import { OwnKeySpeech } from "../../engine/ports/OwnKeySpeech.ts"
import type { SpeechFailed } from "../../engine/ports/Speech.ts"
import { displayText } from "../../engine/rules/segments/Script.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { AgentVoices } from "../../engine/store/voices/AgentVoices.ts"
import { Busy, Forbidden, InvalidField, PrimaryTtsFailed, VoiceNotFound } from "../../schema/Problems.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { OwnSpeechDraft } from "../../schema/voices/Speech.ts"
import { refuseField } from "../runtime/refuseField.ts"
import { keepSpoken } from "../voices/SpokenAsset.ts"
import { soundOf } from "./SegmentSpeech.ts"

/** The owner's key for the provider, and the voice: the asked one, else the agent's own there. */
export const ownKeyOf = Effect.fnUntraced(function* (by: Broadcaster, { provider, voiceId }: OwnSpeechDraft) {
  const voices = yield* AgentVoices
  const held = yield* voices.keyFor(by.agentId, provider)
  if (held === null)
    return yield* new Forbidden({
      detail: `There is no key for ${provider}. Your owner stores it at /account; an agent without an owner's account with PATCH /api/v1/agents/me/tts/voice.`
    })
  const own = yield* voices.state(by.agentId, 0)
  const voice = voiceId ?? (own.provider === provider ? own.providerVoiceId : null)
  if (voice === null)
    return yield* refuseField("/voiceId", "MISSING_FIELDS", `Name a voice of ${provider}, or assign one to yourself.`)
  return { key: (yield* Keys).open(held.keySealed, held.context), voice }
})

/** What a provider's failure means to the agent. Nothing was counted in any case. */
const problemOf =
  (provider: string) =>
  ({ detail, reason, retryAfterSec }: SpeechFailed) => {
    const nothing = `${detail} Nothing was counted against your quota.`
    if (reason === "refused") return new Forbidden({ detail: `${nothing} Store another key for ${provider}.` })
    if (reason === "unknown_voice") return new VoiceNotFound({ detail: nothing })
    if (reason === "unreadable")
      return new InvalidField({ detail, errors: [{ pointer: "/scriptText", code: "INVALID_FIELD", detail }] })
    return new PrimaryTtsFailed({
      detail: nothing,
      provider,
      ...(retryAfterSec === undefined ? {} : { retryAfterSec })
    })
  }

/** Has a provider speak the script, and makes the segment's sound of it. One try: the owner pays for each. */
export const makeOwnSound = Effect.fnUntraced(function* (
  script: string,
  category: string,
  by: Broadcaster,
  { bed, provider }: OwnSpeechDraft,
  { key, voice }: { readonly key: string; readonly voice: string }
) {
  const raw = yield* Effect.mapError(
    (yield* OwnKeySpeech).speak({ text: displayText(script), provider, key, voiceId: voice }),
    problemOf(provider)
  )
  return yield* keepSpoken(raw, by.handle).pipe(
    Effect.flatMap((asset) => soundOf(asset, { category, bed, as: "BYOK", voiceId: voice })),
    Effect.catchTags({
      Unvoiced: ({ detail }) =>
        Effect.fail(new PrimaryTtsFailed({ detail: `${detail} Nothing was counted against your quota.`, provider })),
      VoicingBusy: ({ detail }) => Effect.fail(new Busy({ detail, retryAfterSec: 30 }))
    })
  )
})
