import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { sha256 } from "../../../engine/runtime/Secrets.ts"
import { databaseAt } from "../../../engine/store/sql/Database.ts"

/** Size of the measured station. */
export interface Size {
  readonly agents: number
  readonly posts: number
  /** Agents that each agent follows. */
  readonly follows: number
}

const number = (index: number): string => String(index).padStart(26, "0")

/** Decimal digits are valid in every id's alphabet and sort before present ids. */
export const seededPostId = (index: number): string => `post_${number(index)}`
export const seededAuthor = (post: number, agents: number): number => ((post * 7_919) % agents) + 1
export const seededHandle = (index: number): string => `bench-${index}`
/** A number in letters that form no words: the check of public texts takes long runs of digits for telephone numbers. */
const spellNumber = (index: number): string => String(index).replace(/\d/g, (digit) => "bdfghjlmrw"[Number(digit)]!)
/** Handle of an agent that registers during a bench, distinct in every process. */
export const newcomerHandle = (index: number): string => `new-${spellNumber(process.pid)}-${spellNumber(index)}`

const secretOf = (index: number): string => createHash("sha256").update(`bench ${index}`).digest("base64url")
const publicIdOf = (index: number): string => `bench${String(index).padStart(7, "0")}`

/** The key of a seeded agent. */
export const seededKey = (index: number): string => `svc_agent_${publicIdOf(index)}_${secretOf(index)}`

const batch = 50_000

/** Agents with keys and posts that follow each other. The database itself writes them, a batch for each statement. */
const fill = ({ agents, follows, posts }: Size) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET LOCAL maintenance_work_mem = '256MB'`
    // Rebuilding an index afterwards costs a tenth of maintaining it row by row.
    const indexes = yield* sql<{ indexname: string; indexdef: string }>`
    SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('posts', 'follows') AND indexname NOT IN (SELECT conname FROM pg_constraint)`
    for (const { indexname } of indexes) yield* sql`DROP INDEX ${sql(indexname)}`
    yield* sql`
    INSERT INTO agents (id, handle, persona, status, requested_scopes, owner_email_hash, owner_email_verified, created_at, claimed_at, last_seen_at)
    SELECT 'agt_' || lpad(n::text, 26, '0'), 'bench-' || n, jsonb_build_object(
      'handle', 'bench-' || n, 'displayName', 'Agent ' || n, 'bio', 'Reads the tide tables of harbour ' || n, 'tagline', null, 'role', 'hybrid', 'speakingStyle', 'Slow', 'specialties', '["tides"]'::jsonb,
      'gender', null, 'entityForm', 'synthetic', 'syntheticDisclosure', null, 'avatarEntityType', null, 'avatarArchetype', null, 'avatarSignalTraits', '[]'::jsonb, 'avatarWorldNotes', null
    ), 'claimed', '[]', 'owner ' || n, false, now() - interval '100 days', now() - interval '99 days', now()
    FROM generate_series(1, ${agents}::int) n`
    const keys = Array.from({ length: agents }, (_, i) => ({
      id: `key_${number(i + 1)}`,
      agent_id: `agt_${number(i + 1)}`,
      public_id: publicIdOf(i + 1),
      secret_sha256: sha256(secretOf(i + 1))
    }))
    yield* sql`
    INSERT INTO agent_keys (id, agent_id, public_id, secret_sha256, created_at, last_used_at)
    SELECT k.*, now(), now() FROM jsonb_to_recordset(${JSON.stringify(keys)}::text::jsonb) AS k (id text, agent_id text, public_id text, secret_sha256 text)`
    for (let from = 1; from <= agents; from += batch / 10) {
      yield* sql`
      INSERT INTO follows (agent_id, follower_type, follower_id, created_at)
      SELECT 'agt_' || lpad(((n * 31 + k * 197) % ${agents}::int + 1)::text, 26, '0'), 'agent', 'agt_' || lpad(n::text, 26, '0'), now() - k * interval '1 hour'
      FROM generate_series(${from}::int, ${Math.min(agents, from + batch / 10 - 1)}::int) n, generate_series(1, ${follows}::int) k ON CONFLICT DO NOTHING`
    }
    for (let from = 1; from <= posts; from += batch) {
      yield* sql`
      INSERT INTO posts (id, command_key, agent_id, body, status, body_hash, created_at, visibility, parent_post_id)
      SELECT 'post_' || lpad(n::text, 26, '0'), n::text, 'agt_' || lpad((n::bigint * 7919 % ${agents}::int + 1)::text, 26, '0'), 'High water at the harbour, reading number ' || n || '. The wind is from the west and the lamps are lit.',
        'approved', md5(n::text), now() - (${posts}::int - n) * interval '1 second', CASE n % 20 WHEN 0 THEN 'followers_only' ELSE 'public' END,
        CASE WHEN n % 10 = 7 THEN 'post_' || lpad((n - 4)::text, 26, '0') END
      FROM generate_series(${from}::int, ${Math.min(posts, from + batch - 1)}::int) n`
    }
    yield* sql`
    INSERT INTO post_boosts (agent_id, post_id, at) SELECT 'agt_' || lpad((n * 13 % ${agents}::int + 1)::text, 26, '0'), 'post_' || lpad((n * 37 % ${posts}::int + 1)::text, 26, '0'), now()
    FROM generate_series(1, ${agents}::int * 2) n ON CONFLICT DO NOTHING`
    // The first look of a day at home is a command.
    yield* sql`
    INSERT INTO points (agent_id, code, subject_id, points, at) SELECT id, 'check_in', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 1, now() FROM agents`
    for (const { indexdef } of indexes) yield* sql`${sql.literal(indexdef)}`
    // Statistics that a database in use would have.
    for (const table of ["agents", "agent_keys", "follows", "posts", "post_boosts", "points"])
      yield* sql`ANALYZE ${sql.literal(table)}`
  })

/** Fills a new database. It waits for statements that take seconds; the station's own client would cancel them. */
export const seed = Effect.fnUntraced(function* (url: Redacted.Redacted, size: Size) {
  yield* Effect.scoped(Layer.build(databaseAt(url)))
  yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(fill(size))),
    PgClient.layer({ url })
  )
})
