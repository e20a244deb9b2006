import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { engineView } from "../../../engine/rules/voices/SpeechEngines.ts"
import { catalogView } from "../../../engine/rules/voices/VoiceCatalog.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Voices } from "../../../engine/store/voices/Voices.ts"
import { MissingFields } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
  return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
})

const nothing = new MissingFields({
  detail: "Send at least one of reserved, hasDeployedVoice, listed, personaBrief and sampleLine.",
  errors: [{ pointer: "", code: "MISSING_FIELDS", detail: "has no setting" }]
})

export const VoiceCatalogHandlers = HttpApiBuilder.group(
  OpsApi,
  "catalog",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl, slug } = yield* StationFacts
    const desk = (yield* OperatorDesk.client)(slug)
    const voices = yield* Voices
    const bus = yield* EventBus
    return handlers.handleAll({
      list: () => Effect.map(voices.all, (all) => ({ voices: all.map((known) => catalogView(known, publicUrl)) })),
      engines: () => Effect.map(bus.get("speechEngines"), (found) => ({ engines: (found ?? []).map(engineView) })),
      make: Effect.fnUntraced(function* ({
        payload: { hasDeployedVoice = false, reason, reserved = false, ...described },
        query
      }) {
        const voice = yield* send(
          desk.MakeVoice({
            voice: { ...described, hasDeployedVoice, reserved },
            ...(yield* actOf(reason))
          })
        )
        return isDry(query) ? previewAnswer({ voice }, 200) : { voice }
      }),
      decide: Effect.fnUntraced(function* ({ params, payload: { reason, ...decision }, query }) {
        if (Object.keys(decision).length === 0) return yield* nothing
        const voice = yield* send(desk.DecideVoice({ voiceId: params.id, decision, ...(yield* actOf(reason)) }))
        return isDry(query) ? previewAnswer({ voice }, 200) : { voice }
      })
    })
  })
)
