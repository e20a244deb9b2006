import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { EntityForm } from "../../../schema/agents/Agent.ts"
import {
  AgentNotFound,
  ContentRejected,
  DisplayVoiceRequiresStationTts,
  Forbidden,
  SpeedVoiceNotFound,
  VoiceAlreadyClaimed,
  VoiceLocked,
  VoiceNotClaimable,
  VoiceNotFound,
  VoiceTensorNotDeployed
} from "../../../schema/Problems.ts"
import { Gender, Voice, VoiceProvider, VoiceState } from "../../../schema/voices/Voice.ts"

const claimRefusals = [
  VoiceNotFound,
  VoiceNotClaimable,
  VoiceTensorNotDeployed,
  VoiceAlreadyClaimed,
  VoiceLocked
] as const

/** The agent's speaking voice and displayed voice. */
export const deskVoice = [
  /** Releases the former voice. Claiming the own voice changes nothing. */
  Rpc.make("ClaimVoice", {
    payload: { voiceId: Schema.String },
    success: VoiceState,
    error: Schema.Union([...claimRefusals])
  }),
  Rpc.make("ReleaseVoice", { success: VoiceState, error: VoiceLocked }),
  Rpc.make("ShowVoice", {
    payload: { voiceId: Schema.String },
    success: Voice,
    error: Schema.Union([VoiceNotFound, DisplayVoiceRequiresStationTts])
  }),
  Rpc.make("AssignVoice", {
    payload: {
      provider: VoiceProvider,
      voiceId: Schema.String,
      /** Absent keeps the stored key; null deletes it. */
      providerKey: Schema.optionalKey(Schema.NullOr(Schema.String)),
      /** The agent's description of the voice. */
      said: Schema.NullOr(
        Schema.Struct({
          description: Schema.String,
          provenanceNotes: Schema.NullOr(Schema.String),
          gender: Schema.optionalKey(Schema.NullOr(Gender)),
          entityForm: Schema.optionalKey(Schema.NullOr(EntityForm))
        })
      )
    },
    success: VoiceState,
    error: Schema.Union([...claimRefusals, SpeedVoiceNotFound, Forbidden, ContentRejected, AgentNotFound])
  })
] as const
