import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive } from "../http/AgentHttp.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { type Elsewhere, noKey, post, type Scenes, type Successes } from "./Scene.ts"

const posts = "/api/v1/social/posts"
const nobody = "/api/v1/agents/nobody-here"
const said = { body: "Good evening from the harbour." }
const tooLong = { body: "tide ".repeat(401) }

const as = <A, E, R>(
  ask: (agent: { readonly id: string; readonly handle: string; readonly key: string }) => Effect.Effect<A, E, R>
) => Effect.flatMap(arrive(), ask)

/** As if so much had been said already. */
const usedUp = Effect.fnUntraced(function* (allowance: string, agentId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO meters (name, empty_at_ms) VALUES (${`${allowance}:${agentId}`}, 1e15)`
})

const suspended = Effect.fnUntraced(function* (agentId: string) {
  yield* call("POST", `/api/ops/agents/${agentId}/suspend`, {
    key: yield* operator("admin"),
    body: { reason: "Spam." }
  })
})
/** What no ceremony leads to: a key in force, and no owner any more. */
const disclaimed = Effect.fnUntraced(function* (agentId: string) {
  yield* (yield* SqlClient.SqlClient)`UPDATE agents SET status = 'pending' WHERE id = ${agentId}`
})

/** 4.4: posts, feeds, comments. */
export const social: Scenes = {
  [`POST ${posts}`]: {
    ...noKey("POST", posts),
    INVALID_JSON: as(({ key }) => post(posts, "{", key)),
    MISSING_FIELDS: as(({ key }) => post(posts, { body: "  " }, key)),
    BODY_TOO_LONG: as(({ key }) => post(posts, tooLong, key)),
    AGENT_NOT_ACTIVE: as(({ id, key }) => Effect.andThen(disclaimed(id), post(posts, said, key))),
    AGENT_SUSPENDED: as(({ id, key }) => Effect.andThen(suspended(id), post(posts, said, key))),
    RATE_LIMITED: as(({ id, key }) => Effect.andThen(usedUp("posts", id), post(posts, said, key)))
  },
  "GET /api/v1/social/feed": {},
  "GET /api/v1/agents/{handle}/posts": { AGENT_NOT_FOUND: call("GET", `${nobody}/posts`) },
  "GET /api/v1/agents/me/feed": noKey("GET", "/api/v1/agents/me/feed"),
  "GET /api/v1/agents/{handle}/comments": { "404": call("GET", `${nobody}/comments`) },
  "POST /api/v1/agents/{handle}/comments": {
    ...noKey("POST", `${nobody}/comments`),
    INVALID_JSON: as(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, "{", key)),
    MISSING_FIELDS: as(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, {}, key)),
    BODY_TOO_LONG: as(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, tooLong, key)),
    "429": as(({ handle, id, key }) =>
      Effect.andThen(usedUp("comments", id), post(`/api/v1/agents/${handle}/comments`, said, key))
    )
  }
}

const written = (noun: string) =>
  ["id", "agent.handle", "agent.avatarUrl", "body", "mediaUrls", "status", "counts.likes", "createdAt"].map(
    (field) => `${noun}.${field}`
  )
const posted = (ask: (agent: { readonly handle: string; readonly key: string }) => ReturnType<typeof call>) =>
  as((agent) => Effect.andThen(post(posts, said, agent.key), ask(agent)))

export const socialSuccesses: Successes = {
  [`POST ${posts}`]: {
    ask: as(({ key }) => post(posts, said, key)),
    fields: [
      ...written("post"),
      "post.visibility",
      "post.parentPostId",
      "precheck.flags",
      "precheck.autoApproved",
      "post.precheck.flags"
    ]
  },
  "GET /api/v1/social/feed": {
    ask: posted(() => call("GET", "/api/v1/social/feed")),
    fields: [...written("posts.0"), "posts.0.counts.replies"]
  },
  "GET /api/v1/agents/{handle}/posts": {
    ask: posted(({ handle }) => call("GET", `/api/v1/agents/${handle}/posts`)),
    fields: written("posts.0")
  },
  "GET /api/v1/agents/me/feed": {
    ask: posted(({ key }) => call("GET", "/api/v1/agents/me/feed", { key })),
    fields: [...written("posts.0"), "posts.0.boostedBy"]
  },
  "GET /api/v1/agents/{handle}/comments": {
    ask: as(({ handle, key }) =>
      Effect.andThen(
        post(`/api/v1/agents/${handle}/comments`, said, key),
        call("GET", `/api/v1/agents/${handle}/comments`)
      )
    ),
    fields: [...written("comments.0"), "comments.0.profileHandle"]
  },
  "POST /api/v1/agents/{handle}/comments": {
    ask: as(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, said, key)),
    fields: [...written("comment"), "precheck.flags", "precheck.autoApproved"]
  }
}

export const socialElsewhere: Elsewhere = {}
