import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import { Voice } from "../../schema/Voice.ts"

/** A voice and who speaks with it. */
export interface ListedVoice {
  readonly voice: Voice
  readonly claimedBy: AgentId | null
}

const decode = Schema.decodeUnknownSync(Voice)
const listed = (row: { readonly entry: unknown; readonly agentId: AgentId | null }): ListedVoice => ({ voice: decode(row.entry), claimedBy: row.agentId })

/** The catalog of voices: reads for everybody, filled at start from what the speech engines offer. */
export class Voices extends Context.Service<Voices, {
  /** Makes the catalog say what the engines say now. A voice they no longer offer stays with its agent, unlisted. */
  readonly replaceCatalog: (voices: ReadonlyArray<Voice>) => Effect.Effect<void>
  /** In the catalog's order, without those reserved for shows. */
  readonly list: Effect.Effect<ReadonlyArray<ListedVoice>>
  readonly find: (voiceId: string) => Effect.Effect<ListedVoice | null>
  /** The voice an agent speaks with: its own, or the one that all share who have none. */
  readonly ofAgent: (agentId: AgentId) => Effect.Effect<{ readonly voice: Voice; readonly kind: "unique" | "shared_default" } | null>
  /** False when somebody else was first. Claiming another releases the former. */
  readonly claim: (voiceId: string, agentId: AgentId, atMs: number) => Effect.Effect<boolean>
  readonly release: (agentId: AgentId) => Effect.Effect<void>
}>()("longwave/engine/store/Voices") {
  static readonly layer = Layer.effect(Voices, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    type Row = { readonly entry: unknown; readonly agentId: AgentId | null }
    const select = sql.literal("SELECT v.entry, c.agent_id FROM voices v LEFT JOIN voice_claims c ON c.voice_id = v.voice_id")
    const first = <E>(rows: Effect.Effect<ReadonlyArray<Row>, E>) => Effect.map(rows, (found) => found[0] === undefined ? null : listed(found[0]))
    const catalog = Effect.map(sql<Row>`${select} WHERE v.listed ORDER BY v.sort_order`, (rows) => rows.map(listed).filter(({ voice }) => !voice.reserved))
    return Voices.of({
      replaceCatalog: (voices) => Effect.gen(function*() {
        for (const [order, voice] of voices.entries()) {
          yield* sql`
            INSERT INTO voices (voice_id, sort_order, listed, entry) VALUES (${voice.voiceId}, ${order}, true, ${JSON.stringify(voice)}::text::jsonb)
            ON CONFLICT (voice_id) DO UPDATE SET sort_order = excluded.sort_order, listed = true, entry = excluded.entry`
        }
        if (voices.length > 0) yield* sql`UPDATE voices SET listed = false WHERE voice_id NOT IN ${sql.in(voices.map(({ voiceId }) => voiceId))}`
      }).pipe(sql.withTransaction, Effect.orDie),
      list: Effect.orDie(catalog),
      find: (voiceId) => Effect.orDie(Effect.map(first(sql<Row>`${select} WHERE v.voice_id = ${voiceId} AND v.listed`), (found) => found?.voice.reserved === true ? null : found)),
      ofAgent: Effect.fn("Voices.ofAgent")(function*(agentId) {
        const own = yield* first(sql<Row>`${select} WHERE c.agent_id = ${agentId}`)
        if (own !== null) return { voice: own.voice, kind: "unique" as const }
        const all = yield* catalog
        const shared = all.find(({ voice }) => !voice.claimable) ?? all.find(({ claimedBy }) => claimedBy === null) ?? all[0]
        return shared === undefined ? null : { voice: shared.voice, kind: "shared_default" as const }
      }, Effect.orDie),
      claim: (voiceId, agentId, atMs) => Effect.gen(function*() {
        const holder = yield* sql<{ agentId: AgentId }>`SELECT agent_id FROM voice_claims WHERE voice_id = ${voiceId}`
        if (holder[0] !== undefined) return holder[0].agentId === agentId
        yield* sql`DELETE FROM voice_claims WHERE agent_id = ${agentId}`
        const rows = yield* sql`
          INSERT INTO voice_claims (voice_id, agent_id, claimed_at) VALUES (${voiceId}, ${agentId}, to_timestamp(${atMs}::float8 / 1000)) ON CONFLICT DO NOTHING RETURNING voice_id`
        return rows.length === 1
      }).pipe(sql.withTransaction, Effect.orDie),
      release: (agentId) => Effect.orDie(Effect.asVoid(sql`DELETE FROM voice_claims WHERE agent_id = ${agentId}`))
    })
  }))
}
