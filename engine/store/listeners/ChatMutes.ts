import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { at, ms } from "../sql/instants.ts"
import { row, run } from "../sql/rows.ts"

const MuteRecord = Schema.Struct({ subjectId: Schema.String, untilMs: Schema.Finite, reason: Schema.String })
export type MuteRecord = typeof MuteRecord.Type

const mute = row(MuteRecord)

/** Mutes in the chat and their ends. */
export class ChatMutesWriter extends Context.Service<ChatMutesWriter>()("longwave/engine/store/ChatMutesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      set: ({ atMs, by, reason, subjectId, untilMs }: MuteRecord & { readonly by: string; readonly atMs: number }) =>
        run(sql`
        INSERT INTO chat_mutes (subject_id, until, reason, muted_by, at) VALUES (${subjectId}, ${at(untilMs)}, ${reason}, ${by}, ${at(atMs)})
        ON CONFLICT (subject_id) DO UPDATE SET until = excluded.until, reason = excluded.reason, muted_by = excluded.muted_by, at = excluded.at`),
      lift: (subjectId: string) => run(sql`DELETE FROM chat_mutes WHERE subject_id = ${subjectId}`),
      /** The active mute that ends last, over all these subjects. */
      find: (subjectIds: ReadonlyArray<string>, nowMs: number) =>
        mute(sql`
        SELECT subject_id, ${ms("until")} AS until_ms, reason FROM chat_mutes WHERE subject_id IN ${sql.in(subjectIds)} AND until > ${at(nowMs)}
        ORDER BY until DESC LIMIT 1`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class ChatMutes extends Context.Service<ChatMutes, Pick<ChatMutesWriter["Service"], "find">>()(
  "longwave/engine/store/ChatMutes"
) {
  static readonly layer = Layer.effect(this, ChatMutesWriter).pipe(Layer.provideMerge(ChatMutesWriter.layer))
}
