import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { aListener } from "../../../schema/listeners/Message.ts"
import { rows, run } from "../sql/rows.ts"

export interface Credit {
  /** The rundown item or segment that airs. */
  readonly subjectId: string
  readonly label: string
  /** The request or interaction it comes from. */
  readonly sourceId: string
  readonly humanId: string | null
}
const labelRows = rows(Schema.Struct({ subjectId: Schema.String, label: Schema.String }))

/** Listener names shown with aired items. Whatever places an item for a listener writes its credit once. */
export class ListenerCreditsWriter extends Context.Service<ListenerCreditsWriter>()(
  "longwave/engine/store/ListenerCreditsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        /** The last write wins. */
        give: ({ humanId, label, sourceId, subjectId }: Credit) =>
          run(sql`
        INSERT INTO listener_credits (subject_id, label, source_id, human_id) VALUES (${subjectId}, ${label}, ${sourceId}, ${humanId})
        ON CONFLICT (subject_id) DO UPDATE SET label = excluded.label, source_id = excluded.source_id, human_id = excluded.human_id`),
        /** By subject; subjects without a credit are left out. An answer to a listener's message has the message's credit. */
        labels: (subjectIds: ReadonlyArray<string>) =>
          subjectIds.length === 0
            ? Effect.succeed(new Map())
            : Effect.map(
                labelRows(sql`
          SELECT segment_id AS subject_id, listener_label AS label FROM interactions WHERE segment_id IN ${sql.in(subjectIds)}
          UNION ALL SELECT subject_id, label FROM listener_credits WHERE subject_id IN ${sql.in(subjectIds)}`),
                (found) => new Map(found.map(({ label, subjectId }) => [subjectId, label]))
              ),
        /** After erasure the person's credits read "a listener". */
        forget: (humanId: string) =>
          run(sql`UPDATE listener_credits SET label = ${aListener}, human_id = NULL WHERE human_id = ${humanId}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class ListenerCredits extends Context.Service<
  ListenerCredits,
  Pick<ListenerCreditsWriter["Service"], "labels">
>()("longwave/engine/store/ListenerCredits") {
  static readonly layer = Layer.effect(this, ListenerCreditsWriter).pipe(
    Layer.provideMerge(ListenerCreditsWriter.layer)
  )
}
