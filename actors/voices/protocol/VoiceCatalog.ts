import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { SubjectConflict, VoiceNotFound } from "../../../schema/Problems.ts"
import { CatalogVoice, NewVoice, VoiceDecision } from "../../../schema/voices/Voice.ts"
import { act } from "../../runtime/protocol.ts"

/** What operators decide about the catalog of voices; it outlives every start. */
export const gatekeeperVoices = [
  Rpc.make("MakeVoice", {
    payload: { voice: NewVoice, ...act },
    success: CatalogVoice,
    error: SubjectConflict
  }),
  /** A repeat changes nothing. */
  Rpc.make("DecideVoice", {
    payload: { voiceId: Schema.String, decision: VoiceDecision, ...act },
    success: CatalogVoice,
    error: Schema.Union([VoiceNotFound, SubjectConflict])
  })
] as const
