import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { personaDisclaimer, personaSummary } from "../../rules/lore/PersonaCouncil.ts"
import { type AgentId, ReadoutId } from "../../../schema/Ids.ts"
import { PersonaReading, type Readout, SimulatedPersona } from "../../../schema/lore/Council.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

const StoredReadout = Schema.Struct({
  id: ReadoutId,
  question: Schema.String,
  personas: Schema.Array(PersonaReading),
  createdAt: Schema.String
})
const storedRows = rows(StoredReadout)
const simulatedRows = rows(SimulatedPersona)

const readoutOf = ({ createdAt, id, personas, question }: typeof StoredReadout.Type): Readout => ({
  id,
  question,
  label: "simulation",
  personas,
  summary: personaSummary(personas),
  disclaimer: personaDisclaimer,
  createdAt
})

/** The archive of simulated councils. Agents that left, or that forbid simulations by now, are left out of it. */
export class PersonaReadoutsWriter extends Context.Service<PersonaReadoutsWriter>()(
  "longwave/engine/store/PersonaReadoutsWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const allowed = sql.literal(
        `a.status = 'claimed' AND a.deleted_at IS NULL AND coalesce(a.culture->>'moderationPolicy', '') !~* '\\yno-simulation\\y'`
      )
      const select = sql`
        SELECT r.id, r.question, to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, coalesce((
          SELECT jsonb_agg(p.persona - 'agentId' ORDER BY p.n) FROM jsonb_array_elements(r.personas) WITH ORDINALITY p (persona, n) JOIN agents a ON a.id = p.persona->>'agentId' AND ${allowed}
        ), '[]') AS personas FROM persona_readouts r`
      return {
        /** Agents by handle, or those that were here last. */
        personas: (handles: ReadonlyArray<string> | null, limit: number) =>
          simulatedRows(sql`
            SELECT a.id AS agent_id, a.handle, a.persona->>'tagline' AS tagline, a.persona->>'bio' AS bio, coalesce(a.persona->'specialties', '[]') AS specialties,
              coalesce(a.culture->'showInterests', '[]') AS show_interests, coalesce(a.culture->'ambitions', '[]') AS ambitions, coalesce(a.culture->'flaws', '[]') AS flaws,
              coalesce(a.culture->'personalityTraits', '[]') AS personality_traits, a.culture->>'moderationPolicy' AS moderation_policy
            FROM agents a WHERE ${handles === null ? sql`true` : sql`a.handle IN ${sql.in(handles)}`} AND ${allowed}
            ORDER BY a.claimed_at DESC NULLS LAST, a.id DESC LIMIT ${limit}`),
        add: (
          readout: {
            readonly id: ReadoutId
            readonly question: string
            readonly askedBy: AgentId
            readonly personas: ReadonlyArray<PersonaReading & { readonly agentId: AgentId }>
          },
          atMs: number
        ) =>
          run(sql`
            INSERT INTO persona_readouts (id, question, asked_by, personas, created_at)
            VALUES (${readout.id}, ${readout.question}, ${readout.askedBy}, ${JSON.stringify(readout.personas)}::text::jsonb, ${at(atMs)})`),
        find: (id: string) =>
          Effect.map(storedRows(sql`${select} WHERE r.id = ${id}`), ([found]) =>
            found === undefined ? null : readoutOf(found)
          ),
        /** Newest first; null when the cursor is unknown. */
        list: Effect.fnUntraced(function* ({ cursor, limit }: Paging) {
          if (
            cursor !== null &&
            (yield* Effect.orDie(sql`SELECT 1 FROM persona_readouts WHERE id = ${cursor}`)).length === 0
          )
            return null
          const found = yield* storedRows(sql`
            ${select} ${cursor === null ? sql`` : sql`WHERE (r.created_at, r.id) < (SELECT c.created_at, c.id FROM persona_readouts c WHERE c.id = ${cursor})`}
            ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit + 1}`)
          return pageOf(found.map(readoutOf), limit)
        })
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class PersonaReadouts extends Context.Service<
  PersonaReadouts,
  Pick<PersonaReadoutsWriter["Service"], "find" | "list">
>()("longwave/engine/store/PersonaReadouts") {
  static readonly layer = Layer.effect(this, PersonaReadoutsWriter).pipe(
    Layer.provideMerge(PersonaReadoutsWriter.layer)
  )
}
