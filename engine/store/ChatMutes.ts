import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface MuteRecord {
  readonly subjectId: string
  readonly untilMs: number
  readonly reason: string
}

/** Who may not speak in the chat, and until when. */
export class ChatMutes extends Context.Service<ChatMutes, {
  readonly set: (mute: MuteRecord & { readonly by: string; readonly atMs: number }) => Effect.Effect<void>
  readonly lift: (subjectId: string) => Effect.Effect<void>
  /** The one that ends last, of those that hold for any of these now. */
  readonly of: (subjectIds: ReadonlyArray<string>, nowMs: number) => Effect.Effect<MuteRecord | null>
}>()("longwave/engine/store/ChatMutes") {
  static readonly layer = Layer.effect(ChatMutes, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    return ChatMutes.of({
      set: ({ atMs, by, reason, subjectId, untilMs }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO chat_mutes (subject_id, until, reason, muted_by, at) VALUES (${subjectId}, ${at(untilMs)}, ${reason}, ${by}, ${at(atMs)})
        ON CONFLICT (subject_id) DO UPDATE SET until = excluded.until, reason = excluded.reason, muted_by = excluded.muted_by, at = excluded.at`)),
      lift: (subjectId) => Effect.orDie(Effect.asVoid(sql`DELETE FROM chat_mutes WHERE subject_id = ${subjectId}`)),
      of: (subjectIds, nowMs) => Effect.orDie(Effect.map(sql<MuteRecord>`
        SELECT subject_id, round(extract(epoch from until) * 1000)::float8 AS until_ms, reason FROM chat_mutes WHERE subject_id IN ${sql.in(subjectIds)} AND until > ${at(nowMs)}
        ORDER BY until DESC LIMIT 1`, ([row]) => row ?? null))
    })
  }))
}
