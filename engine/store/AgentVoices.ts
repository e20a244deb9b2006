import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import { type VoiceProvider, VoiceState } from "../../schema/Voice.ts"
import { Voices } from "./Voices.ts"

/** What an agent chose beside the catalog. */
export type VoiceChoice = Pick<VoiceState, "provider" | "providerVoiceId" | "description" | "provenanceNotes" | "rightsAttested"> & { readonly displayVoiceId: string | null }

interface Row extends VoiceChoice {
  readonly changedAtMs: ReadonlyArray<number>
}

const decodeState = Schema.decodeUnknownEffect(Schema.toType(VoiceState))

/** Which voice an agent speaks with and shows, what it said of it, and the keys to providers that its owner gave it. */
export class AgentVoices extends Context.Service<AgentVoices, {
  /** `changesFromMs` says from when on claims count. */
  readonly state: (agentId: AgentId, changesFromMs: number) => Effect.Effect<VoiceState>
  readonly choose: (agentId: AgentId, choice: VoiceChoice) => Effect.Effect<void>
  /** A claim that counts. */
  readonly changed: (agentId: AgentId, voiceId: string, atMs: number) => Effect.Effect<void>
  /** Something of the agent is being heard now. */
  readonly isAiring: (agentId: AgentId) => Effect.Effect<boolean>
  /** Whether it has a seat in a panel that is being recorded, or whose last turns are still being read. */
  readonly isRecording: (agentId: AgentId) => Effect.Effect<boolean>
  readonly storeKey: (agentId: AgentId, provider: VoiceProvider, keySealed: string, atMs: number) => Effect.Effect<void>
  readonly dropKey: (agentId: AgentId, provider: VoiceProvider) => Effect.Effect<void>
  readonly keySealed: (agentId: AgentId, provider: VoiceProvider) => Effect.Effect<string | null>
  /** What the agent speaks with at a provider, and the context it was sealed in: its owner's account's key, else one of its own. */
  readonly keyFor: (agentId: AgentId, provider: VoiceProvider) => Effect.Effect<{ readonly keySealed: string; readonly context: string } | null>
  /** Providers to which the agent has a key, its owner's account's among them. */
  readonly keys: (agentId: AgentId) => Effect.Effect<ReadonlyArray<VoiceProvider>>
  /** Its owner has an account here, by the address that was verified at the claim. */
  readonly hasAccount: (agentId: AgentId) => Effect.Effect<boolean>
  /** All of it, once the agent has left. */
  readonly forget: (agentId: AgentId) => Effect.Effect<void>
}>()("longwave/engine/store/AgentVoices") {
  static readonly layer = Layer.effect(AgentVoices, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const voices = yield* Voices
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    // Who is shut out pays for nobody.
    const keysOf = (agentId: AgentId) => sql`
      SELECT provider, key_sealed, agent_id AS holder FROM provider_keys WHERE agent_id = ${agentId}
      UNION ALL SELECT k.provider, k.key_sealed, k.human_id FROM agent_owners o JOIN humans h ON h.id = o.human_id AND h.blocked_reason IS NULL
        JOIN human_provider_keys k ON k.human_id = o.human_id WHERE o.agent_id = ${agentId}`
    return AgentVoices.of({
      state: Effect.fn("AgentVoices.state")(function*(agentId, changesFromMs) {
        const rows = yield* sql<Row>`
          SELECT v.provider, v.provider_voice_id, v.display_voice_id, v.description, v.provenance_notes, coalesce(v.rights_attested, false) AS rights_attested,
            ARRAY(SELECT (extract(epoch from c.at) * 1000)::float8 FROM voice_changes c WHERE c.agent_id = ${agentId} AND c.at > ${at(changesFromMs)} ORDER BY c.at) AS changed_at_ms
          FROM (SELECT 1) AS always LEFT JOIN agent_voices v ON v.agent_id = ${agentId}`
        const { displayVoiceId, ...choice } = rows[0]!
        const own = yield* voices.ofAgent(agentId)
        const shown = displayVoiceId === null ? null : yield* voices.known(displayVoiceId)
        return yield* decodeState(VoiceState.make({ voice: own?.voice ?? null, kind: own?.kind ?? "shared_default", shown: shown?.voice ?? null, ...choice }))
      }, Effect.orDie),
      choose: (agentId, { description, displayVoiceId, provenanceNotes, provider, providerVoiceId, rightsAttested }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO agent_voices (agent_id, provider, provider_voice_id, display_voice_id, description, provenance_notes, rights_attested)
        VALUES (${agentId}, ${provider}, ${providerVoiceId}, ${displayVoiceId}, ${description}, ${provenanceNotes}, ${rightsAttested})
        ON CONFLICT (agent_id) DO UPDATE SET provider = excluded.provider, provider_voice_id = excluded.provider_voice_id, display_voice_id = excluded.display_voice_id,
          description = excluded.description, provenance_notes = excluded.provenance_notes, rights_attested = excluded.rights_attested`)),
      changed: (agentId, voiceId, atMs) => Effect.orDie(Effect.asVoid(sql`INSERT INTO voice_changes (agent_id, voice_id, at) VALUES (${agentId}, ${voiceId}, ${at(atMs)})`)),
      isAiring: (agentId) => Effect.orDie(Effect.map(sql`SELECT 1 FROM segments WHERE agent_id = ${agentId} AND status = 'airing' LIMIT 1`, (rows) => rows.length > 0)),
      isRecording: (agentId) => Effect.orDie(Effect.map(sql`
        SELECT 1 FROM panel_seats s JOIN panel_sessions p ON p.id = s.session_id WHERE s.agent_id = ${agentId} AND (p.status = 'recording' AND NOT s.done OR p.status = 'complete') LIMIT 1`, (rows) => rows.length > 0)),
      storeKey: (agentId, provider, keySealed, atMs) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO provider_keys (agent_id, provider, key_sealed, stored_at) VALUES (${agentId}, ${provider}, ${keySealed}, ${at(atMs)})
        ON CONFLICT (agent_id, provider) DO UPDATE SET key_sealed = excluded.key_sealed, stored_at = excluded.stored_at`)),
      dropKey: (agentId, provider) => Effect.orDie(Effect.asVoid(sql`DELETE FROM provider_keys WHERE agent_id = ${agentId} AND provider = ${provider}`)),
      keySealed: (agentId, provider) => Effect.orDie(Effect.map(
        sql<{ keySealed: string }>`SELECT key_sealed FROM provider_keys WHERE agent_id = ${agentId} AND provider = ${provider}`, (rows) => rows[0]?.keySealed ?? null)),
      keyFor: (agentId, provider) => Effect.orDie(Effect.map(
        sql<{ keySealed: string; holder: string }>`SELECT key_sealed, holder FROM (${keysOf(agentId)}) AS k WHERE provider = ${provider} ORDER BY holder = ${agentId} LIMIT 1`,
        ([row]) => row === undefined ? null : { keySealed: row.keySealed, context: `provider-key:${row.holder}:${provider}` })),
      keys: (agentId) => Effect.orDie(Effect.map(sql<{ provider: VoiceProvider }>`SELECT DISTINCT provider FROM (${keysOf(agentId)}) AS k ORDER BY provider`, (rows) => rows.map(({ provider }) => provider))),
      hasAccount: (agentId) => Effect.orDie(Effect.map(
        sql`SELECT 1 FROM agent_owners WHERE agent_id = ${agentId}`, (rows) => rows.length > 0)),
      forget: (agentId) => Effect.gen(function*() {
        yield* sql`DELETE FROM provider_keys WHERE agent_id = ${agentId}`
        yield* sql`DELETE FROM agent_voices WHERE agent_id = ${agentId}`
      }).pipe(sql.withTransaction, Effect.orDie)
    })
  })).pipe(Layer.provide(Voices.layer))
}
