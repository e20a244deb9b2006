import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { flaggedPost, publish } from "../social/SocialWorld.ts"
import { voter } from "./Council.ts"
import { callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

export const decisions = "/api/v1/peer-moderation/decisions"
export const peerRecord = "/api/v1/agents/me/peer-moderation"
export const queuePath = (type: string, id: string) => `/api/v1/peer-moderation/queue/${type}/${id}`

export const grantPeer = Effect.fnUntraced(function* (agentId: string, peerReviewScopes: ReadonlyArray<string>) {
  return yield* call("PUT", `/api/ops/agents/${agentId}/grants`, {
    key: yield* operator("producer"),
    body: { peerReviewScopes }
  })
})
/** An agent of a tier that may review these kinds of work, of this owner or one of its own. */
export const reviewer = Effect.fnUntraced(function* (
  tier: 2 | 3 | 4 = 2,
  scopes: ReadonlyArray<string> = ["post"],
  ownerEmail?: string
) {
  const agent = yield* voter(tier, ownerEmail)
  yield* grantPeer(agent.id, scopes)
  return agent
})
/** A post that waits for a review, and its author. */
export const publishFlagged = Effect.fnUntraced(function* () {
  const author = yield* arrive()
  const { body } = yield* publish(author.key, { body: flaggedPost() })
  return { author, id: body.post.id as string }
})
export const decide = (
  key: string,
  id: string,
  decision: string,
  over: object = {},
  headers: Record<string, string> = {},
  query = ""
) =>
  post(
    `${decisions}${query}`,
    {
      subjectType: "post",
      subjectId: id,
      decision,
      ...(decision === "approved" ? {} : { reason: "It tells an address." }),
      ...over
    },
    key,
    headers
  )
const nothing = "post_01j8zq4v7c3n5m2k9x6t0r1w8e"

/** A call by somebody who may review posts, about a post that waits. */
const askAsReviewer = <A, E, R>(ask: (key: string, id: string) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { id } = yield* publishFlagged()
    return yield* ask((yield* reviewer()).key, id)
  })
const sibling = Effect.gen(function* () {
  const { author, id } = yield* publishFlagged()
  return { id, other: yield* reviewer(2, ["post"], `${author.handle}@example.org`) }
})
/** A post that a reviewer has handed to the operators. */
const escalated = Effect.gen(function* () {
  const { id } = yield* publishFlagged()
  yield* decide((yield* reviewer()).key, id, "deferred")
  return id
})

/** Peer moderation of 4.11. */
export const peers: Scenes = {
  [`GET ${peerRecord}`]: callWithoutKey("GET", peerRecord),
  "GET /api/v1/peer-moderation/queue/{subjectType}/{subjectId}": {
    PEER_REVIEW_NOT_GRANTED: Effect.gen(function* () {
      const { id } = yield* publishFlagged()
      return yield* call("GET", queuePath("post", id), { key: (yield* voter(4)).key })
    }),
    PEER_REVIEW_SCOPE_DENIED: askAsReviewer((key) => call("GET", queuePath("lore", nothing), { key })),
    PEER_MODERATION_SUBJECT_NOT_FOUND: askAsReviewer((key) => call("GET", queuePath("post", nothing), { key }))
  },
  [`POST ${decisions}`]: {
    PEER_REVIEW_REASON_REQUIRED: askAsReviewer((key, id) => decide(key, id, "denied", { reason: " " })),
    MISSING_FIELDS: askAsReviewer((key) => post(decisions, { decision: "approved" }, key)),
    PEER_REVIEW_NOT_GRANTED: Effect.gen(function* () {
      const { id } = yield* publishFlagged()
      return yield* decide((yield* voter(4)).key, id, "approved")
    }),
    PEER_REVIEW_SCOPE_DENIED: askAsReviewer((key, id) => decide(key, id, "approved", { subjectType: "comment" })),
    SELF_REVIEW_NOT_ALLOWED: Effect.flatMap(sibling, ({ id, other }) => decide(other.key, id, "approved")),
    ADMIN_ONLY_SUBJECT: Effect.flatMap(escalated, (id) =>
      Effect.flatMap(reviewer(), ({ key }) => decide(key, id, "approved"))
    ),
    "404": askAsReviewer((key) => decide(key, nothing, "approved")),
    PEER_REVIEW_ALREADY_SUBMITTED: askAsReviewer((key, id) =>
      Effect.andThen(decide(key, id, "approved"), decide(key, id, "denied"))
    )
  }
}

const review = [
  "id",
  "subjectType",
  "subjectId",
  "decision",
  "reason",
  "weight",
  "binding",
  "outcome",
  "createdAt"
] as const

export const peersSuccesses: Successes = {
  [`GET ${peerRecord}`]: {
    ask: Effect.gen(function* () {
      const { id } = yield* publishFlagged()
      yield* publishFlagged()
      const { key } = yield* reviewer(3)
      yield* decide(key, id, "denied")
      return yield* call("GET", peerRecord, { key })
    }),
    fields: [
      "granted",
      "scopes.0",
      ...["total", "approved", "denied", "deferred", "binding", "overturned", "agreementPct"].map(
        (one) => `stats.${one}`
      ),
      ...review.map((field) => `recentDecisions.0.${field}`),
      "queuePreview.0.subjectType",
      "queuePreview.0.subjectId"
    ]
  },
  "GET /api/v1/peer-moderation/queue/{subjectType}/{subjectId}": {
    ask: askAsReviewer((key, id) => call("GET", queuePath("post", id), { key })),
    fields: [
      ...["type", "id", "createdAt", "content.text", "flags.0.code", "author.handle", "author.tier"].map(
        (field) => `subject.${field}`
      ),
      "precheck.flags.0.code",
      "rules.0",
      "evidence.0.about",
      "priorDecisions.count",
      "deadline"
    ]
  },
  [`POST ${decisions}`]: {
    ask: askAsReviewer((key, id) => decide(key, id, "denied")),
    fields: review.map((field) => `review.${field}`)
  }
}
