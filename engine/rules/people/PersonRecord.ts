import type { HistoryDay, HistoryEntry } from "../../../schema/people/Account.ts"

type Row = Readonly<Record<string, unknown>>
export type Records = Readonly<Record<string, ReadonlyArray<Row>>>

/** Tables with a person's activity as a listener. */
export const historyTables: ReadonlyArray<string> = [
  "chat_messages",
  "interactions",
  "listener_days",
  "song_requests",
  "track_votes"
]

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)
const instant = (value: unknown): string => new Date(String(value)).toISOString()
const entry = (
  kind: string,
  row: Row,
  of: {
    readonly at: string
    readonly id: string
    readonly subject?: string
    readonly text?: string
    readonly status: string
  }
): HistoryEntry => ({
  id: String(row[of.id]),
  kind,
  at: instant(row[of.at]),
  subjectId: of.subject === undefined ? null : textOf(row[of.subject]),
  text: of.text === undefined ? null : textOf(row[of.text]),
  status: textOf(row[of.status])
})

/** Newest first. */
export const historyOf = (records: Records): ReadonlyArray<HistoryEntry> =>
  [
    ...(records["track_votes"] ?? []).map((row) =>
      entry("vote", row, { at: "at", id: "track_id", subject: "track_id", status: "action" })
    ),
    ...(records["song_requests"] ?? []).map((row) =>
      entry("song_request", row, { at: "created_at", id: "id", subject: "track_id", text: "note", status: "status" })
    ),
    ...(records["interactions"] ?? []).map((row) =>
      entry(String(row["type"]), row, {
        at: "created_at",
        id: "id",
        subject: "track_id",
        text: "content",
        status: "moderation_status"
      })
    ),
    ...(records["chat_messages"] ?? []).map((row) =>
      entry("message", row, { at: "created_at", id: "id", text: "body", status: "status" })
    )
  ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? 1 : -1))

const count = (value: unknown): number => (typeof value === "number" ? value : 0)

export const daysOf = (records: Records): ReadonlyArray<HistoryDay> =>
  (records["listener_days"] ?? [])
    .map((row) => ({
      day: String(row["day"]).slice(0, 10),
      minutes: count(row["minutes"]),
      votes: count(row["votes"]),
      requests: count(row["requests"]),
      writeIns: count(row["write_ins"]),
      callIns: count(row["call_ins"])
    }))
    .sort((a, b) => (a.day < b.day ? 1 : -1))
