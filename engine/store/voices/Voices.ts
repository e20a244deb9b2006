import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { Voice, VoiceChanges } from "../../../schema/voices/Voice.ts"
import { at } from "../sql/instants.ts"
import { row, rows, run, touched } from "../sql/rows.ts"

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

const VoiceRow = Schema.Struct({
  entry: Voice,
  changes: VoiceChanges,
  made: Schema.Boolean,
  listed: Schema.Boolean,
  agentId: Schema.NullOr(AgentId),
  handle: Schema.NullOr(Schema.String)
})

const voiceRows = rows(VoiceRow)
const voiceRow = row(VoiceRow)
const ownOrShared = row(Schema.Struct({ ...VoiceRow.fields, preferred: Schema.NullOr(Schema.Literal("PRIMARY")) }))
const claimant = row(Schema.Struct({ agentId: AgentId }))

/** What an engine offers, with what operators decided on top of it. A voice that is kept for the shows is nobody's to claim. */
const inService = (
  voice: Voice,
  {
    hasDeployedVoice,
    personaBrief = voice.personaBrief,
    reserved = voice.reserved,
    sampleLine = voice.sampleLine
  }: VoiceChanges
): Voice =>
  Voice.make({
    ...voice,
    personaBrief,
    sampleLine,
    reserved,
    claimable: voice.claimable && !reserved,
    ...(hasDeployedVoice === undefined
      ? {}
      : hasDeployedVoice
        ? { hasDeployedVoice, provider: "SPEED", engines: ["PRIMARY", "SPEED"] }
        : { hasDeployedVoice, provider: "PRIMARY", engines: ["PRIMARY"] })
  })

const known = ({ agentId, changes, entry, handle, listed, made }: typeof VoiceRow.Type): KnownVoice => ({
  voice: inService(entry, changes),
  offered: entry,
  changes,
  made,
  listed: listed && changes.listed !== false,
  claimedBy: agentId,
  handle
})

/** Everybody may see it. */
const isShown = ({ listed, voice }: KnownVoice) => listed && !voice.reserved

/** The catalog of voices: filled at start from what the speech engines offer, and changed by operators, whose decisions outlive every start. */
export class VoicesWriter extends Context.Service<VoicesWriter>()("longwave/engine/store/VoicesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("v.entry, v.changes, v.made, v.listed, c.agent_id, a.handle")
    const from = sql.literal(
      "FROM voices v LEFT JOIN voice_claims c ON c.voice_id = v.voice_id LEFT JOIN agents a ON a.id = c.agent_id"
    )
    const select = sql`SELECT ${columns} ${from}`
    const first = (rest: Statement.Fragment) =>
      Effect.map(voiceRow(sql`${select} ${rest}`), (found) => (found === null ? null : known(found)))
    const all = Effect.map(voiceRows(sql`${select} ORDER BY v.sort_order, v.voice_id`), (found) => found.map(known))
    const list = Effect.map(all, (voices) => voices.filter(isShown))
    const one = (voiceId: string) => first(sql`WHERE v.voice_id = ${voiceId}`)
    /** Locked before it is read: a read that waits for its lock would show whose the voice was when the waiting began. */
    const locked = (voiceId: string, lock: "FOR SHARE" | "FOR UPDATE") =>
      Effect.andThen(run(sql`SELECT FROM voices WHERE voice_id = ${voiceId} ${sql.literal(lock)}`), one(voiceId))
    // As `isShown`, in the database: whoever has no voice of its own is asked about too often to read the whole catalog for it.
    const isOffered = sql.literal(
      "v.listed AND v.changes->>'listed' IS DISTINCT FROM 'false' AND NOT coalesce(v.changes->>'reserved', v.entry->>'reserved')::boolean"
    )
    const sharedFirst = sql.literal(
      "(v.entry->>'claimable')::boolean, c.agent_id IS NOT NULL, v.sort_order, v.voice_id"
    )
    const shared = Effect.map(
      first(sql`WHERE ${isOffered} ORDER BY ${sharedFirst} LIMIT 1`),
      (found) => found?.voice ?? null
    )
    return {
      /** Makes the catalog say what the engines say now. A voice they no longer offer stays with its agent, unlisted; those that operators made stay. */
      replaceCatalog: (voices: ReadonlyArray<Voice>) =>
        Effect.gen(function* () {
          for (const [order, voice] of voices.entries()) {
            yield* sql`
            INSERT INTO voices (voice_id, sort_order, listed, entry) VALUES (${voice.voiceId}, ${order}, true, ${JSON.stringify(voice)}::text::jsonb)
            ON CONFLICT (voice_id) DO UPDATE SET sort_order = excluded.sort_order, listed = true, made = false, entry = excluded.entry`
          }
          if (voices.length > 0)
            yield* sql`UPDATE voices SET listed = false WHERE NOT made AND voice_id NOT IN ${sql.in(voices.map(({ voiceId }) => voiceId))}`
        }).pipe(sql.withTransaction, Effect.orDie),
      /** In the catalog's order, without those reserved for shows. */
      list,
      find: (voiceId: string) => Effect.map(one(voiceId), (found) => (found !== null && isShown(found) ? found : null)),
      /** All of them, reserved and unlisted ones too. */
      all,
      known: (voiceId: string) => one(voiceId),
      /** As `known`, and nobody decides anything about it until the transaction has ended. */
      held: (voiceId: string) => locked(voiceId, "FOR SHARE"),
      /** Alone with it until the transaction has ended: nobody claims it meanwhile. */
      heldAlone: (voiceId: string) => locked(voiceId, "FOR UPDATE"),
      /** False when there is one of this id. */
      make: (voice: Voice, changes: VoiceChanges) =>
        touched(sql`
        INSERT INTO voices (voice_id, sort_order, listed, made, entry, changes)
        SELECT ${voice.voiceId}, coalesce(max(sort_order), 0) + 1, true, true, ${JSON.stringify(voice)}::text::jsonb, ${JSON.stringify(changes)}::text::jsonb FROM voices
        ON CONFLICT DO NOTHING RETURNING voice_id`),
      change: (voiceId: string, changes: VoiceChanges) =>
        run(sql`UPDATE voices SET changes = ${JSON.stringify(changes)}::text::jsonb WHERE voice_id = ${voiceId}`),
      /** The voice an agent speaks with: its own, or the one that all share who have none. */
      ofAgent: (agentId: AgentId) =>
        Effect.map(
          ownOrShared(sql`
        SELECT ${columns}, (SELECT provider FROM agent_voices WHERE agent_id = ${agentId} AND provider = 'PRIMARY') AS preferred ${from}
        WHERE c.agent_id = ${agentId} OR ${isOffered} ORDER BY c.agent_id IS DISTINCT FROM ${agentId}, ${sharedFirst} LIMIT 1`),
          (found) =>
            found === null
              ? null
              : {
                  voice: known(found).voice,
                  kind: found.agentId === agentId ? ("unique" as const) : ("shared_default" as const),
                  preferred: found.preferred
                }
        ),
      /** What agents speak with that have no voice of their own. */
      shared,
      /** Claiming another releases the former. False when somebody else was first: the caller's transaction has to fail then, or the former is lost. */
      claim: (voiceId: string, agentId: AgentId, atMs: number) =>
        Effect.gen(function* () {
          const holder = yield* claimant(sql`SELECT agent_id FROM voice_claims WHERE voice_id = ${voiceId}`)
          if (holder !== null) return holder.agentId === agentId
          yield* sql`DELETE FROM voice_claims WHERE agent_id = ${agentId}`
          return yield* touched(sql`
          INSERT INTO voice_claims (voice_id, agent_id, claimed_at) VALUES (${voiceId}, ${agentId}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING voice_id`)
        }).pipe(sql.withTransaction, Effect.orDie),
      /** Releases the voices of agents that are gone. */
      release: (agentIds: ReadonlyArray<AgentId>) =>
        agentIds.length === 0 ? Effect.void : run(sql`DELETE FROM voice_claims WHERE agent_id IN ${sql.in(agentIds)}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** What everybody may read there. */
export class Voices extends Context.Service<
  Voices,
  Pick<VoicesWriter["Service"], "list" | "find" | "all" | "known" | "ofAgent" | "shared">
>()("longwave/engine/store/Voices") {
  static readonly layer = Layer.effect(this, VoicesWriter).pipe(Layer.provideMerge(VoicesWriter.layer))
}
