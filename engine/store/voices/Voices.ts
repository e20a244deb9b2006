import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { Voice, VoiceChanges } from "../../../schema/voices/Voice.ts"
import { at } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"
import { untilChanged } from "../sql/untilChanged.ts"

/** A voice in service, and its agent. */
export interface ListedVoice {
  readonly voice: Voice
  readonly claimedBy: AgentId | null
  /** Handle of the agent that claimed it. */
  readonly handle: string | null
}

/** A voice as operators see it. */
export interface KnownVoice extends ListedVoice {
  /** Without operators' decisions. */
  readonly offered: Voice
  readonly changes: VoiceChanges
  /** Made by operators, not offered by an engine. */
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
const preferred = Schema.NullOr(Schema.Literal("PRIMARY"))
/** The voice that an agent claimed; `entry` is null without one. */
const ownRow = onlyRow(
  Schema.Union([Schema.Struct({ ...VoiceRow.fields, preferred }), Schema.Struct({ entry: Schema.Null, preferred })])
)
const claimant = row(Schema.Struct({ agentId: AgentId }))

/** An engine's voice with operators' decisions applied. A voice reserved for shows can't be claimed. */
const applyChanges = (
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

const knownVoiceOf = ({ agentId, changes, entry, handle, listed, made }: typeof VoiceRow.Type): KnownVoice => ({
  voice: applyChanges(entry, changes),
  offered: entry,
  changes,
  made,
  listed: listed && changes.listed !== false,
  claimedBy: agentId,
  handle
})

/** Whether the voice is public. */
const isShown = ({ listed, voice }: KnownVoice) => listed && !voice.reserved

/** The voice catalog: filled at startup from the speech engines and changed by operators, whose decisions persist. */
export class VoicesWriter extends Context.Service<VoicesWriter>()("longwave/engine/store/VoicesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("v.entry, v.changes, v.made, v.listed, c.agent_id, a.handle")
    const from = sql.literal(
      "FROM voices v LEFT JOIN voice_claims c ON c.voice_id = v.voice_id LEFT JOIN agents a ON a.id = c.agent_id"
    )
    const select = sql`SELECT ${columns} ${from}`
    const findFirst = (rest: Statement.Fragment) =>
      Effect.map(voiceRow(sql`${select} ${rest}`), (found) => (found === null ? null : knownVoiceOf(found)))
    const all = Effect.map(voiceRows(sql`${select} ORDER BY v.sort_order, v.voice_id`), (found) =>
      found.map(knownVoiceOf)
    )
    const list = Effect.map(all, (voices) => voices.filter(isShown))
    const findOne = (voiceId: string) => findFirst(sql`WHERE v.voice_id = ${voiceId}`)
    /** Locks before it reads: a read that waits for its lock would return the former owner. */
    const lockRow = (voiceId: string, lock: "FOR SHARE" | "FOR UPDATE") =>
      Effect.andThen(run(sql`SELECT FROM voices WHERE voice_id = ${voiceId} ${sql.literal(lock)}`), findOne(voiceId))
    // The condition of `isShown` in SQL.
    const isOffered = sql.literal(
      "v.listed AND v.changes->>'listed' IS DISTINCT FROM 'false' AND NOT coalesce(v.changes->>'reserved', v.entry->>'reserved')::boolean"
    )
    const sharedFirst = sql.literal(
      "(v.entry->>'claimable')::boolean, c.agent_id IS NOT NULL, v.sort_order, v.voice_id"
    )
    const shared = Effect.map(
      findFirst(sql`WHERE ${isOffered} ORDER BY ${sharedFirst} LIMIT 1`),
      (found) => found?.voice ?? null
    )
    const keptShared = untilChanged(["voices", "voice_claims", "agents"], sql, shared)
    return {
      /**
       * Updates the catalog to the engines' current voices. A voice that is no longer offered stays with its agent, unlisted; voices made by
       * operators stay.
       */
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
      /** In the catalog's order, without voices reserved for shows. */
      list,
      find: (voiceId: string) =>
        Effect.map(findOne(voiceId), (found) => (found !== null && isShown(found) ? found : null)),
      /** All voices, reserved and unlisted ones too. */
      all,
      findKnown: (voiceId: string) => findOne(voiceId),
      /** Like `known`, and prevents decisions on it until the transaction ends. */
      lockShared: (voiceId: string) => lockRow(voiceId, "FOR SHARE"),
      /** Exclusive until the transaction ends: prevents claims. */
      lock: (voiceId: string) => lockRow(voiceId, "FOR UPDATE"),
      /** False if the id exists. */
      make: (voice: Voice, changes: VoiceChanges) =>
        hasChanged(sql`
        INSERT INTO voices (voice_id, sort_order, listed, made, entry, changes)
        SELECT ${voice.voiceId}, coalesce(max(sort_order), 0) + 1, true, true, ${JSON.stringify(voice)}::text::jsonb, ${JSON.stringify(changes)}::text::jsonb FROM voices
        ON CONFLICT DO NOTHING RETURNING voice_id`),
      change: (voiceId: string, changes: VoiceChanges) =>
        run(sql`UPDATE voices SET changes = ${JSON.stringify(changes)}::text::jsonb WHERE voice_id = ${voiceId}`),
      /** The voice an agent speaks with: its own, or the shared one. */
      findByAgent: Effect.fnUntraced(function* (agentId: AgentId) {
        const own = yield* ownRow(sql`
        SELECT ${columns}, (SELECT provider FROM agent_voices WHERE agent_id = ${agentId} AND provider = 'PRIMARY') AS preferred
        FROM (SELECT 1) AS always LEFT JOIN voice_claims c ON c.agent_id = ${agentId} LEFT JOIN voices v ON v.voice_id = c.voice_id LEFT JOIN agents a ON a.id = c.agent_id`)
        if (own.entry !== null)
          return { voice: knownVoiceOf(own).voice, kind: "unique" as const, preferred: own.preferred }
        const voice = yield* keptShared
        return voice === null ? null : { voice, kind: "shared_default" as const, preferred: own.preferred }
      }),
      /** The voice shared by agents without their own. */
      shared,
      /** Claims a voice and releases the former one. False if another agent was first: then fail the transaction, or the former voice is lost. */
      claim: (voiceId: string, agentId: AgentId, atMs: number) =>
        Effect.gen(function* () {
          const holder = yield* claimant(sql`SELECT agent_id FROM voice_claims WHERE voice_id = ${voiceId}`)
          if (holder !== null) return holder.agentId === agentId
          yield* sql`DELETE FROM voice_claims WHERE agent_id = ${agentId}`
          return yield* hasChanged(sql`
          INSERT INTO voice_claims (voice_id, agent_id, claimed_at) VALUES (${voiceId}, ${agentId}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING voice_id`)
        }).pipe(sql.withTransaction, Effect.orDie),
      /** Releases the voices of agents that have left. */
      release: (agentIds: ReadonlyArray<AgentId>) =>
        agentIds.length === 0 ? Effect.void : run(sql`DELETE FROM voice_claims WHERE agent_id IN ${sql.in(agentIds)}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Voices extends Context.Service<
  Voices,
  Pick<VoicesWriter["Service"], "list" | "find" | "all" | "findKnown" | "findByAgent" | "shared">
>()("longwave/engine/store/Voices") {
  static readonly layer = Layer.effect(this, VoicesWriter).pipe(Layer.provideMerge(VoicesWriter.layer))
}
