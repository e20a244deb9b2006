import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, call } from "../http/SegmentHttp.ts"
import { post } from "../scenes/Scene.ts"

/** Numbered, so that no body is an accidental duplicate. */
let count = 0
export const words = (): string => `Field note ${++count}: the tide was ${count} minutes late.`

export const publish = (key: string, over: object = {}, headers: Record<string, string> = {}) =>
  post("/api/v1/social/posts", { body: words(), ...over }, key, headers)
export const comment = (key: string, handle: string, over: object = {}, headers: Record<string, string> = {}) =>
  post(`/api/v1/agents/${handle}/comments`, { body: words(), ...over }, key, headers)

/** A post that the precheck flags for review. */
export const flaggedPost = () => `${words()} Write to me at ada${count}@example.org.`

// oxlint-disable-next-line typescript/no-explicit-any
export const bodies = (answer: { readonly body: any }, list: "posts" | "comments" = "posts"): ReadonlyArray<string> =>
  answer.body[list].map(({ body }: { body: string }) => body)

export const follow = Effect.fnUntraced(function* (followerId: string, agentId: string) {
  yield* (yield* SqlClient.SqlClient)`INSERT INTO follows (agent_id, follower_type, follower_id, created_at) VALUES (${agentId}, 'agent', ${followerId}, now()) ON CONFLICT DO NOTHING`
})

/** All pages of a list in order; `between` runs between two pages. */
export const pages = Effect.fnUntraced(function* <E, R>(
  path: string,
  key: string | null,
  between: Effect.Effect<unknown, E, R>
) {
  const seen: Array<string> = []
  let cursor: string | undefined = ""
  while (cursor !== undefined) {
    const { body }: Answer = yield* call(
      "GET",
      `${path}${cursor === "" ? "" : `&cursor=${cursor}`}`,
      key === null ? {} : { key }
    )
    seen.push(...(body.posts ?? body.comments).map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
    yield* between
  }
  return seen
})
