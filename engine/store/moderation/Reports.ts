import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ReportId } from "../../../schema/Ids.ts"
import { ReportedType, ReportReason } from "../../../schema/moderation/Report.ts"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const Report = Schema.Struct({
  id: ReportId,
  caseId: ReportId,
  subjectType: ReportedType,
  subjectId: Schema.String,
  title: Schema.NullOr(Schema.String),
  reason: ReportReason,
  words: Schema.NullOr(Schema.String),
  /** Name and address of the reporter; null if none was given, or once it is erased. */
  contactSealed: Schema.NullOr(Schema.String),
  toldAtMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite
})
export type ReportRecord = typeof Report.Type

const report = row(Report)
const reports = rows(Report)
const titled = row(Schema.Struct({ title: Schema.NullOr(Schema.String) }))

/** Listeners' reports, by case. */
export class ReportsWriter extends Context.Service<ReportsWriter>()("longwave/engine/store/ReportsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`SELECT id, case_id, subject_type, subject_id, title, reason, words, contact_sealed, ${ms("told_at")} AS told_at_ms, ${ms("created_at")} AS created_at_ms FROM reports`
    /** Public subjects of each type; only what a listener can hear or read is reported. */
    const titles = {
      segment: (id: string) => sql`SELECT title FROM segments WHERE id = ${id} AND status IN ('airing', 'aired')`,
      track: (id: string) => sql`SELECT title FROM tracks WHERE id = ${id} AND approval_status = 'approved'`,
      item: (id: string) => sql`
        SELECT title FROM as_run WHERE item_id = ${id}
        UNION ALL SELECT body->>'title' AS title FROM as_run_open WHERE body->>'itemId' = ${id} LIMIT 1`,
      post: (id: string) =>
        sql`SELECT left(body, 80) AS title FROM posts WHERE id = ${id} AND status = 'approved' AND visibility = 'public'`,
      comment: (id: string) =>
        sql`SELECT left(body, 80) AS title FROM comments WHERE id = ${id} AND status = 'approved'`,
      chat_message: (id: string) =>
        sql`SELECT left(body, 80) AS title FROM chat_messages WHERE id = ${id} AND status = 'approved'`,
      lore: (id: string) =>
        sql`SELECT title FROM lore_entries WHERE id = ${id} AND status NOT IN ('rejected', 'merged')`,
      blog: (id: string) =>
        sql`SELECT title FROM blog_entries WHERE (id = ${id} OR slug = ${id}) AND status = 'published'`,
      replay: (id: string) =>
        sql`SELECT body->>'title' AS title FROM replays WHERE id = ${id} AND published_at IS NOT NULL AND NOT hidden`,
      agent: (id: string) =>
        sql`SELECT '@' || handle AS title FROM agents WHERE (id = ${id} OR handle = ${id}) AND status <> 'pending' AND deleted_at IS NULL`
    } as const
    return {
      /** The title of something that listeners can hear or read; null for anything else. */
      findSubject: (type: ReportedType, id: string) => titled(titles[type](id)),
      find: (id: string) => report(sql`${columns} WHERE id = ${id}`),
      /** The open case of a subject, locked until the caller's transaction ends; null if there is none. */
      lockCase: Effect.fnUntraced(function* (type: ReportedType, id: string) {
        yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`report:${type}:${id}`}))`
        const first = yield* report(
          sql`${columns} WHERE subject_type = ${type} AND subject_id = ${id} AND closed_at IS NULL ORDER BY created_at LIMIT 1`
        )
        return first?.caseId ?? null
      }, Effect.orDie),
      /** Newest first. */
      listOfCase: (caseId: string, limit: number) =>
        reports(sql`${columns} WHERE case_id = ${caseId} ORDER BY created_at DESC, id DESC LIMIT ${limit}`),
      /** Reports of a decided case whose reporters wait for the outcome. */
      listUntold: (caseId: string, limit: number) =>
        reports(
          sql`${columns} WHERE case_id = ${caseId} AND contact_sealed IS NOT NULL AND told_at IS NULL ORDER BY id LIMIT ${limit}`
        ),
      add: (given: Omit<ReportRecord, "toldAtMs">) =>
        run(sql`
        INSERT INTO reports (id, case_id, subject_type, subject_id, title, reason, words, contact_sealed, created_at)
        VALUES (${given.id}, ${given.caseId}, ${given.subjectType}, ${given.subjectId}, ${given.title}, ${given.reason}, ${given.words}, ${given.contactSealed}, ${at(given.createdAtMs)})`),
      /** Closes a case, or opens it again after an undo. */
      close: (caseId: string, atMs: number | null) =>
        run(sql`UPDATE reports SET closed_at = ${at(atMs)} WHERE case_id = ${caseId}`),
      /** Notes that the reporter was told, and erases the address. */
      markTold: (id: string, atMs: number) =>
        run(sql`UPDATE reports SET told_at = ${at(atMs)}, contact_sealed = NULL WHERE id = ${id}`),
      /** Deletes reports whose case closed before `closedMs`. */
      purge: (closedMs: number) =>
        countChanged(
          sql`DELETE FROM reports WHERE id IN (SELECT id FROM reports WHERE closed_at < ${at(closedMs)} LIMIT ${purgeRows}) RETURNING id`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Reports extends Context.Service<
  Reports,
  Pick<ReportsWriter["Service"], "find" | "findSubject" | "listOfCase">
>()("longwave/engine/store/Reports") {
  static readonly layer = Layer.effect(this, ReportsWriter).pipe(Layer.provideMerge(ReportsWriter.layer))
}
