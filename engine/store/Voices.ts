import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import { Voice, VoiceChanges } from "../../schema/Voice.ts"

/** A voice as it is in service, and who speaks with it. */
export interface ListedVoice {
  readonly voice: Voice
  readonly claimedBy: AgentId | null
  /** Of whoever claimed it. */
  readonly handle: string | null
}

/** A voice as operators see it. */
export interface KnownVoice extends ListedVoice {
  /** Before anybody decided anything about it. */
  readonly offered: Voice
  readonly changes: VoiceChanges
  /** By operators, not by an engine. */
  readonly made: boolean
  readonly listed: boolean
}

interface Row {
  readonly entry: unknown
  readonly changes: unknown
  readonly made: boolean
  readonly listed: boolean
  readonly agentId: AgentId | null
  readonly handle: string | null
}

const decodeVoice = Schema.decodeUnknownSync(Voice)
const decodeChanges = Schema.decodeUnknownSync(VoiceChanges)

/** What an engine offers, with what operators decided on top of it. A voice that is kept for the shows is nobody's to claim. */
const inService = (voice: Voice, { hasDeployedVoice, personaBrief = voice.personaBrief, reserved = voice.reserved, sampleLine = voice.sampleLine }: VoiceChanges): Voice =>
  Voice.make({
    ...voice, personaBrief, sampleLine, reserved, claimable: voice.claimable && !reserved,
    ...hasDeployedVoice === undefined ? {} : hasDeployedVoice
      ? { hasDeployedVoice, provider: "SPEED", engines: ["PRIMARY", "SPEED"] }
      : { hasDeployedVoice, provider: "PRIMARY", engines: ["PRIMARY"] }
  })

const known = (row: Row): KnownVoice => {
  const offered = decodeVoice(row.entry)
  const changes = decodeChanges(row.changes)
  return { voice: inService(offered, changes), offered, changes, made: row.made, listed: row.listed && changes.listed !== false, claimedBy: row.agentId, handle: row.handle }
}

/** Everybody may see it. */
const isShown = ({ listed, voice }: KnownVoice) => listed && !voice.reserved

/** The catalog of voices: filled at start from what the speech engines offer, and changed by operators, whose decisions outlive every start. */
export class Voices extends Context.Service<Voices, {
  /** Makes the catalog say what the engines say now. A voice they no longer offer stays with its agent, unlisted; those that operators made stay. */
  readonly replaceCatalog: (voices: ReadonlyArray<Voice>) => Effect.Effect<void>
  /** In the catalog's order, without those reserved for shows. */
  readonly list: Effect.Effect<ReadonlyArray<ListedVoice>>
  readonly find: (voiceId: string) => Effect.Effect<ListedVoice | null>
  /** All of them, reserved and unlisted ones too. */
  readonly all: Effect.Effect<ReadonlyArray<KnownVoice>>
  readonly known: (voiceId: string) => Effect.Effect<KnownVoice | null>
  /** As `known`, and nobody decides anything about it until the transaction has ended. */
  readonly held: (voiceId: string) => Effect.Effect<KnownVoice | null>
  /** Alone with it until the transaction has ended: nobody claims it meanwhile. */
  readonly heldAlone: (voiceId: string) => Effect.Effect<KnownVoice | null>
  /** False when there is one of this id. */
  readonly make: (voice: Voice, changes: VoiceChanges) => Effect.Effect<boolean>
  readonly change: (voiceId: string, changes: VoiceChanges) => Effect.Effect<void>
  /** The voice an agent speaks with: its own, or the one that all share who have none. */
  readonly ofAgent: (agentId: AgentId) => Effect.Effect<{
    readonly voice: Voice
    readonly kind: "unique" | "shared_default"
    /** What speaks where no engine is asked for: PRIMARY for those who chose its care. */
    readonly preferred: "PRIMARY" | null
  } | null>
  /** What agents speak with that have no voice of their own. */
  readonly shared: Effect.Effect<Voice | null>
  /** Claiming another releases the former. False when somebody else was first: the caller's transaction has to fail then, or the former is lost. */
  readonly claim: (voiceId: string, agentId: AgentId, atMs: number) => Effect.Effect<boolean>
  readonly release: (agentId: AgentId) => Effect.Effect<void>
}>()("longwave/engine/store/Voices") {
  static readonly layer = Layer.effect(Voices, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("v.entry, v.changes, v.made, v.listed, c.agent_id, a.handle")
    const from = sql.literal("FROM voices v LEFT JOIN voice_claims c ON c.voice_id = v.voice_id LEFT JOIN agents a ON a.id = c.agent_id")
    const select = sql`SELECT ${columns} ${from}`
    const first = (rows: Effect.Effect<ReadonlyArray<Row>, unknown>) => Effect.orDie(Effect.map(rows, (found) => found[0] === undefined ? null : known(found[0])))
    const all = Effect.orDie(Effect.map(sql<Row>`${select} ORDER BY v.sort_order, v.voice_id`, (rows) => rows.map(known)))
    const list = Effect.map(all, (voices) => voices.filter(isShown))
    const one = (voiceId: string) => first(sql<Row>`${select} WHERE v.voice_id = ${voiceId}`)
    /** Locked before it is read: a read that waits for its lock would show whose the voice was when the waiting began. */
    const locked = (voiceId: string, lock: "FOR SHARE" | "FOR UPDATE") =>
      Effect.andThen(Effect.orDie(sql`SELECT FROM voices WHERE voice_id = ${voiceId} ${sql.literal(lock)}`), one(voiceId))
    // As `isShown`, in the database: whoever has no voice of its own is asked about too often to read the whole catalog for it.
    const isOffered = sql.literal("v.listed AND v.changes->>'listed' IS DISTINCT FROM 'false' AND NOT coalesce(v.changes->>'reserved', v.entry->>'reserved')::boolean")
    const sharedFirst = sql.literal("(v.entry->>'claimable')::boolean, c.agent_id IS NOT NULL, v.sort_order, v.voice_id")
    const shared = Effect.map(first(sql<Row>`${select} WHERE ${isOffered} ORDER BY ${sharedFirst} LIMIT 1`), (found) => found?.voice ?? null)
    return Voices.of({
      replaceCatalog: (voices) => Effect.gen(function*() {
        for (const [order, voice] of voices.entries()) {
          yield* sql`
            INSERT INTO voices (voice_id, sort_order, listed, entry) VALUES (${voice.voiceId}, ${order}, true, ${JSON.stringify(voice)}::text::jsonb)
            ON CONFLICT (voice_id) DO UPDATE SET sort_order = excluded.sort_order, listed = true, made = false, entry = excluded.entry`
        }
        if (voices.length > 0) yield* sql`UPDATE voices SET listed = false WHERE NOT made AND voice_id NOT IN ${sql.in(voices.map(({ voiceId }) => voiceId))}`
      }).pipe(sql.withTransaction, Effect.orDie),
      list,
      find: (voiceId) => Effect.map(one(voiceId), (found) => found !== null && isShown(found) ? found : null),
      all,
      known: (voiceId) => one(voiceId),
      held: (voiceId) => locked(voiceId, "FOR SHARE"),
      heldAlone: (voiceId) => locked(voiceId, "FOR UPDATE"),
      make: (voice, changes) => sql`
        INSERT INTO voices (voice_id, sort_order, listed, made, entry, changes)
        SELECT ${voice.voiceId}, coalesce(max(sort_order), 0) + 1, true, true, ${JSON.stringify(voice)}::text::jsonb, ${JSON.stringify(changes)}::text::jsonb FROM voices
        ON CONFLICT DO NOTHING RETURNING voice_id`.pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
      change: (voiceId, changes) => Effect.orDie(Effect.asVoid(sql`UPDATE voices SET changes = ${JSON.stringify(changes)}::text::jsonb WHERE voice_id = ${voiceId}`)),
      ofAgent: (agentId) => Effect.orDie(Effect.map(sql<Row & { readonly preferred: "PRIMARY" | null }>`
        SELECT ${columns}, (SELECT provider FROM agent_voices WHERE agent_id = ${agentId} AND provider = 'PRIMARY') AS preferred ${from}
        WHERE c.agent_id = ${agentId} OR ${isOffered} ORDER BY c.agent_id IS DISTINCT FROM ${agentId}, ${sharedFirst} LIMIT 1`, ([row]) =>
        row === undefined ? null : { voice: known(row).voice, kind: row.agentId === agentId ? "unique" : "shared_default", preferred: row.preferred })),
      shared,
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
