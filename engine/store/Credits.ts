import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { aListener } from "../../schema/Interaction.ts"

export interface Credit {
  /** The item of the rundown, or the segment, that is heard. */
  readonly subjectId: string
  readonly label: string
  /** The request or interaction that it comes from. */
  readonly sourceId: string
  readonly humanId: string | null
}

/** Whose name stands beside what is heard. Whoever places something for a listener says it here, once; nobody else needs to ask how. */
export class Credits extends Context.Service<Credits, {
  /** Said again, the latest stands. */
  readonly give: (credit: Credit) => Effect.Effect<void>
  /** Of those of them that have one. What answers a listener's message has the message's. */
  readonly labels: (subjectIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
  /** Who is erased is a listener like any other from then on. */
  readonly forget: (humanId: string) => Effect.Effect<void>
}>()("longwave/engine/store/Credits") {
  static readonly layer = Layer.effect(Credits, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Credits.of({
      give: ({ humanId, label, sourceId, subjectId }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO listener_credits (subject_id, label, source_id, human_id) VALUES (${subjectId}, ${label}, ${sourceId}, ${humanId})
        ON CONFLICT (subject_id) DO UPDATE SET label = excluded.label, source_id = excluded.source_id, human_id = excluded.human_id`)),
      labels: (subjectIds) => subjectIds.length === 0 ? Effect.succeed(new Map()) : Effect.orDie(Effect.map(
        sql<{ subjectId: string; label: string }>`
          SELECT segment_id AS subject_id, listener_label AS label FROM interactions WHERE segment_id IN ${sql.in(subjectIds)}
          UNION ALL SELECT subject_id, label FROM listener_credits WHERE subject_id IN ${sql.in(subjectIds)}`,
        (rows) => new Map(rows.map(({ label, subjectId }) => [subjectId, label]))
      )),
      forget: (humanId) => Effect.orDie(Effect.asVoid(sql`UPDATE listener_credits SET label = ${aListener}, human_id = NULL WHERE human_id = ${humanId}`))
    })
  }))
}
