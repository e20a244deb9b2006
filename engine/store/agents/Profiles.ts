import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../../schema/Ids.ts"
import { ProfileReview } from "../../../schema/agents/Profile.ts"
import { ReviewStatus } from "../../../schema/moderation/Review.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { ms } from "../sql/instants.ts"
import { row, run } from "../sql/rows.ts"

const waitingText = row(
  Schema.Struct({
    former: Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)])))
  })
)
const review = row(
  Schema.Struct({
    status: ReviewStatus,
    title: Schema.NullOr(Schema.String),
    reason: Schema.NullOr(Schema.String),
    decidedAtMs: Schema.NullOr(Schema.Finite),
    createdAtMs: Schema.Finite
  })
)

/** Profile texts from before a flagged change, and results of profile reviews. */
export class ProfilesWriter extends Context.Service<ProfilesWriter>()("longwave/engine/store/ProfilesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** By field: the value to restore if the current text is rejected. */
      findWaiting: (agentId: AgentId) =>
        Effect.map(
          waitingText(sql`SELECT former FROM profile_waiting WHERE agent_id = ${agentId}`),
          (found) => found?.former ?? {}
        ),
      saveWaiting: (agentId: AgentId, former: { readonly [field: string]: unknown }) =>
        run(
          Object.keys(former).length === 0
            ? sql`DELETE FROM profile_waiting WHERE agent_id = ${agentId}`
            : sql`
          INSERT INTO profile_waiting (agent_id, former) VALUES (${agentId}, ${JSON.stringify(former)}::text::jsonb)
          ON CONFLICT (agent_id) DO UPDATE SET former = excluded.former`
        ),
      findLastReview: (agentId: AgentId) =>
        Effect.map(
          review(sql`
        SELECT status, title, reason, ${ms("decided_at")} AS decided_at_ms, ${ms("created_at")} AS created_at_ms
        FROM reviews WHERE agent_id = ${agentId} AND kind = 'profile' AND status <> 'withdrawn' ORDER BY created_at DESC LIMIT 1`),
          (found) =>
            found === null
              ? null
              : ProfileReview.make({
                  status: found.status,
                  fields: found.title?.split(", ") ?? [],
                  reason: found.reason,
                  decidedAt: isoOrNull(found.decidedAtMs),
                  createdAt: iso(found.createdAtMs)
                })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Profiles extends Context.Service<
  Profiles,
  Pick<ProfilesWriter["Service"], "findWaiting" | "findLastReview">
>()("longwave/engine/store/Profiles") {
  static readonly layer = Layer.effect(this, ProfilesWriter).pipe(Layer.provideMerge(ProfilesWriter.layer))
}
