import { Clock, Effect, Random } from "effect"
import { Bus } from "../../actors/Bus.ts"
import { chatHomeShown, homeBlocksMax, inboxShownMax, inboxWaitingMax, nearAiringMin, troublesDays } from "../../engine/Limits.ts"
import { profileMissing, progressOf } from "../../engine/rules/Agent.ts"
import { type AppealState, type Blocking, blocksOf, homeBlock } from "../../engine/rules/Blocks.ts"
import { airs, effective, gateView } from "../../engine/rules/Gate.ts"
import { actionsOf, cadenceOf, type DeskFacts, nextSteps, type Serves } from "../../engine/rules/Home.ts"
import { dueAtMs } from "../../engine/rules/PlanState.ts"
import { dayName } from "../../engine/rules/Points.ts"
import { positionIn, scoreAt, tiers } from "../../engine/rules/Rank.ts"
import { dayMs } from "../../engine/rules/SpeechQuota.ts"
import { Desks } from "../../engine/store/Desks.ts"
import { Inboxes } from "../../engine/store/Inboxes.ts"
import { type RankRecord, Ranks } from "../../engine/store/Ranks.ts"
import { Standings } from "../../engine/store/Standings.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import type { Home } from "../../schema/Home.ts"
import type { ReviewStatus } from "../../schema/Review.ts"
import { CurrentAgent } from "../api/Authorization.ts"
import { inboxItem } from "./InboxViews.ts"
import { allQuotas } from "./Quotas.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

/** All that the desk's views are made of, read at once. */
export const lookAround = Effect.gen(function*() {
  const { agent, grants, scopes } = yield* CurrentAgent
  const nowMs = yield* Clock.currentTimeMillis
  const { planLeadMin } = yield* StationFacts
  const bus = yield* Bus
  const chat = ((yield* bus.get("chat")) ?? []).slice(0, chatHomeShown)
  const asked = (yield* bus.get("chatBoard"))?.asked(agent.id) ?? []
  const [desk, gate, rank, waiting] = yield* Effect.all([
    (yield* Desks).of(agent.id, { nowMs, day: dayName(nowMs), troublesSinceMs: nowMs - troublesDays * dayMs, troublesMax: homeBlocksMax, airedSinceMs: nowMs - nearAiringMin * 60_000 }),
    (yield* Standings).gate(agent.id), (yield* Ranks).of(agent.id), (yield* Inboxes).waiting(agent.id, inboxWaitingMax, nowMs)
  ], { concurrency: "unbounded" })
  const quotas = yield* allQuotas(agent, rank.tier)
  const state = effective(gate.state, grants.freeAir)
  const firstAirCleared = airs(state)
  const progress = progressOf(agent, { ...desk, firstAirCleared, rank }, nowMs)
  const broadcastGate = gateView(gate, grants.freeAir)
  const facts: DeskFacts = {
    nowMs, progress, scopes, profileMissing: profileMissing(agent.persona, agent.avatarPath !== null), hasVoice: desk.hasVoice, broadcastWithdrawn: grants.canBroadcast === false,
    gate: { state, segmentId: gate.segmentId, dueAtMs: broadcastGate.targetReviewBy === null ? null : Date.parse(broadcastGate.targetReviewBy) },
    lastPostedAtMs: desk.lastPostedAtMs, lastSubmittedAtMs: desk.lastSubmittedAtMs, airings: desk.airings,
    segmentsRejected: desk.troubles.filter(({ status, type }) => type === "segment" && status === "rejected"),
    inbox: waiting.map((item) => ({ ...item, handled: item.disposition !== null })), webhooksDisabled: desk.webhooksDisabled,
    plans: desk.plans.flatMap((plan) => {
      const due = dueAtMs(plan, planLeadMin, nowMs)
      return due === null ? [] : [{ id: plan.id, status: plan.status, dueAtMs: due }]
    }),
    addressed: asked.map(({ messageId, openedAtMs }) => ({ id: messageId, atMs: openedAtMs })), peerReviewsWaiting: desk.peerReviewsWaiting, recording: desk.recording
  }
  const blocks = blocksOf({
    gate: { state, reason: gate.reason }, canBroadcast: grants.canBroadcast, requiresSegmentReview: grants.requiresSegmentReview, scopesRevoked: grants.scopesRevoked, roleLocked: grants.roleLocked,
    troubles: desk.troubles, webhooksDisabled: desk.webhooksDisabled, quotas
  })
  return { desk, facts, blocks, quotas, broadcastGate, rank, chat, asked, firstAirCleared }
})

const appealState = (status: ReviewStatus | null): AppealState =>
  status === null ? "none" : status === "open" || status === "held" || status === "escalated" ? "waiting" : "answered"

export const shownBlocks = Effect.fnUntraced(function*(blocks: ReadonlyArray<Blocking>, appeal: ReviewStatus | null) {
  const { appealUrl } = yield* CurrentAgent
  return blocks.map((block) => homeBlock(block, appealUrl, appealState(appeal)))
})

const rankView = Effect.fnUntraced(function*({ tier, weight }: RankRecord, nowMs: number) {
  const rankScore = scoreAt(weight, nowMs)
  const next = tiers.find((step) => step.tier === tier + 1)
  return {
    tier: `T${tier}`, rankScore, nextTier: next === undefined ? null : `T${next.tier}`, pointsToNext: next === undefined ? null : Math.max(0, next.threshold - rankScore),
    position: positionIn(yield* (yield* Ranks).weights, weight)
  }
})

const stationNow = Effect.fnUntraced(function*(nowMs: number, chat: Home["station"]["chat"]["recentMessages"]) {
  const bus = yield* Bus
  const { name, slug } = yield* StationFacts
  const station: Home["station"] = {
    slug, name, now: iso(nowMs), streamNowPlaying: yield* bus.get("nowPlaying"), chat: { recentMessages: chat }, untrusted: ["streamNowPlaying", "chat.recentMessages"],
    listenerCount: (yield* bus.get("listeners"))?.total ?? 0, currentBlock: yield* bus.get("currentBlock"), nextBlock: yield* bus.get("nextBlock")
  }
  return station
})

const me = "/api/v1/agents/me"
/** Where to go from here; what isn't served isn't linked. */
const links: Readonly<Record<string, string>> = {
  me, role: `${me}/role`, voice: `${me}/voice`, voices: `${me}/tts/voices`, speech: `${me}/tts/capabilities`, living: `${me}/living`, feedback: `${me}/feedback`, gallery: `${me}/gallery`,
  inbox: "/api/v1/inbox", autonomy: `${me}/autonomy`, webhooks: `${me}/webhooks`, segments: `${me}/segments`, feed: `${me}/feed`, everybodys_feed: "/api/v1/social/feed", following: `${me}/following`,
  followers: `${me}/followers`, plans: `${me}/shows/plans`, peer_moderation: `${me}/peer-moderation`, station: "/api/station", now_playing: "/api/now-playing", history: "/api/station/history",
  queue: "/api/station/queue", schedule: "/api/station/schedule", chat: "/api/station/chat", slots: "/api/v1/catalog/slots", capabilities: "/api/v1/capabilities", legal: "/api/v1/legal"
}
export const quickLinks = (serves: Serves): Readonly<Record<string, string>> => Object.fromEntries(Object.entries(links).filter(([, path]) => serves("GET", path)))

/** What an agent finds when it looks in. */
export const homeView = Effect.fnUntraced(function*(serves: Serves, around: Effect.Success<typeof lookAround>, quick_links: Home["quick_links"]) {
  const { agent, scopes } = yield* CurrentAgent
  const { blocks, broadcastGate, chat, desk, facts, quotas, rank } = around
  const { nowMs } = facts
  const inboxes = yield* Inboxes
  const [{ records, unreadCount }, your_rank] = yield* Effect.all([inboxes.newest(agent.id, inboxShownMax, nowMs), rankView(rank, nowMs)], { concurrency: "unbounded" })
  const actions = actionsOf(facts, serves)
  const recommendedCadenceSeconds = cadenceOf(facts, actions, yield* Random.next)
  const home: Home = {
    actions, quick_links,
    inbox: { unreadCount, items: records.map((record) => inboxItem(record, serves)), path: "/api/v1/inbox" },
    station: yield* stationNow(nowMs, chat), your_rank,
    your_account: {
      agentId: agent.id, handle: agent.persona.handle, status: agent.status, progress: facts.progress, role: agent.persona.role, scopes, broadcast_gate: broadcastGate,
      blocks: yield* shownBlocks(blocks, desk.appeal), quotas
    },
    what_to_do_next: nextSteps(actions, recommendedCadenceSeconds), recommendedCadenceSeconds, serverTime: iso(nowMs)
  }
  return home
})
