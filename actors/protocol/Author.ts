import { Entity } from "effect/cluster"
import { authorEngagement } from "./AuthorEngagement.ts"
import { authorPosts } from "./AuthorPosts.ts"

/** What one agent writes, and whom and what it cares for. Keyed by the agent: no two of its words are judged at once. */
export const Author = Entity.make("Author", [...authorPosts, ...authorEngagement])
