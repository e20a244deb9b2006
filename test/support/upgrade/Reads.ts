import { call } from "../../../bench/instruments/clients/Stranger.ts"
import type { Known } from "./Fixture.ts"

type Asking = { readonly bearer?: string; readonly headers?: Record<string, string> }

/** Reads and their callers: all content of a filled station. */
export const readsOf = ({
  accounts,
  agents,
  ids,
  listenerTokens,
  operatorToken,
  readerToken
}: Pick<Known, "accounts" | "agents" | "ids" | "listenerTokens" | "operatorToken" | "readerToken">): Record<
  string,
  readonly [path: string, asking: Asking]
> => {
  const [host, guest, rotated] = [agents.host.key, agents.guest.key, agents.rotated.key].map((bearer) => ({
    bearer
  })) as [Asking, Asking, Asking]
  const ops = { bearer: operatorToken }
  const own = "/api/v1/agents/me"
  return {
    // An agent's own desk.
    hostHome: ["/api/v1/home", host],
    guestHome: ["/api/v1/home", guest],
    rotatedHome: ["/api/v1/home", rotated],
    newcomerHome: ["/api/v1/home", { bearer: agents.newcomer.key }],
    refusedHome: ["/api/v1/home", { bearer: agents.refused.key }],
    hostSelf: [own, host],
    guestSelf: [own, guest],
    rotatedSelf: [own, rotated],
    hostRole: [`${own}/role`, host],
    rotatedRole: [`${own}/role`, rotated],
    hostVoice: [`${own}/voice`, host],
    rotatedVoice: [`${own}/voice`, rotated],
    hostAvatar: [`${own}/avatar`, host],
    hostGallery: [`${own}/gallery`, host],
    hostLiving: [`${own}/living`, host],
    hostInbox: ["/api/v1/inbox?includeHandled=true&limit=100", host],
    guestInbox: ["/api/v1/inbox?includeHandled=true&limit=100", guest],
    hostWebhooks: [`${own}/webhooks`, host],
    guestWebhooks: [`${own}/webhooks`, guest],
    hostSegments: [`${own}/segments?limit=100`, host],
    guestSegments: [`${own}/segments?limit=100`, guest],
    rotatedSegments: [`${own}/segments?limit=100`, rotated],
    newcomerSegments: [`${own}/segments?limit=100`, { bearer: agents.newcomer.key }],
    refusedSegments: [`${own}/segments?limit=100`, { bearer: agents.refused.key }],
    hostFollowers: [`${own}/followers`, host],
    hostFollowing: [`${own}/following`, host],
    hostFeed: [`${own}/feed`, host],
    hostFeedback: [`${own}/feedback`, host],
    speechUpload: [`/api/v1/media/uploads/${ids["speechUpload"]}`, host],
    musicUpload: [`/api/v1/media/uploads/${ids["musicUpload"]}`, host],
    plans: [`${own}/shows/plans`, host],
    plan: [`${own}/shows/plans/${ids["plan"]}`, host],
    draft: [`${own}/shows/plans/${ids["draft"]}`, host],
    productions: [`${own}/shows/productions`, host],
    production: [`${own}/shows/productions/${ids["production"]}`, host],
    panelProduced: [`/api/shows/sessions/${ids["panelProduced"]}`, host],
    panelWaiting: [`/api/shows/sessions/${ids["panelWaiting"]}`, host],
    panelOfGuest: [`/api/shows/sessions/${ids["panelWaiting"]}`, guest],
    // Public reads.
    hostProfile: ["/api/v1/agents/marlow", {}],
    guestProfile: ["/api/v1/agents/isolde", {}],
    suspendedProfile: ["/api/v1/agents/skua", guest],
    hostOwner: ["/api/v1/agents/marlow/owner", {}],
    human: ["/api/v1/humans/the-keeper", {}],
    hostPosts: ["/api/v1/agents/marlow/posts", {}],
    guestPosts: ["/api/v1/agents/isolde/posts", host],
    hostComments: ["/api/v1/agents/marlow/comments", {}],
    guestComments: ["/api/v1/agents/isolde/comments", {}],
    feed: ["/api/v1/social/feed", {}],
    replies: [`/api/v1/social/feed?parentPostId=${ids["post"]}`, {}],
    shows: ["/api/shows", {}],
    show: [`/api/shows/${ids["showSlug"]}`, {}],
    sessions: [`/api/shows/${ids["showSlug"]}/sessions`, {}],
    replays: ["/api/replays", {}],
    replay: [`/api/replays/${ids["replay"]}`, {}],
    clips: ["/api/clips", {}],
    lore: ["/api/lore?limit=100", {}],
    aired: [`/api/v1/segments/${ids["airedFirst"]}`, {}],
    slots: ["/api/v1/catalog/slots?limit=100", {}],
    topics: ["/api/v1/catalog/topics", {}],
    chat: ["/api/station/chat", {}],
    votes: [`/api/v1/tracks/${ids["track"]}/engagement`, {}],
    station: ["/api/station", {}],
    jwks: ["/.well-known/jwks.json", {}],
    // Listeners and their accounts.
    streaks: ["/api/listeners/me/streaks", { headers: { "x-listener-token": listenerTokens.listener } }],
    songRequest: ["/api/station/song-requests/status", { headers: { "x-listener-token": listenerTokens.guest } }],
    ownerAccount: ["/api/account/me", { headers: { cookie: accounts.owner.cookie } }],
    ownerAgents: ["/api/account/agents", { headers: { cookie: accounts.owner.cookie } }],
    ownerKeys: ["/api/account/provider-keys", { headers: { cookie: accounts.owner.cookie } }],
    listenerAccount: ["/api/account/me", { headers: { cookie: accounts.listener.cookie } }],
    listenerHistory: ["/api/account/listener-history?limit=100", { headers: { cookie: accounts.listener.cookie } }],
    // Operators.
    opsAgents: ["/api/ops/agents?limit=100", ops],
    opsHost: [`/api/ops/agents/${agents.host.agentId}`, ops],
    opsSuspended: [`/api/ops/agents/${agents.suspended.agentId}`, ops],
    opsPoints: [`/api/ops/agents/${agents.host.agentId}/points`, ops],
    opsUsers: ["/api/ops/users?limit=100", ops],
    opsAppKeys: ["/api/ops/app-keys", ops],
    opsReviews: ["/api/ops/reviews?limit=100", ops],
    opsReviewsApproved: ["/api/ops/reviews?status=approved&limit=100", ops],
    opsReviewsRejected: ["/api/ops/reviews?status=rejected&limit=100", ops],
    opsTrack: ["/api/ops/tracks?q=low%20water", ops],
    opsClips: ["/api/ops/clips", ops],
    opsReplays: ["/api/ops/replays", ops],
    opsShows: ["/api/ops/shows", ops],
    opsRequests: ["/api/ops/song-requests", ops],
    opsSessions: ["/api/ops/sessions", ops],
    opsMessages: ["/api/ops/messages?limit=100", ops],
    opsMail: ["/api/ops/mail", ops],
    opsChat: ["/api/ops/chat", ops],
    opsBlocks: [`/api/ops/blocks?at=${ids["lookedAt"]}`, ops],
    opsOperators: ["/api/ops/operators", ops],
    opsTokens: ["/api/ops/tokens", ops],
    opsAudit: ["/api/ops/audit?limit=100", { bearer: readerToken }]
  }
}

/** Fields that change by themselves (the time, the programme on the air, last visits, quotas, tries of a webhook), and texts of the program that describe no row. */
const volatile = new Set([
  "now",
  "serverTime",
  "clock",
  "updatedAt",
  "generatedAt",
  "asOf",
  "streamNowPlaying",
  "streamHealth",
  "quotas",
  "recommendedCadenceSeconds",
  "what_to_do_next",
  "position",
  "chatAgents",
  "lastActiveAt",
  "lastSeenAt",
  "lastUsedAt",
  "attempts",
  "lastAttemptAt",
  "nextAttemptAt",
  "eventCatalog"
])

/** Without values that change by themselves. */
export const withoutChanging = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutChanging)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !volatile.has(name))
      .map(([name, inner]) => [name, withoutChanging(inner)])
  )
}

/** All of them, sent to a running station. */
export const answersOf = async (
  base: string,
  known: Parameters<typeof readsOf>[0]
): Promise<Record<string, unknown>> => {
  const answers: Record<string, unknown> = {}
  for (const [name, [path, asking]] of Object.entries(readsOf(known)))
    answers[name] = withoutChanging((await call(base, "GET", path, asking)).body)
  return answers
}

/** Lists that grow by themselves: each former entry must still be in them, at any position. */
const growing = new Set(["opsAudit.rows", "opsMail.mails", "opsReviews.items"])

/** Points grow: the first leaderboards after the start reward earlier likes. None may be lost. */
const hasGrown = (path: string, before: number, after: number): boolean =>
  /\.(rankScore|earned|balance)$/.test(path) ? after > before : path.endsWith(".pointsToNext") && after < before

/** Values that were renamed intentionally, by their position. */
const renamed: ReadonlyArray<readonly [place: RegExp, names: Readonly<Record<string, string>>]> = [
  [/^topics\..*\.metadata\.source$/, { agent: "agent_suggested", operator: "station_seed" }]
]
/** Positions with other content since: an action's body is no longer a skeleton of nulls, and sentences for people are reworded. */
const restated = /^\w+Home\.actions\.\d+\.(body|detail)$|^\w+Role\.capabilities\.\d+\.reason$/
const presentNameOf = (path: string, before: unknown): unknown =>
  renamed.find(([place]) => place.test(path))?.[1][String(before)] ?? before

/**
 * Members of the former answer that are missing or different in the present one, each with its position. Additional members are
 * no loss.
 */
export const findLost = (path: string, before: unknown, after: unknown): ReadonlyArray<string> => {
  if (restated.test(path)) return []
  // An ability that the earlier version lacked may be allowed now.
  if (before === false && after === true && /^\w+Role\.capabilities\.\d+\.allowed$/.test(path)) return []
  if (typeof before === "number" && typeof after === "number" && hasGrown(path, before, after)) return []
  if (typeof before !== "object" || before === null)
    return Object.is(presentNameOf(path, before), after)
      ? []
      : [`${path}: was ${JSON.stringify(before)}, is ${JSON.stringify(after)}`]
  if (typeof after !== "object" || after === null || Array.isArray(before) !== Array.isArray(after))
    return [`${path}: was ${JSON.stringify(before).slice(0, 120)}, is ${JSON.stringify(after)}`]
  if (Array.isArray(before) && Array.isArray(after)) {
    if (growing.has(path))
      return before.flatMap((one: unknown, at) =>
        after.some((other) => findLost(path, one, other).length === 0)
          ? []
          : [`${path}.${at}: is gone: ${JSON.stringify(one).slice(0, 200)}`]
      )
    if (before.length !== after.length) return [`${path}: had ${before.length}, has ${after.length}`]
  }
  return Object.entries(before).flatMap(([name, inner]) =>
    findLost(`${path}.${name}`, inner, (after as Record<string, unknown>)[name])
  )
}
