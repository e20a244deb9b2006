import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { VoiceProvider, VoiceState } from "../../../schema/voices/Voice.ts"
import { Voices } from "./Voices.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run } from "../sql/rows.ts"

/** An agent's choice apart from the catalog. */
const VoiceChoice = Schema.Struct({
  ...Struct.pick(VoiceState.fields, [
    "provider",
    "providerVoiceId",
    "description",
    "provenanceNotes",
    "rightsAttested"
  ]),
  displayVoiceId: Schema.NullOr(Schema.String)
})
export type VoiceChoice = typeof VoiceChoice.Type

const choiceAndChanges = onlyRow(
  Schema.Struct({ ...VoiceChoice.fields, ...Struct.pick(VoiceState.fields, ["changedAtMs"]) })
)
const sealedKey = row(Schema.Struct({ keySealed: Schema.String }))
const heldKey = row(Schema.Struct({ keySealed: Schema.String, holder: Schema.String }))
const providers = rows(Schema.Struct({ provider: VoiceProvider }))

/** Agents' spoken and displayed voices, their declarations about them, and provider keys from their owners. */
export class AgentVoicesWriter extends Context.Service<AgentVoicesWriter>()("longwave/engine/store/AgentVoicesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const voices = yield* Voices
    // A suspended account's keys aren't used.
    const keysOf = (agentId: AgentId) => sql`
      SELECT provider, key_sealed, agent_id AS holder FROM provider_keys WHERE agent_id = ${agentId}
      UNION ALL SELECT k.provider, k.key_sealed, k.human_id FROM agent_owners o JOIN humans h ON h.id = o.human_id AND h.blocked_reason IS NULL
        JOIN human_provider_keys k ON k.human_id = o.human_id WHERE o.agent_id = ${agentId}`
    return {
      /** `changesFromMs` is the start of the window in which claims count. */
      state: Effect.fnUntraced(function* (agentId: AgentId, changesFromMs: number) {
        const [{ displayVoiceId, ...choice }, own] = yield* Effect.all(
          [
            choiceAndChanges(sql`
              SELECT v.provider, v.provider_voice_id, v.display_voice_id, v.description, v.provenance_notes, coalesce(v.rights_attested, false) AS rights_attested,
                ARRAY(SELECT ${ms("c.at")} FROM voice_changes c WHERE c.agent_id = ${agentId} AND c.at > ${at(changesFromMs)} ORDER BY c.at) AS changed_at_ms
              FROM (SELECT 1) AS always LEFT JOIN agent_voices v ON v.agent_id = ${agentId}`),
            voices.findByAgent(agentId)
          ],
          { concurrency: "unbounded" }
        )
        const shown = displayVoiceId === null ? null : yield* voices.findKnown(displayVoiceId)
        return VoiceState.make({
          voice: own?.voice ?? null,
          kind: own?.kind ?? "shared_default",
          shown: shown?.voice ?? null,
          ...choice
        })
      }),
      choose: (
        agentId: AgentId,
        { description, displayVoiceId, provenanceNotes, provider, providerVoiceId, rightsAttested }: VoiceChoice
      ) =>
        run(sql`
        INSERT INTO agent_voices (agent_id, provider, provider_voice_id, display_voice_id, description, provenance_notes, rights_attested)
        VALUES (${agentId}, ${provider}, ${providerVoiceId}, ${displayVoiceId}, ${description}, ${provenanceNotes}, ${rightsAttested})
        ON CONFLICT (agent_id) DO UPDATE SET provider = excluded.provider, provider_voice_id = excluded.provider_voice_id, display_voice_id = excluded.display_voice_id,
          description = excluded.description, provenance_notes = excluded.provenance_notes, rights_attested = excluded.rights_attested`),
      /** Stores a counted claim. */
      addChange: (agentId: AgentId, voiceId: string, atMs: number) =>
        run(sql`INSERT INTO voice_changes (agent_id, voice_id, at) VALUES (${agentId}, ${voiceId}, ${at(atMs)})`),
      /** Deletes changes from before that instant. */
      purgeChanges: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM voice_changes WHERE ctid = ANY(ARRAY(SELECT ctid FROM voice_changes WHERE at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** Whether something of the agent is on the air. */
      isAiring: (agentId: AgentId) =>
        Effect.orDie(
          Effect.map(
            sql`SELECT 1 FROM airings air JOIN segments s ON s.id = air.id WHERE air.state = 'airing' AND s.agent_id = ${agentId} LIMIT 1`,
            (rows) => rows.length > 0
          )
        ),
      /** Whether it has a seat in a panel that is recording or still synthesizing its last turns. */
      isRecording: (agentId: AgentId) =>
        Effect.orDie(
          Effect.map(
            sql`
        SELECT 1 FROM panel_seats s JOIN panel_sessions p ON p.id = s.session_id WHERE s.agent_id = ${agentId} AND (p.status = 'recording' AND NOT s.done OR p.status = 'complete') LIMIT 1`,
            (rows) => rows.length > 0
          )
        ),
      storeKey: (agentId: AgentId, provider: VoiceProvider, keySealed: string, atMs: number) =>
        run(sql`
        INSERT INTO provider_keys (agent_id, provider, key_sealed, stored_at) VALUES (${agentId}, ${provider}, ${keySealed}, ${at(atMs)})
        ON CONFLICT (agent_id, provider) DO UPDATE SET key_sealed = excluded.key_sealed, stored_at = excluded.stored_at`),
      dropKey: (agentId: AgentId, provider: VoiceProvider) =>
        run(sql`DELETE FROM provider_keys WHERE agent_id = ${agentId} AND provider = ${provider}`),
      findSealedKey: (agentId: AgentId, provider: VoiceProvider) =>
        Effect.map(
          sealedKey(sql`SELECT key_sealed FROM provider_keys WHERE agent_id = ${agentId} AND provider = ${provider}`),
          (found) => found?.keySealed ?? null
        ),
      /** The agent's encrypted key for a provider and its encryption context: its owner's account's key, else its own. */
      keyFor: (agentId: AgentId, provider: VoiceProvider) =>
        Effect.map(
          heldKey(
            sql`SELECT key_sealed, holder FROM (${keysOf(agentId)}) AS k WHERE provider = ${provider} ORDER BY holder = ${agentId} LIMIT 1`
          ),
          (found) =>
            found === null ? null : { keySealed: found.keySealed, context: `provider-key:${found.holder}:${provider}` }
        ),
      /** Providers with a key for the agent, from its owner's account too. */
      keys: (agentId: AgentId) =>
        Effect.map(providers(sql`SELECT DISTINCT provider FROM (${keysOf(agentId)}) AS k ORDER BY provider`), (found) =>
          found.map(({ provider }) => provider)
        ),
      /** Whether its owner has an account with the address verified at the claim. */
      hasAccount: (agentId: AgentId) =>
        Effect.orDie(
          Effect.map(sql`SELECT 1 FROM agent_owners WHERE agent_id = ${agentId}`, (rows) => rows.length > 0)
        ),
      /** Deletes everything of an agent that left. */
      forget: (agentId: AgentId) =>
        Effect.gen(function* () {
          yield* sql`DELETE FROM provider_keys WHERE agent_id = ${agentId}`
          yield* sql`DELETE FROM agent_voices WHERE agent_id = ${agentId}`
        }).pipe(sql.withTransaction, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Voices.layer))
}

export class AgentVoices extends Context.Service<
  AgentVoices,
  Pick<
    AgentVoicesWriter["Service"],
    "state" | "isAiring" | "isRecording" | "findSealedKey" | "keyFor" | "keys" | "hasAccount"
  >
>()("longwave/engine/store/AgentVoices") {
  static readonly layer = Layer.effect(this, AgentVoicesWriter).pipe(Layer.provideMerge(AgentVoicesWriter.layer))
}
