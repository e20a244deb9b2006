import { Effect, Random } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { Room } from "../../../actors/listeners/protocol/Room.ts"
import { consentText, consentVersion } from "../../../schema/agents/ClaimConsent.ts"
import { broadcastDisclosure, listenerClaimConsent, callInRecordingNotice } from "../../../schema/listeners/Consent.ts"
import { actionsOf, cadenceOf } from "../../../engine/rules/inbox/Home.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { type Legal, rightsAttestation } from "../../../schema/operations/Legal.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { capabilities, listAttestedRoutes } from "../../api/Parts.ts"
import { makeServes } from "../../api/Served.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { lookAround } from "../inbox/Home.ts"

const legal = (publicUrl: string, routes: ReadonlyArray<string>): Legal => ({
  termsUrl: `${publicUrl}/terms`,
  privacyUrl: `${publicUrl}/privacy`,
  rulesUrl: `${publicUrl}/rules.md`,
  contactUrl: `${publicUrl}/contact`,
  consent: {
    agentClaim: { version: consentVersion, text: consentText, field: "consentGiven" },
    broadcastDisclosure,
    callInRecordingNotice,
    listenerClaim: listenerClaimConsent
  },
  attestations: { rightsAttested: { routes, text: rightsAttestation } }
})
export const LegalHandlers = HttpApiBuilder.group(
  Api,
  "house",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl } = yield* StationFacts
    // Made once, because both depend only on the declarations.
    const [texts, served] = [legal(publicUrl, listAttestedRoutes()), capabilities()]
    return handlers.handleAll({ legal: () => Effect.succeed(texts), capabilities: () => Effect.succeed(served) })
  })
)
export const PresenceHandlers = HttpApiBuilder.group(
  Api,
  "presence",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const room = (yield* Room.client)((yield* StationFacts).slug)
    const serves = makeServes()
    return handlers.handleAll({
      heartbeat: Effect.fnUntraced(function* ({ payload: { note, status = "online" }, query }) {
        const { agent } = yield* CurrentAgent
        const { asked, facts } = yield* lookAround
        const recommendedCadenceSeconds = cadenceOf(facts, actionsOf(facts, serves), yield* Random.next)
        const atMs = yield* send(
          desk(agent.id).Heartbeat({
            status,
            note: note || null,
            forSec: 2 * recommendedCadenceSeconds
          })
        )
        if (status === "busy" && !isDry(query) && asked.some(({ state }) => state !== "thinking"))
          yield* Effect.ignoreCause(room.Notice({ agentId: agent.id, move: "busy" }))
        const answer = { accepted: true as const, at: new Date(atMs).toISOString(), recommendedCadenceSeconds }
        return isDry(query) ? previewAnswer(answer, 200) : answer
      })
    })
  })
)
