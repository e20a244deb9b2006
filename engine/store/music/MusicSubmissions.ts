import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { onBoard, openSubmissions, type SubmissionState } from "../../rules/music/Adoption.ts"
import {
  retiredSoundHours,
  submissionLeftMinutes,
  submissionsKeptDays,
  submissionUndoMinutes
} from "../../rules/music/limits.ts"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { AgentId, AssetId, HumanId, SubmissionId, TrackId } from "../../../schema/Ids.ts"
import {
  type Adoption,
  MusicSubmission,
  SubmissionRecord,
  type SubmissionStatus
} from "../../../schema/music/MusicSubmission.ts"
import type { SoundFacts } from "../../../schema/Sound.ts"
import { dayMs, hourMs } from "../../../schema/time/Units.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

const columns = `id, human_id, status, status_reason, title, genre, mood, note, rights_declaration, synthetic_disclosure, content_type,
  byte_size::float8 AS byte_size, sha256, duration_sec, asset_id, facts, track_id,
  CASE WHEN adoption_id IS NOT NULL THEN jsonb_build_object('id', adoption_id, 'agentId', adopted_by, 'pitch', pitch, 'atMs', ${msText("adopted_at")}) END AS adoption,
  ${msText("created_at")} AS created_at_ms, ${msText("updated_at")} AS updated_at_ms`
const one = row(MusicSubmission)
const many = rows(MusicSubmission)
const record = row(SubmissionRecord)
const records = rows(SubmissionRecord)
const recordColumns = `${columns}, (SELECT a.handle FROM agents a WHERE a.id = adopted_by) AS handle,
  (SELECT jsonb_build_object('id', r.id, 'kind', r.kind, 'status', r.status) FROM reviews r
    WHERE r.subject_type = 'music_submission' AND r.subject_id = music_submissions.id AND r.status IN ('open', 'held', 'escalated')) AS review`
const count = onlyRow(Schema.Struct({ n: Schema.Finite }))
const isTaken = (error: SqlError.SqlError): boolean => error.reason._tag === "UniqueViolation"

/** A recording that passed its checks. */
export interface ExaminedSubmission {
  readonly durationSec: number
  readonly assetId: AssetId
  readonly fingerprint: Uint8Array | null
  readonly facts: SoundFacts | null
}

/** Recordings that people sent in, and their adoptions. Every change names the state that it expects, so that of two only the first counts. */
export class MusicSubmissionsWriter extends Context.Service<MusicSubmissionsWriter>()(
  "longwave/engine/store/MusicSubmissionsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = sql.literal(columns)
      const adoptionAssignments = (adoption: Adoption | null) =>
        sql`adoption_id = ${adoption?.id ?? null}, adopted_by = ${adoption?.agentId ?? null}, pitch = ${adoption?.pitch ?? null}, adopted_at = ${at(adoption?.atMs ?? null)}`
      return {
        /** False if the station has the same bytes from somebody already. */
        add: (made: MusicSubmission) =>
          Effect.catchIf(
            // With a savepoint, so that the caller's transaction survives a refusal.
            Effect.as(
              sql.withTransaction(sql`
                INSERT INTO music_submissions (id, human_id, status, title, genre, mood, note, rights_declaration, synthetic_disclosure, content_type, byte_size, sha256, created_at, updated_at)
                VALUES (${made.id}, ${made.humanId}, ${made.status}, ${made.title}, ${made.genre}, ${made.mood}, ${made.note}, ${made.rightsDeclaration}, ${made.syntheticDisclosure},
                  ${made.contentType}, ${made.byteSize}, ${made.sha256}, ${at(made.createdAtMs)}, ${at(made.createdAtMs)})`),
              true
            ),
            isTaken,
            () => Effect.succeed(false)
          ).pipe(Effect.orDie),
        find: (id: string) => one(sql`SELECT ${all} FROM music_submissions WHERE id = ${id}`),
        /** The one with these bytes that wasn't rejected or withdrawn. */
        holder: (sha256: string) =>
          one(
            sql`SELECT ${all} FROM music_submissions WHERE sha256 = ${sha256} AND status NOT IN ('rejected', 'withdrawn')`
          ),
        /** A person's, newest first. */
        listByHuman: (humanId: HumanId | string, limit: number) =>
          many(
            sql`SELECT ${all} FROM music_submissions WHERE human_id = ${humanId} AND status <> 'examining' ORDER BY created_at DESC, id DESC LIMIT ${limit}`
          ),
        /** How many of a person's wait for somebody. */
        openOf: (humanId: HumanId) =>
          Effect.map(
            count(
              sql`SELECT count(*)::float8 AS n FROM music_submissions WHERE human_id = ${humanId} AND status IN ${sql.in(openSubmissions)}`
            ),
            ({ n }) => n
          ),
        /** The board, newest first. Null if the cursor is unknown. */
        board: Effect.fnUntraced(function* (limit: number, cursor: string | null) {
          const after =
            cursor === null ? null : yield* one(sql`SELECT ${all} FROM music_submissions WHERE id = ${cursor}`)
          if (cursor !== null && after === null) return null
          const found = yield* many(sql`
            SELECT ${all} FROM music_submissions WHERE ${sql.and([
              sql`status IN ${sql.in(onBoard)}`,
              ...(after === null ? [] : [sql`(created_at, id) < (${at(after.createdAtMs)}, ${after.id})`])
            ])} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
          const page = found.slice(0, limit)
          return { submissions: page, next: found.length > limit ? page.at(-1)!.id : null }
        }),
        /** All that people sent in, newest first. Null if the cursor is unknown. */
        listRecords: Effect.fnUntraced(function* (
          status: SubmissionStatus | null,
          limit: number,
          cursor: string | null
        ) {
          const after =
            cursor === null ? null : yield* one(sql`SELECT ${all} FROM music_submissions WHERE id = ${cursor}`)
          if (cursor !== null && after === null) return null
          const found = yield* records(sql`
            SELECT ${sql.literal(recordColumns)} FROM music_submissions WHERE ${sql.and([
              sql`status <> 'examining'`,
              ...(status === null ? [] : [sql`status = ${status}`]),
              ...(after === null ? [] : [sql`(created_at, id) < (${at(after.createdAtMs)}, ${after.id})`])
            ])} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
          const page = found.slice(0, limit)
          return { submissions: page, next: found.length > limit ? page.at(-1)!.id : null }
        }),
        findRecord: (id: string) =>
          record(
            sql`SELECT ${sql.literal(recordColumns)} FROM music_submissions WHERE id = ${id} AND status <> 'examining'`
          ),
        /** The submission of this adoption; null if it was returned to the board. */
        findAdopted: (adoptionId: string) =>
          record(sql`SELECT ${sql.literal(recordColumns)} FROM music_submissions WHERE adoption_id = ${adoptionId}`),
        /** What an agent adopted, newest first. */
        listAdoptedBy: (agentId: AgentId, limit: number) =>
          many(
            sql`SELECT ${all} FROM music_submissions WHERE adopted_by = ${agentId} ORDER BY adopted_at DESC, id DESC LIMIT ${limit}`
          ),
        /** How many of an agent's adoptions wait for the operators. */
        adoptionsOpen: (agentId: AgentId) =>
          Effect.map(
            count(
              sql`SELECT count(*)::float8 AS n FROM music_submissions WHERE adopted_by = ${agentId} AND status = 'adopted'`
            ),
            ({ n }) => n
          ),
        /** It passed its checks and waits for its review. Null if it is gone. */
        markExamined: (
          id: SubmissionId,
          { assetId, durationSec, facts, fingerprint }: ExaminedSubmission,
          atMs: number
        ) =>
          one(sql`
            UPDATE music_submissions SET status = 'pending_review', duration_sec = ${durationSec}, asset_id = ${assetId}, fingerprint = ${fingerprint},
              facts = ${facts === null ? null : JSON.stringify(facts)}::text::jsonb, updated_at = ${at(atMs)}
            WHERE id = ${id} AND status = 'examining' RETURNING ${all}`),
        /** One agent adopts what is on the board: of several, the first. Null for the others. */
        adopt: (id: string, adoption: Adoption) =>
          one(sql`
            UPDATE music_submissions SET status = 'adopted', ${adoptionAssignments(adoption)}, updated_at = ${at(adoption.atMs)}
            WHERE id = ${id} AND status = 'listed' RETURNING ${all}`),
        /** Moves one in exactly this state; null if it is in another by now. */
        move: (
          id: string,
          before: SubmissionState,
          after: SubmissionState,
          {
            atMs,
            reason,
            trackId
          }: { readonly reason: string | null; readonly trackId: TrackId | null; readonly atMs: number }
        ) =>
          one(sql`
            UPDATE music_submissions SET status = ${after.status}, status_reason = ${reason}, track_id = ${trackId}, ${adoptionAssignments(after.adoption)}, updated_at = ${at(atMs)}
            WHERE id = ${id} AND status = ${before.status} AND adoption_id IS NOT DISTINCT FROM ${before.adoption?.id ?? null} RETURNING ${all}`),
        /** The person takes it back, in any state; null if it isn't theirs or ended before. */
        withdraw: (id: string, humanId: HumanId, from: ReadonlyArray<SubmissionStatus>, atMs: number) =>
          one(sql`
            UPDATE music_submissions SET status = 'withdrawn', status_reason = NULL, updated_at = ${at(atMs)}
            WHERE id = ${id} AND human_id = ${humanId} AND status IN ${sql.in(from)} RETURNING ${all}`),
        /** Puts back on the board what an agent that leaves had adopted. */
        release: (agentId: AgentId, atMs: number) =>
          many(sql`
            UPDATE music_submissions SET status = 'listed', ${adoptionAssignments(null)}, updated_at = ${at(atMs)}
            WHERE adopted_by = ${agentId} AND status = 'adopted' RETURNING ${all}`),
        /** All of a person that is erased, locked. */
        listLocked: (humanId: HumanId) =>
          many(sql`SELECT ${all} FROM music_submissions WHERE human_id = ${humanId} FOR UPDATE`),
        /** Forgets who sent it and what they said; its sound goes with the next sweep. */
        disown: (id: SubmissionId, atMs: number) =>
          run(sql`
            UPDATE music_submissions SET status = 'withdrawn', status_reason = NULL, human_id = NULL, title = '', note = NULL, synthetic_disclosure = NULL, facts = NULL, fingerprint = NULL, updated_at = ${at(atMs)}
            WHERE id = ${id}`),
        remove: (id: SubmissionId) => run(sql`DELETE FROM music_submissions WHERE id = ${id}`),
        /** Deletes one that is still examined: it was refused. */
        removeRefused: (id: SubmissionId) =>
          hasChanged(sql`DELETE FROM music_submissions WHERE id = ${id} AND status = 'examining' RETURNING id`),
        /** What a process left when it died. */
        listLeft: (nowMs: number) =>
          many(
            sql`SELECT ${all} FROM music_submissions WHERE status = 'examining' AND updated_at < ${at(nowMs - submissionLeftMinutes * 60_000)} ORDER BY updated_at LIMIT ${purgeRows}`
          ),
        /** Ended ones whose sound is still here, though nothing needs it: a track that was on the air may play to its end. */
        audible: (nowMs: number) =>
          many(sql`
            SELECT ${all} FROM music_submissions WHERE asset_id IS NOT NULL AND status IN ('rejected', 'withdrawn')
              AND updated_at < CASE WHEN track_id IS NULL THEN ${at(nowMs - submissionUndoMinutes * 60_000)} ELSE ${at(nowMs - retiredSoundHours * hourMs)} END
            ORDER BY updated_at LIMIT ${purgeRows}`),
        /** Its sound is deleted. */
        removeSound: (id: SubmissionId) =>
          run(sql`UPDATE music_submissions SET asset_id = NULL, fingerprint = NULL, facts = NULL WHERE id = ${id}`),
        /** Deletes rows some time after their end. Returns their number. */
        purge: (nowMs: number) =>
          Effect.orDie(
            Effect.map(
              sql`DELETE FROM music_submissions WHERE id IN (
                SELECT id FROM music_submissions WHERE asset_id IS NULL AND status IN ('rejected', 'withdrawn') AND updated_at < ${at(nowMs - submissionsKeptDays * dayMs)} LIMIT ${purgeRows}
              ) RETURNING id`,
              ({ length }) => length
            )
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class MusicSubmissions extends Context.Service<
  MusicSubmissions,
  Pick<
    MusicSubmissionsWriter["Service"],
    | "find"
    | "holder"
    | "listByHuman"
    | "openOf"
    | "board"
    | "listAdoptedBy"
    | "adoptionsOpen"
    | "listRecords"
    | "findRecord"
    | "findAdopted"
  >
>()("longwave/engine/store/MusicSubmissions") {
  static readonly layer = Layer.effect(this, MusicSubmissionsWriter).pipe(
    Layer.provideMerge(MusicSubmissionsWriter.layer)
  )
}
