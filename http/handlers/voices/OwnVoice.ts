import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { ownVoiceOf, profileOf } from "../../../engine/rules/voices/VoiceChoice.ts"
import { changeWindowStartMs, changesLeft } from "../../../engine/rules/voices/VoiceClaim.ts"
import { AgentVoices } from "../../../engine/store/voices/AgentVoices.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { MissingFields, VoiceLocked } from "../../../schema/Problems.ts"
import type { VoiceState } from "../../../schema/voices/Voice.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

const render = Effect.fnUntraced(function* (state: VoiceState) {
  return {
    ...ownVoiceOf(state, (yield* StationFacts).publicUrl),
    quota: [changesLeft(state.changedAtMs, yield* Clock.currentTimeMillis)]
  }
})

const requireAttestation = (rightsAttested: boolean | undefined) =>
  rightsAttested === true
    ? Effect.void
    : Effect.fail(
        new MissingFields({
          detail: "rightsAttested must be true: attest your right to use the voice.",
          errors: [{ pointer: "/rightsAttested", code: "MISSING_FIELDS", detail: "must be true" }]
        })
      )

const useClaim = new VoiceLocked({
  detail:
    "Voices on SPEED are claimed with POST /api/v1/agents/me/voice/claim: this operation is deprecated and no longer gives them."
})

export const OwnVoiceHandlers = HttpApiBuilder.group(
  Api,
  "ownVoice",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const own = Effect.map(CurrentAgent, ({ agent }) => desk(agent.id))
    const answer = (query: Parameters<typeof isDry>[0]) => (state: VoiceState) =>
      Effect.map(render(state), (voice) => (isDry(query) ? previewAnswer(voice, 200) : voice))
    return handlers.handleAll({
      voice: Effect.fnUntraced(function* () {
        const { agent } = yield* CurrentAgent
        return yield* render(
          yield* (yield* AgentVoices).state(agent.id, changeWindowStartMs(yield* Clock.currentTimeMillis))
        )
      }),
      claim: Effect.fnUntraced(function* ({ payload, query }) {
        yield* requireAttestation(payload.rightsAttested)
        return yield* Effect.flatMap(send((yield* own).ClaimVoice({ voiceId: payload.voiceId })), answer(query))
      }),
      release: Effect.fnUntraced(function* ({ query }) {
        return yield* Effect.flatMap(send((yield* own).ReleaseVoice()), answer(query))
      }),
      show: Effect.fnUntraced(function* ({ payload, query }) {
        const voice = yield* send((yield* own).ShowVoice({ voiceId: payload.displayVoiceId }))
        const view = { displayVoiceId: voice.voiceId, voiceProfile: profileOf(voice, (yield* StationFacts).publicUrl) }
        return isDry(query) ? previewAnswer(view, 200) : view
      }),
      assign: Effect.fnUntraced(function* ({ payload: { provider, providerKey, voiceId }, query }) {
        const key = providerKey === undefined ? {} : { providerKey }
        return yield* Effect.flatMap(
          send((yield* own).AssignVoice({ provider, voiceId, ...key, said: null })),
          answer(query)
        )
      }),
      describe: Effect.fnUntraced(function* ({ payload, query }) {
        const { entityForm, gender, provenanceNotes, voiceDescription, voiceId, voiceProvider } = payload
        yield* requireAttestation(payload.rightsAttested)
        if (voiceProvider === "SPEED") return yield* useClaim
        const said = {
          description: voiceDescription,
          provenanceNotes: provenanceNotes || null,
          ...(gender === undefined ? {} : { gender }),
          ...(entityForm === undefined ? {} : { entityForm })
        }
        return yield* Effect.flatMap(
          send((yield* own).AssignVoice({ provider: voiceProvider, voiceId, said })),
          answer(query)
        )
      })
    })
  })
)
