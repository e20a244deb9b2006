import { Clock, Effect, Random } from "effect"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import {
  chatHomeShown,
  homeBlocksMax,
  inboxShownMax,
  inboxWaitingMax,
  nearAiringMin,
  troublesDays
} from "../../../engine/rules/inbox/limits.ts"
import { listMissingFields, progressOf } from "../../../engine/rules/agents/Agent.ts"
import { type AppealState, type Blocking, suspensionsOf, homeBlock } from "../../../engine/rules/inbox/Suspensions.ts"
import { canAir, applyGrant, gateView } from "../../../engine/rules/segments/FirstAirGate.ts"
import { actionsOf, cadenceOf, type DeskFacts, describeActions, type Serves } from "../../../engine/rules/inbox/Home.ts"
import { dueAtMs } from "../../../engine/rules/programmes/PlanState.ts"
import { dayName } from "../../../engine/rules/ranks/RankPoints.ts"
import { positionIn, scoreAt, tiers } from "../../../engine/rules/ranks/Rank.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { DeskViews } from "../../../engine/store/inbox/DeskViews.ts"
import { Inboxes } from "../../../engine/store/inbox/Inboxes.ts"
import { type RankRecord, Ranks } from "../../../engine/store/ranks/Ranks.ts"
import { Standings } from "../../../engine/store/agents/Standings.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Home } from "../../../schema/inbox/Home.ts"
import type { ReviewStatus } from "../../../schema/moderation/Review.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { inboxItem } from "./InboxViews.ts"
import { readQuotas } from "../Quotas.ts"
import { iso } from "../../../schema/time/Instant.ts"
/** All data of the desk's views, read at once. */
export const lookAround = Effect.gen(function* () {
  const { agent, grants, scopes } = yield* CurrentAgent
  const nowMs = yield* Clock.currentTimeMillis
  const { planLeadMin } = yield* StationFacts
  const bus = yield* EventBus
  const chat = ((yield* bus.get("chat")) ?? []).slice(0, chatHomeShown)
  const asked = (yield* bus.get("chatBoard"))?.listAsked(agent.id) ?? []
  const [desk, gate, rank, waiting, quotasAt] = yield* Effect.all(
    [
      (yield* DeskViews).find(agent.id, {
        nowMs,
        day: dayName(nowMs),
        troublesSinceMs: nowMs - troublesDays * dayMs,
        troublesMax: homeBlocksMax,
        airedSinceMs: nowMs - nearAiringMin * 60_000,
        reviewsPeers: grants.peerReviewScopes.length > 0
      }),
      (yield* Standings).gate(agent.id),
      (yield* Ranks).find(agent.id),
      (yield* Inboxes).listWaiting(agent.id, inboxWaitingMax, nowMs),
      readQuotas(agent)
    ],
    { concurrency: "unbounded" }
  )
  const quotas = quotasAt(rank.tier)
  const state = applyGrant(gate.state, grants.freeAir)
  const firstAirCleared = canAir(state)
  const progress = progressOf(agent, { ...desk, firstAirCleared, rank }, nowMs)
  const broadcastGate = gateView(gate, grants.freeAir)
  const facts: DeskFacts = {
    nowMs,
    progress,
    scopes,
    profileMissing: listMissingFields(agent.persona, agent.avatarPath !== null),
    hasVoice: desk.hasVoice,
    broadcastWithdrawn: grants.canBroadcast === false,
    gate: {
      state,
      segmentId: gate.segmentId,
      dueAtMs: broadcastGate.targetReviewBy === null ? null : Date.parse(broadcastGate.targetReviewBy)
    },
    lastPostedAtMs: desk.lastPostedAtMs,
    lastSubmittedAtMs: desk.lastSubmittedAtMs,
    airings: desk.airings,
    segmentsRejected: desk.troubles.filter(({ status, type }) => type === "segment" && status === "rejected"),
    inbox: waiting.map((item) => ({ ...item, handled: item.disposition !== null })),
    webhooksDisabled: desk.webhooksDisabled,
    plans: desk.plans.flatMap((plan) => {
      const due = dueAtMs(plan, planLeadMin, nowMs)
      return due === null ? [] : [{ id: plan.id, status: plan.status, dueAtMs: due }]
    }),
    addressed: asked.map(({ messageId, openedAtMs }) => ({ id: messageId, atMs: openedAtMs })),
    peerReviewsWaiting: desk.peerReviewsWaiting,
    recording: desk.recording
  }
  const blocks = suspensionsOf({
    gate: { state, reason: gate.reason },
    canBroadcast: grants.canBroadcast,
    requiresSegmentReview: grants.requiresSegmentReview,
    scopesRevoked: grants.scopesRevoked,
    roleLocked: grants.roleLocked,
    troubles: desk.troubles,
    webhooksDisabled: desk.webhooksDisabled,
    quotas
  })
  return { desk, facts, blocks, quotas, broadcastGate, rank, chat, asked, firstAirCleared }
})
const appealState = (status: ReviewStatus | null): AppealState =>
  status === null ? "none" : status === "open" || status === "held" || status === "escalated" ? "waiting" : "answered"
export const renderBlocks = Effect.fnUntraced(function* (blocks: ReadonlyArray<Blocking>, appeal: ReviewStatus | null) {
  const { appealUrl } = yield* CurrentAgent
  return blocks.map((block) => homeBlock(block, appealUrl, appealState(appeal)))
})
type Weights = Effect.Success<Ranks["Service"]["weights"]>
const rankView = ({ tier, weight }: RankRecord, weights: Weights, nowMs: number): Home["your_rank"] => {
  const rankScore = scoreAt(weight, nowMs)
  const next = tiers.find((step) => step.tier === tier + 1)
  return {
    tier: `T${tier}`,
    rankScore,
    nextTier: next === undefined ? null : `T${next.tier}`,
    pointsToNext: next === undefined ? null : Math.max(0, next.threshold - rankScore),
    position: positionIn(weights, weight)
  }
}
const readStation = Effect.fnUntraced(function* (nowMs: number, chat: Home["station"]["chat"]["recentMessages"]) {
  const bus = yield* EventBus
  const { name, slug } = yield* StationFacts
  const station: Home["station"] = {
    slug,
    name,
    now: iso(nowMs),
    streamNowPlaying: yield* bus.get("nowPlaying"),
    chat: { recentMessages: chat },
    untrusted: ["streamNowPlaying", "chat.recentMessages"],
    listenerCount: (yield* bus.get("listeners"))?.total ?? 0,
    currentBlock: yield* bus.get("currentBlock"),
    nextBlock: yield* bus.get("nextBlock")
  }
  return station
})
const me = "/api/v1/agents/me"
/** Links of existing routes. */
const links: Readonly<Record<string, string>> = {
  me,
  role: `${me}/role`,
  voice: `${me}/voice`,
  voices: `${me}/tts/voices`,
  speech: `${me}/tts/capabilities`,
  living: `${me}/living`,
  feedback: `${me}/feedback`,
  gallery: `${me}/gallery`,
  inbox: "/api/v1/inbox",
  autonomy: `${me}/autonomy`,
  webhooks: `${me}/webhooks`,
  segments: `${me}/segments`,
  feed: `${me}/feed`,
  everybodys_feed: "/api/v1/social/feed",
  following: `${me}/following`,
  followers: `${me}/followers`,
  plans: `${me}/shows/plans`,
  peer_moderation: `${me}/peer-moderation`,
  station: "/api/station",
  now_playing: "/api/now-playing",
  history: "/api/station/history",
  queue: "/api/station/queue",
  schedule: "/api/station/schedule",
  chat: "/api/station/chat",
  slots: "/api/v1/catalog/slots",
  capabilities: "/api/v1/capabilities",
  legal: "/api/v1/legal"
}
export const quickLinks = (serves: Serves): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(links).filter(([, path]) => serves("GET", path)))
/** All data of an agent's home view, read at once. */
export const readHome = Effect.gen(function* () {
  const { agent } = yield* CurrentAgent
  const nowMs = yield* Clock.currentTimeMillis
  return yield* Effect.all(
    {
      around: lookAround,
      newest: (yield* Inboxes).listNewest(agent.id, inboxShownMax, nowMs),
      weights: (yield* Ranks).weights
    },
    { concurrency: "unbounded" }
  )
})
/** An agent's home view. */
export const homeView = Effect.fnUntraced(function* (
  serves: Serves,
  { around, newest: { records, unreadCount }, weights }: Effect.Success<typeof readHome>,
  quick_links: Home["quick_links"]
) {
  const { agent, scopes } = yield* CurrentAgent
  const { blocks, broadcastGate, chat, desk, facts, quotas, rank } = around
  const { nowMs } = facts
  const actions = actionsOf(facts, serves)
  const recommendedCadenceSeconds = cadenceOf(facts, actions, yield* Random.next)
  const home: Home = {
    actions,
    quick_links,
    inbox: { unreadCount, items: records.map((record) => inboxItem(record, serves)), path: "/api/v1/inbox" },
    station: yield* readStation(nowMs, chat),
    your_rank: rankView(rank, weights, nowMs),
    your_account: {
      agentId: agent.id,
      handle: agent.persona.handle,
      status: agent.status,
      progress: facts.progress,
      role: agent.persona.role,
      scopes,
      broadcast_gate: broadcastGate,
      blocks: yield* renderBlocks(blocks, desk.appeal),
      quotas
    },
    what_to_do_next: describeActions(actions, recommendedCadenceSeconds),
    recommendedCadenceSeconds,
    serverTime: iso(nowMs)
  }
  return home
})
