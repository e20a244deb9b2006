import { Settings } from "../../../engine/store/operations/Settings.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { applyGrant } from "../../../engine/rules/segments/FirstAirGate.ts"
import { capabilities } from "../../../engine/rules/voices/SpeechPaths.ts"
import { entryOf, profileOf, selectionGuide, suggestVoices } from "../../../engine/rules/voices/VoiceChoice.ts"
import { AgentVoices } from "../../../engine/store/voices/AgentVoices.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { Standings } from "../../../engine/store/agents/Standings.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { type ListedVoice, Voices } from "../../../engine/store/voices/Voices.ts"
import { VoiceNotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { makeServes } from "../../api/Served.ts"
import { operationOf } from "../../../engine/rules/agents/Capabilities.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { unknownCursor } from "../Commands.ts"
import { speechQuotas } from "../Quotas.ts"

const isClaimable = ({ voice }: ListedVoice) => voice.claimable && voice.hasDeployedVoice
const free = (listed: ListedVoice) => isClaimable(listed) && listed.claimedBy === null

const render = ({ handle, voice }: ListedVoice) =>
  Effect.map(StationFacts, ({ publicUrl }) => entryOf(voice, handle, publicUrl))

const catalog = Effect.fnUntraced(function* (query: {
  readonly availableOnly?: string
  readonly provider?: string
  readonly limit?: number
  readonly cursor?: string
}) {
  const { agent } = yield* CurrentAgent
  const all = yield* (yield* Voices).list
  const onlyFree = query.availableOnly === "true" || query.availableOnly === "1"
  const wanted = all.filter(
    (each) =>
      (!onlyFree || free(each)) &&
      (query.provider === undefined ||
        each.voice.provider === query.provider ||
        each.voice.engines.some((engine) => engine === query.provider))
  )
  const from = query.cursor === undefined ? 0 : wanted.findIndex(({ voice }) => voice.voiceId === query.cursor) + 1
  if (query.cursor !== undefined && from === 0) return yield* unknownCursor
  const to = from + (query.limit ?? catalogDefault)
  const { bio, gender, role, speakingStyle, specialties, tagline } = agent.persona
  return {
    voices: yield* Effect.forEach(wanted.slice(from, to), render),
    selectionGuide: selectionGuide(all.filter(isClaimable).map(({ voice }) => voice)),
    suggestedVoiceIds: suggestVoices(
      all.filter(free).map(({ voice }) => voice),
      { role, gender, prose: [bio, tagline, speakingStyle, ...specialties] }
    ),
    ...(to < wanted.length ? { nextCursor: wanted[to - 1]!.voice.voiceId } : {})
  }
})

const serves = makeServes()
const [speakMethod, speakPath] = operationOf.byok_speech.split(" ") as [string, string]
const paths = Effect.gen(function* () {
  const { agent } = yield* CurrentAgent
  const standings = yield* Standings
  const [gate, grants, counts, own, all, { houseReads }, keys, quotas] = yield* Effect.all(
    [
      standings.gate(agent.id),
      standings.grants(agent.id),
      (yield* Segments).count(agent.id),
      (yield* Voices).findByAgent(agent.id),
      (yield* Voices).list,
      (yield* Settings).current,
      (yield* AgentVoices).keys(agent.id),
      speechQuotas(agent)
    ],
    { concurrency: "unbounded" }
  )
  return capabilities({
    standing: {
      ...grants,
      state: applyGrant(gate.state, grants.freeAir),
      rejections: gate.rejections,
      waiting: counts.pendingReview
    },
    paidSpeech: grants.paidSpeech,
    paidProviders: (yield* StationFacts).paidSpeech,
    deployedOnSpeed: own !== null && own.voice.hasDeployedVoice,
    houseReads,
    enginesReady: all.length > 0,
    hasOwnKey: keys.length > 0,
    servesOwnKeys: serves(speakMethod, speakPath),
    quota: quotas.own
  })
})

export const VoicesHandlers = HttpApiBuilder.group(Api, "voices", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => catalog(query),
    one: Effect.fnUntraced(function* ({ params }) {
      const found = yield* (yield* Voices).find(params.voiceId)
      if (found === null)
        return yield* new VoiceNotFound({ detail: `There is no voice ${params.voiceId} in the catalog.` })
      return { voice: yield* render(found), voiceProfile: profileOf(found.voice, (yield* StationFacts).publicUrl) }
    }),
    capabilities: () => paths
  })
)
