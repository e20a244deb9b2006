import { Effect } from "effect"
import { catalogView, changesAfter, refusalOfDecision, voiceOf } from "../../engine/rules/voices/VoiceCatalog.ts"
import { type KnownVoice, VoicesWriter } from "../../engine/store/voices/Voices.ts"
import { SubjectConflict, VoiceNotFound } from "../../schema/Problems.ts"
import type { NewVoice, VoiceDecision } from "../../schema/voices/Voice.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"

const actOf = ({ actor, reason }: Act): Act => ({ actor, reason })
const summary = ({ changes, listed, voice: { hasDeployedVoice, reserved } }: KnownVoice) => ({
  reserved,
  hasDeployedVoice,
  listed,
  changes
})
const make = Effect.fnUntraced(function* (asked: NewVoice, act: Act) {
  const voices = yield* VoicesWriter
  const { reserved, ...voice } = voiceOf(asked)
  const { voiceId } = voice
  // `reserved` is stored as an operator's decision, so that it can be revoked.
  if (!(yield* voices.make(voiceOf({ ...asked, reserved: false }), reserved ? { reserved } : {})))
    return yield* new SubjectConflict({ detail: `The voice ${voiceId} already exists.` })
  const made = (yield* voices.findKnown(voiceId))!
  yield* record(actOf(act), "voice.make", { type: "voice", id: voiceId }, null, {
    ...summary(made),
    sound: asked.sound
  })
  return catalogView(made, (yield* stationFacts).publicUrl)
})
const decide = Effect.fnUntraced(function* (voiceId: string, decision: VoiceDecision, act: Act) {
  const voices = yield* VoicesWriter
  const before = yield* voices.lock(voiceId)
  if (before === null) return yield* new VoiceNotFound({ detail: `There is no voice ${voiceId}.` })
  const refusal = refusalOfDecision(before, decision, (yield* voices.shared)?.voiceId === voiceId)
  if (refusal !== null) return yield* new SubjectConflict({ detail: refusal })
  yield* voices.change(voiceId, changesAfter(before.changes, decision))
  const after = (yield* voices.findKnown(voiceId))!
  if (JSON.stringify(summary(before)) !== JSON.stringify(summary(after)))
    yield* record(actOf(act), "voice.decide", { type: "voice", id: voiceId }, summary(before), summary(after))
  return catalogView(after, (yield* stationFacts).publicUrl)
})
interface Asked<A> {
  readonly payload: A & Act
}
export const gatekeeperVoices = {
  MakeVoice: ({ payload }: Asked<{ readonly voice: NewVoice }>) => command({ run: make(payload.voice, payload) }),
  DecideVoice: ({ payload }: Asked<{ readonly voiceId: string; readonly decision: VoiceDecision }>) =>
    command({ run: decide(payload.voiceId, payload.decision, payload) })
}
