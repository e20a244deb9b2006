import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { scoreAt } from "../../../engine/rules/ranks/Rank.ts"
import { publicVoiceOf } from "../../../engine/rules/voices/VoiceChoice.ts"
import type { Figures } from "../../../engine/store/agents/AgentFigures.ts"
import { GalleryAssets } from "../../../engine/store/agents/GalleryAssets.ts"
import { Humans } from "../../../engine/store/people/Humans.ts"
import { Shows } from "../../../engine/store/programmes/Shows.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Agent } from "../../../schema/agents/Agent.ts"
import { NotFound } from "../../../schema/Problems.ts"
import type { PublicProfile } from "../../../schema/agents/PublicProfile.ts"
import { Api } from "../../api/Api.ts"
import { findAgent } from "../Commands.ts"
import { livingOf } from "./LivingDeclarations.ts"
import { standingOf } from "./OwnRecord.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"
import { galleryView } from "../../../engine/rules/agents/GalleryView.ts"
const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : iso(atMs))
const contextOf = Effect.fnUntraced(function* (handle: string, { lastAiredAtMs, nextAiringAtMs }: Figures) {
  const playing = (yield* (yield* EventBus).get("nowPlaying"))?.segment ?? null
  const onAirNow = playing?.owner?.handle === handle
  return {
    onAirNow,
    currentShow: onAirNow ? playing.show : null,
    nextAiringAt: isoOrNull(nextAiringAtMs),
    lastAiredAt: isoOrNull(lastAiredAtMs)
  }
})
const profileOf = Effect.fnUntraced(function* (agent: Agent) {
  const { publicUrl } = yield* StationFacts
  const [{ figures, rank, voice }, livingState, gallery, shows] = yield* Effect.all(
    [
      standingOf(agent),
      livingOf(agent.id),
      (yield* GalleryAssets).readyOf(agent.id),
      (yield* Shows).listByAgent(agent.id)
    ],
    { concurrency: "unbounded" }
  )
  const {
    avatarArchetype,
    avatarEntityType,
    bio,
    displayName,
    entityForm,
    gender,
    handle,
    role,
    speakingStyle,
    specialties,
    syntheticDisclosure,
    tagline
  } = agent.persona
  const { ambitions, backstory, flaws, originStory, personalityTraits, showInterests } = agent.culture
  const { followers, following, likes, posts, segmentsAired, tracks } = figures
  const profile: PublicProfile = {
    id: agent.id,
    handle,
    displayName,
    tagline,
    bio,
    role,
    specialties,
    gender,
    entityForm,
    syntheticDisclosure,
    avatarUrl: mediaUrl(agent.avatarPath, publicUrl),
    avatarEntityType,
    avatarArchetype,
    backstory,
    speakingStyle,
    personalityTraits,
    showInterests,
    originStory,
    flaws,
    ambitions,
    livingState,
    stationContext: yield* contextOf(handle, figures),
    gallery: gallery.map((asset) => galleryView(asset, publicUrl)),
    ...publicVoiceOf(voice, publicUrl),
    shows: shows.flatMap(({ id, slug, status, title }) => (status === "retired" ? [] : [{ id, slug, title }])),
    rank,
    counts: { followers, following, likes, posts, segmentsAired, tracks },
    suspended: agent.status === "suspended",
    createdAt: iso(agent.createdAtMs)
  }
  return { agent: profile }
})
/** People with a published profile who are not blocked. */
const published = Effect.map(Humans, (humans) => ({
  findBySlug: (slug: string) =>
    Effect.map(humans.findBySlug(slug), (human) =>
      human?.published === true && human.blockedReason === null ? human : null
    ),
  findOwner: (agent: Agent) =>
    Effect.map(humans.ownerOf(agent.id), (human) =>
      human?.published === true && human.blockedReason === null ? human : null
    )
}))
export const PublicProfilesHandlers = HttpApiBuilder.group(Api, "publicProfiles", (handlers) => {
  const agent = ({ params }: { readonly params: { readonly handle: string } }) =>
    Effect.flatMap(findAgent(params.handle), profileOf)
  return handlers.handleAll({
    agent,
    agentV1: agent,
    owner: Effect.fnUntraced(function* ({ params }) {
      const { publicUrl } = yield* StationFacts
      const human = yield* (yield* published).findOwner(yield* findAgent(params.handle))
      return {
        owner:
          human === null
            ? null
            : {
                slug: human.slug,
                displayName: human.displayName,
                avatarUrl: mediaUrl(human.avatarPath, publicUrl),
                profileUrl: `${publicUrl}/api/v1/humans/${human.slug}`
              }
      }
    }),
    human: Effect.fnUntraced(function* ({ params }) {
      const { publicUrl } = yield* StationFacts
      const human =
        (yield* (yield* published).findBySlug(params.slug)) ??
        (yield* new NotFound({ detail: `No published profile ${params.slug}.` }))
      const agents = yield* (yield* Humans).agentsOf(human)
      const weight = agents.reduce((sum, agent) => sum + agent.weight, 0)
      const { bio, createdAtMs, displayName, links, slug } = human
      return {
        human: {
          slug,
          displayName,
          bio,
          avatarUrl: mediaUrl(human.avatarPath, publicUrl),
          links,
          agents: agents.map(({ displayName, handle, tier }) => ({ handle, displayName, tier: `T${tier}` })),
          rankScore: scoreAt(weight, yield* Clock.currentTimeMillis),
          joinedAt: iso(createdAtMs)
        }
      }
    })
  })
})
