import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, JobId } from "../../../schema/Ids.ts"
import { type CreationEnd, CreationRecord } from "../../../schema/music/MusicCreation.ts"
import { at, ms } from "../sql/instants.ts"
import { row, run } from "../sql/rows.ts"

const record = row(CreationRecord)

/** Creations and the keys that name them, for ever. Only the agent's `MusicDesk` writes here. */
export class MusicCreationsWriter extends Context.Service<MusicCreationsWriter>()(
  "longwave/engine/store/MusicCreationsWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const columns = sql`c.job_id, c.request_id, c.agent_id, c.ended, ${ms("c.created_at")} AS created_at_ms`
      return {
        /** The creation that the agent's key names, with the content that the key came with. */
        findByKey: (agentId: AgentId, commandKey: string) =>
          record(sql`
            SELECT ${columns}, k.body_sha256 FROM music_creation_keys k JOIN music_creations c ON c.job_id = k.job_id
            WHERE k.agent_id = ${agentId} AND k.command_key = ${commandKey}`),
        /** The agent's newest creation with this content since that instant that hasn't come to nothing. */
        findByContent: (agentId: AgentId, bodySha256: string, sinceMs: number) =>
          record(sql`
            SELECT ${columns}, c.body_sha256 FROM music_creations c JOIN music_requests r ON r.id = c.request_id
            WHERE c.agent_id = ${agentId} AND c.body_sha256 = ${bodySha256} AND c.created_at >= ${at(sinceMs)} AND r.status IN ('queued', 'generating', 'complete')
            ORDER BY c.created_at DESC LIMIT 1`),
        find: (jobId: string) =>
          record(sql`SELECT ${columns}, c.body_sha256 FROM music_creations c WHERE c.job_id = ${jobId}`),
        add: (creation: Omit<CreationRecord, "ended">) =>
          run(sql`
            INSERT INTO music_creations (job_id, request_id, agent_id, body_sha256, created_at)
            VALUES (${creation.jobId}, ${creation.requestId}, ${creation.agentId}, ${creation.bodySha256}, ${at(creation.createdAtMs)})`),
        name: (
          key: {
            readonly agentId: AgentId
            readonly commandKey: string
            readonly bodySha256: string
            readonly jobId: JobId
          },
          atMs: number
        ) =>
          run(sql`
            INSERT INTO music_creation_keys (agent_id, command_key, body_sha256, job_id, created_at)
            VALUES (${key.agentId}, ${key.commandKey}, ${key.bodySha256}, ${key.jobId}, ${at(atMs)})`),
        /** Keeps the end of the creation whose request is being deleted, if it is one. */
        keepEnd: (requestId: string, end: CreationEnd) =>
          run(
            sql`UPDATE music_creations SET ended = ${JSON.stringify(end)}::text::jsonb WHERE request_id = ${requestId}`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class MusicCreations extends Context.Service<MusicCreations, Pick<MusicCreationsWriter["Service"], "find">>()(
  "longwave/engine/store/MusicCreations"
) {
  static readonly layer = Layer.effect(this, MusicCreationsWriter).pipe(Layer.provideMerge(MusicCreationsWriter.layer))
}
