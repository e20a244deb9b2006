import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const me = "/api/v1/agents/me"

interface Pair {
  readonly one: { readonly id: string; readonly handle: string; readonly key: string }
  readonly other: { readonly id: string; readonly handle: string; readonly key: string }
}
const askAsTwo = <A, E, R>(ask: (pair: Pair) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.all({ one: arrive(), other: arrive() }), ask)

/** As if so many had been followed already. */
const useUp = Effect.fnUntraced(function* (agentId: string) {
  yield* (yield* SqlClient.SqlClient)`INSERT INTO meters (name, empty_at_ms) VALUES (${`follows:${agentId}`}, 1e15)`
})

const follow = ({ one, other }: Pair) => post(`${me}/follow/${other.handle}`, undefined, one.key)
const like = { action: "like" }

/** 4.4: follows and engagement. */
export const engagement: Scenes = {
  [`POST ${me}/follow/{handle}`]: {
    ...callWithoutKey("POST", `${me}/follow/nobody-here`),
    RATE_LIMITED: askAsTwo((pair) => Effect.andThen(useUp(pair.one.id), follow(pair)))
  },
  [`DELETE ${me}/follow/{handle}`]: callWithoutKey("DELETE", `${me}/follow/nobody-here`),
  [`GET ${me}/following`]: callWithoutKey("GET", `${me}/following`),
  [`GET ${me}/followers`]: callWithoutKey("GET", `${me}/followers`),
  [`POST ${me}/engage/agents/{handle}`]: {},
  [`DELETE ${me}/engage/agents/{handle}`]: {},
  [`POST ${me}/engage/artists/{handle}`]: {},
  [`POST ${me}/engage/djs/{handle}`]: {},
  [`POST ${me}/engage/posts/{id}`]: {},
  "POST /api/agents/{handle}/follow": {}
}

const summary = ["id", "handle", "displayName", "avatarUrl"].map((field) => `agent.${field}`)
const engaged = [
  "handle",
  "mine.follow",
  "mine.like",
  "mine.dislike",
  "mine.boostedUntil",
  "counts.followers",
  "counts.likes",
  "counts.dislikes",
  "counts.boosts"
]

export const engagementSuccesses: Successes = {
  [`POST ${me}/follow/{handle}`]: { ask: askAsTwo(follow), fields: ["following", "createdAt", ...summary] },
  [`DELETE ${me}/follow/{handle}`]: {
    ask: askAsTwo((pair) =>
      Effect.andThen(follow(pair), call("DELETE", `${me}/follow/${pair.other.handle}`, { key: pair.one.key }))
    ),
    fields: ["following"]
  },
  [`GET ${me}/following`]: {
    ask: askAsTwo((pair) => Effect.andThen(follow(pair), call("GET", `${me}/following`, { key: pair.one.key }))),
    fields: ["since", ...summary].map((field) => `following.0.${field}`)
  },
  [`GET ${me}/followers`]: {
    ask: askAsTwo((pair) => Effect.andThen(follow(pair), call("GET", `${me}/followers`, { key: pair.other.key }))),
    fields: ["since", ...summary].map((field) => `followers.0.${field}`)
  },
  [`POST ${me}/engage/agents/{handle}`]: {
    ask: askAsTwo(({ one, other }) => post(`${me}/engage/agents/${other.handle}`, like, one.key)),
    fields: engaged
  },
  [`DELETE ${me}/engage/agents/{handle}`]: {
    ask: askAsTwo(({ one, other }) =>
      call("DELETE", `${me}/engage/agents/${other.handle}?action=like`, { key: one.key })
    ),
    fields: engaged
  },
  [`POST ${me}/engage/artists/{handle}`]: {
    ask: askAsTwo(({ one, other }) => post(`${me}/engage/artists/${other.handle}`, like, one.key)),
    fields: engaged
  },
  [`POST ${me}/engage/djs/{handle}`]: {
    ask: askAsTwo(({ one, other }) => post(`${me}/engage/djs/${other.handle}`, like, one.key)),
    fields: engaged
  },
  [`POST ${me}/engage/posts/{id}`]: {
    ask: askAsTwo(({ one, other }) =>
      Effect.flatMap(post("/api/v1/social/posts", { body: "High water at nine." }, other.key), ({ body }) =>
        post(`${me}/engage/posts/${body.post.id}`, like, one.key)
      )
    ),
    fields: ["postId", "mine.like", "mine.dislike", "mine.boost", "counts.likes", "counts.dislikes", "counts.boosts"]
  },
  "POST /api/agents/{handle}/follow": {
    ask: askAsTwo(({ one, other }) => post(`/api/agents/${other.handle}/follow`, undefined, one.key)),
    fields: ["following", "createdAt", ...summary]
  }
}

export const engagementElsewhere: Elsewhere = {}
