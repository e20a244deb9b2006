import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { aListener } from "../../../schema/listeners/Message.ts"
import { rows, run } from "../sql/rows.ts"

export interface Credit {
  /** The item of the rundown, or the segment, that is heard. */
  readonly subjectId: string
  readonly label: string
  /** The request or interaction that it comes from. */
  readonly sourceId: string
  readonly humanId: string | null
}
const labelled = rows(Schema.Struct({ subjectId: Schema.String, label: Schema.String }))

/** Whose name stands beside what is heard. Whoever places something for a listener says it here, once; nobody else needs to ask how. */
export class ListenerCreditsWriter extends Context.Service<ListenerCreditsWriter>()(
  "longwave/engine/store/ListenerCreditsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        /** Said again, the latest stands. */
        give: ({ humanId, label, sourceId, subjectId }: Credit) =>
          run(sql`
        INSERT INTO listener_credits (subject_id, label, source_id, human_id) VALUES (${subjectId}, ${label}, ${sourceId}, ${humanId})
        ON CONFLICT (subject_id) DO UPDATE SET label = excluded.label, source_id = excluded.source_id, human_id = excluded.human_id`),
        /** Of those of them that have one. What answers a listener's message has the message's. */
        labels: (subjectIds: ReadonlyArray<string>) =>
          subjectIds.length === 0
            ? Effect.succeed(new Map())
            : Effect.map(
                labelled(sql`
          SELECT segment_id AS subject_id, listener_label AS label FROM interactions WHERE segment_id IN ${sql.in(subjectIds)}
          UNION ALL SELECT subject_id, label FROM listener_credits WHERE subject_id IN ${sql.in(subjectIds)}`),
                (found) => new Map(found.map(({ label, subjectId }) => [subjectId, label]))
              ),
        /** Who is erased is a listener like any other from then on. */
        forget: (humanId: string) =>
          run(sql`UPDATE listener_credits SET label = ${aListener}, human_id = NULL WHERE human_id = ${humanId}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

/** What everybody may read there. */
export class ListenerCredits extends Context.Service<
  ListenerCredits,
  Pick<ListenerCreditsWriter["Service"], "labels">
>()("longwave/engine/store/ListenerCredits") {
  static readonly layer = Layer.effect(this, ListenerCreditsWriter).pipe(
    Layer.provideMerge(ListenerCreditsWriter.layer)
  )
}
