import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { SubjectConflict, VoiceNotFound } from "../../../schema/Problems.ts"
import { CatalogVoice, NewVoice, VoiceDecision } from "../../../schema/voices/Voice.ts"
import { act } from "../../runtime/protocol.ts"

/** Operators' changes of the voice catalog. They persist across starts. */
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
