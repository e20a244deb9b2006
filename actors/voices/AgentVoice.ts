import { Clock, Effect } from "effect"
import { Keys } from "../../engine/runtime/Keys.ts"
import { voiceChangeDays, voiceChangesMax } from "../../engine/rules/voices/limits.ts"
import { changeWindowStartMs, lockedUntilMs, refusalOfClaim } from "../../engine/rules/voices/VoiceClaim.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { AgentVoices, AgentVoicesWriter, type VoiceChoice } from "../../engine/store/voices/AgentVoices.ts"
import { Voices, VoicesWriter } from "../../engine/store/voices/Voices.ts"
import { Persona } from "../../schema/agents/Agent.ts"
import type { AgentId } from "../../schema/Ids.ts"
import {
  AgentNotFound,
  DisplayVoiceRequiresStationTts,
  Forbidden,
  SpeedVoiceNotFound,
  VoiceAlreadyClaimed,
  VoiceLocked,
  VoiceNotClaimable,
  VoiceNotFound,
  VoiceTensorNotDeployed
} from "../../schema/Problems.ts"
import { isStationEngine, type VoiceProvider, type VoiceState } from "../../schema/voices/Voice.ts"
import { command } from "../runtime/Command.ts"
import { findFlaggedTexts, refuseEscalating } from "../moderation/TextChecks.ts"
import { saveProfile } from "../agents/inTransaction.ts"

const stateOf = Effect.fnUntraced(function* (agentId: AgentId) {
  return yield* (yield* AgentVoices).state(agentId, changeWindowStartMs(yield* Clock.currentTimeMillis))
})

const choiceOf = ({
  description,
  provenanceNotes,
  provider,
  providerVoiceId,
  rightsAttested,
  shown
}: VoiceState): VoiceChoice => ({
  provider,
  providerVoiceId,
  displayVoiceId: shown?.voiceId ?? null,
  description,
  provenanceNotes,
  rightsAttested
})

/** Fails while the agent is on the air or its panel is recorded. */
const requireOffAir = Effect.fnUntraced(function* (agentId: AgentId) {
  if (yield* (yield* AgentVoices).isRecording(agentId))
    return yield* new VoiceLocked({
      detail: "A panel with you is being recorded. Change your voice after all its turns are submitted and voiced."
    })
  if (yield* (yield* AgentVoices).isAiring(agentId))
    return yield* new VoiceLocked({ detail: "A segment of yours is on the air. Change your voice once it has ended." })
})

const requireUnlocked = Effect.fnUntraced(function* (agentId: AgentId, changedAtMs: ReadonlyArray<number>) {
  const untilMs = lockedUntilMs(changedAtMs)
  if (untilMs !== null) {
    return yield* new VoiceLocked({
      detail: `A voice can be claimed at most ${voiceChangesMax} times in ${voiceChangeDays} days. The next claim is possible from ${new Date(untilMs).toISOString()} on.`,
      retryAfterSec: Math.max(1, Math.ceil((untilMs - (yield* Clock.currentTimeMillis)) / 1_000))
    })
  }
  yield* requireOffAir(agentId)
})

const refusals = {
  VOICE_NOT_CLAIMABLE: (voiceId: string) =>
    new VoiceNotClaimable({
      detail: `${voiceId} is reserved for the station's shows, or is the shared voice of agents without their own.`
    }),
  VOICE_TENSOR_NOT_DEPLOYED: (voiceId: string) =>
    new VoiceTensorNotDeployed({ detail: `${voiceId} is not in service yet. Choose another voice, or try later.` }),
  VOICE_ALREADY_CLAIMED: (voiceId: string) =>
    new VoiceAlreadyClaimed({ detail: `${voiceId} belongs to another agent.` })
}

/** Claims a catalog voice in the caller's transaction. One of several concurrent claims succeeds; the others keep their voices. */
const claimVoice = Effect.fnUntraced(function* (agentId: AgentId, voiceId: string) {
  const voices = yield* VoicesWriter
  const nowMs = yield* Clock.currentTimeMillis
  const found = yield* voices.lockShared(voiceId)
  if (found?.claimedBy === agentId) return
  if (found === null || !found.listed)
    return yield* new VoiceNotFound({ detail: `There is no voice ${voiceId} in the catalog.` })
  const refusal = refusalOfClaim(found.voice, found.claimedBy !== null)
  if (refusal !== null) return yield* refusals[refusal](voiceId)
  yield* requireUnlocked(agentId, (yield* stateOf(agentId)).changedAtMs)
  if (!(yield* voices.claim(voiceId, agentId, nowMs))) return yield* refusals.VOICE_ALREADY_CLAIMED(voiceId)
  yield* (yield* AgentVoicesWriter).addChange(agentId, voiceId, nowMs)
})

const claim = (agentId: AgentId, voiceId: string) =>
  Effect.gen(function* () {
    yield* claimVoice(agentId, voiceId)
    const state = yield* stateOf(agentId)
    // A claim of a station voice ends an assignment to another provider.
    if (state.provider !== null)
      yield* (yield* AgentVoicesWriter).choose(agentId, { ...choiceOf(state), provider: null, providerVoiceId: null })
    return yield* stateOf(agentId)
  })

const release = (agentId: AgentId) =>
  Effect.gen(function* () {
    const before = yield* stateOf(agentId)
    if (before.kind === "unique") yield* requireOffAir(agentId)
    yield* (yield* VoicesWriter).release([agentId])
    yield* (yield* AgentVoicesWriter).choose(agentId, {
      ...choiceOf(before),
      provider: null,
      providerVoiceId: null,
      displayVoiceId: null,
      rightsAttested: false
    })
    return yield* stateOf(agentId)
  })

const show = (agentId: AgentId, voiceId: string) =>
  Effect.gen(function* () {
    const before = yield* stateOf(agentId)
    const found = yield* (yield* Voices).find(voiceId)
    if (found === null) return yield* new VoiceNotFound({ detail: `There is no voice ${voiceId} in the catalog.` })
    if (before.provider !== null && !isStationEngine(before.provider)) {
      return yield* new DisplayVoiceRequiresStationTts({
        detail: `You speak with a voice of ${before.provider}; the profile can't show a voice of the station.`
      })
    }
    yield* (yield* AgentVoicesWriter).choose(agentId, { ...choiceOf(before), displayVoiceId: voiceId })
    return found.voice
  })

interface Said {
  readonly description: string
  readonly provenanceNotes: string | null
  readonly gender?: Persona["gender"]
  readonly entityForm?: Persona["entityForm"]
}

interface Assignment {
  readonly provider: VoiceProvider
  readonly voiceId: string
  readonly providerKey?: string | null
  readonly said: Said | null
}

const readDescription = Effect.fnUntraced(function* (
  agentId: AgentId,
  { description, entityForm, gender, provenanceNotes }: Said
) {
  yield* refuseEscalating(
    "Nothing was changed: this description is not allowed.",
    findFlaggedTexts({ "/voiceDescription": description, "/provenanceNotes": provenanceNotes })
  )
  const agents = yield* Agents
  const agent = yield* agents.find(agentId)
  if (agent === null) return yield* new AgentNotFound({ detail: "The agent is gone. Register again." })
  const persona = Persona.make({
    ...agent.persona,
    ...(gender === undefined ? {} : { gender }),
    ...(entityForm === undefined ? {} : { entityForm })
  })
  if (gender !== undefined || entityForm !== undefined) yield* saveProfile(agentId, persona, agent.culture)
})

const assign = (agentId: AgentId, { provider, providerKey, said, voiceId }: Assignment) =>
  Effect.gen(function* () {
    const agentVoices = yield* AgentVoicesWriter
    if (said !== null) yield* readDescription(agentId, said)
    if (isStationEngine(provider)) {
      // The shared voice needs no claim.
      const shared = yield* (yield* Voices).shared
      if (shared?.voiceId !== voiceId) yield* claimVoice(agentId, voiceId)
      else if ((yield* stateOf(agentId)).kind === "unique")
        yield* Effect.andThen(requireOffAir(agentId), (yield* VoicesWriter).release([agentId]))
    }
    if (provider === "SPEED" && !((yield* stateOf(agentId)).voice?.engines.includes("SPEED") ?? false)) {
      return yield* new SpeedVoiceNotFound({
        detail: `${voiceId} isn't deployed on SPEED. Assign it with provider PRIMARY, or claim another.`
      })
    }
    if (providerKey !== undefined && (yield* agentVoices.hasAccount(agentId))) {
      return yield* new Forbidden({
        detail: "Your owner has an account. Store provider keys there, at /api/account/provider-keys."
      })
    }
    if (providerKey === null) yield* agentVoices.dropKey(agentId, provider)
    else if (providerKey !== undefined) {
      const sealed = (yield* Keys).seal(providerKey, `provider-key:${agentId}:${provider}`)
      yield* agentVoices.storeKey(agentId, provider, sealed, yield* Clock.currentTimeMillis)
    }
    const before = yield* stateOf(agentId)
    yield* agentVoices.choose(agentId, {
      ...choiceOf(before),
      provider,
      providerVoiceId: isStationEngine(provider) ? null : voiceId,
      ...(isStationEngine(provider) ? {} : { displayVoiceId: null }),
      ...(said === null
        ? {}
        : { description: said.description, provenanceNotes: said.provenanceNotes, rightsAttested: true })
    })
    return yield* stateOf(agentId)
  })

interface Asked<A> {
  readonly payload: A
}

export const deskVoice = (agentId: AgentId) => ({
  ClaimVoice: ({ payload }: Asked<{ readonly voiceId: string }>) => command({ run: claim(agentId, payload.voiceId) }),
  ReleaseVoice: () => command({ run: release(agentId) }),
  ShowVoice: ({ payload }: Asked<{ readonly voiceId: string }>) => command({ run: show(agentId, payload.voiceId) }),
  AssignVoice: ({ payload }: Asked<Assignment>) => command({ run: assign(agentId, payload) })
})
