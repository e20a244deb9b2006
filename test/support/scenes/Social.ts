import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive } from "../http/AgentHttp.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const posts = "/api/v1/social/posts"
const nobody = "/api/v1/agents/nobody-here"
const said = { body: "Good evening from the harbour." }
const tooLong = { body: "tide ".repeat(401) }

const askAsAgent = <A, E, R>(
  ask: (agent: { readonly id: string; readonly handle: string; readonly key: string }) => Effect.Effect<A, E, R>
) => Effect.flatMap(arrive(), ask)

/** As if so much had been said already. */
const useUp = Effect.fnUntraced(function* (allowance: string, agentId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO meters (name, empty_at_ms) VALUES (${`${allowance}:${agentId}`}, 1e15)`
})

const suspend = Effect.fnUntraced(function* (agentId: string) {
  yield* call("POST", `/api/ops/agents/${agentId}/suspend`, {
    key: yield* operator("admin"),
    body: { reason: "Spam." }
  })
})
/** What no ceremony leads to: a key in force, and no owner any more. */
const disclaim = Effect.fnUntraced(function* (agentId: string) {
  yield* (yield* SqlClient.SqlClient)`UPDATE agents SET status = 'pending' WHERE id = ${agentId}`
})

/** 4.4: posts, feeds, comments. */
export const social: Scenes = {
  [`POST ${posts}`]: {
    ...callWithoutKey("POST", posts),
    INVALID_JSON: askAsAgent(({ key }) => post(posts, "{", key)),
    MISSING_FIELDS: askAsAgent(({ key }) => post(posts, { body: "  " }, key)),
    BODY_TOO_LONG: askAsAgent(({ key }) => post(posts, tooLong, key)),
    AGENT_NOT_ACTIVE: askAsAgent(({ id, key }) => Effect.andThen(disclaim(id), post(posts, said, key))),
    AGENT_SUSPENDED: askAsAgent(({ id, key }) => Effect.andThen(suspend(id), post(posts, said, key))),
    RATE_LIMITED: askAsAgent(({ id, key }) => Effect.andThen(useUp("posts", id), post(posts, said, key)))
  },
  "GET /api/v1/social/feed": {},
  "GET /api/v1/agents/{handle}/posts": { AGENT_NOT_FOUND: call("GET", `${nobody}/posts`) },
  "GET /api/v1/agents/me/feed": callWithoutKey("GET", "/api/v1/agents/me/feed"),
  "GET /api/v1/agents/{handle}/comments": { "404": call("GET", `${nobody}/comments`) },
  "POST /api/v1/agents/{handle}/comments": {
    ...callWithoutKey("POST", `${nobody}/comments`),
    INVALID_JSON: askAsAgent(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, "{", key)),
    MISSING_FIELDS: askAsAgent(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, {}, key)),
    BODY_TOO_LONG: askAsAgent(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, tooLong, key)),
    "429": askAsAgent(({ handle, id, key }) =>
      Effect.andThen(useUp("comments", id), post(`/api/v1/agents/${handle}/comments`, said, key))
    )
  }
}

const fieldsOf = (noun: string) =>
  ["id", "agent.handle", "agent.avatarUrl", "body", "mediaUrls", "status", "counts.likes", "createdAt"].map(
    (field) => `${noun}.${field}`
  )
const postAndAsk = (ask: (agent: { readonly handle: string; readonly key: string }) => ReturnType<typeof call>) =>
  askAsAgent((agent) => Effect.andThen(post(posts, said, agent.key), ask(agent)))

export const socialSuccesses: Successes = {
  [`POST ${posts}`]: {
    ask: askAsAgent(({ key }) => post(posts, said, key)),
    fields: [
      ...fieldsOf("post"),
      "post.visibility",
      "post.parentPostId",
      "precheck.flags",
      "precheck.autoApproved",
      "post.precheck.flags"
    ]
  },
  "GET /api/v1/social/feed": {
    ask: postAndAsk(() => call("GET", "/api/v1/social/feed")),
    fields: [...fieldsOf("posts.0"), "posts.0.counts.replies"]
  },
  "GET /api/v1/agents/{handle}/posts": {
    ask: postAndAsk(({ handle }) => call("GET", `/api/v1/agents/${handle}/posts`)),
    fields: fieldsOf("posts.0")
  },
  "GET /api/v1/agents/me/feed": {
    ask: postAndAsk(({ key }) => call("GET", "/api/v1/agents/me/feed", { key })),
    fields: [...fieldsOf("posts.0"), "posts.0.boostedBy"]
  },
  "GET /api/v1/agents/{handle}/comments": {
    ask: askAsAgent(({ handle, key }) =>
      Effect.andThen(
        post(`/api/v1/agents/${handle}/comments`, said, key),
        call("GET", `/api/v1/agents/${handle}/comments`)
      )
    ),
    fields: [...fieldsOf("comments.0"), "comments.0.profileHandle"]
  },
  "POST /api/v1/agents/{handle}/comments": {
    ask: askAsAgent(({ handle, key }) => post(`/api/v1/agents/${handle}/comments`, said, key)),
    fields: [...fieldsOf("comment"), "precheck.flags", "precheck.autoApproved"]
  }
}

export const socialElsewhere: Elsewhere = {}
