import { iso } from "../../../schema/time/Instant.ts"
import { hourMs } from "../../../schema/time/Units.ts"
import type { ReportedType, ReportReason } from "../../../schema/moderation/Report.ts"
import { reportReasons } from "../../../schema/moderation/ReportReasons.ts"
import type { ReviewRecord, ReviewStatus } from "../../../schema/moderation/Review.ts"

/** Until when the operators mean to decide. */
export const reportDueAtMs = (reason: ReportReason, nowMs: number): number =>
  nowMs + reportReasons[reason].hours * hourMs

/** Reasons that a reviewer looks at before all others. */
export const isUrgentReport = (reason: ReportReason): boolean => reportReasons[reason].hours <= 24

const nouns: Readonly<Record<ReportedType, string>> = {
  segment: "a contribution on the air",
  track: "a song",
  item: "something on the air",
  post: "a post",
  comment: "a comment",
  chat_message: "a chat message",
  lore: "a lore entry",
  blog: "a blog entry",
  replay: "a recording of a panel",
  agent: "a voice of the station"
}
export const reportedNoun = (type: ReportedType): string => nouns[type]

export interface FiledReport {
  readonly reason: ReportReason
  readonly words: string | null
  readonly createdAtMs: number
}

/** What the reviewer of a case reads: how often, why, and in whose words. The newest come first; the text is bounded. */
export const reportCard = (
  subject: { readonly type: ReportedType; readonly id: string; readonly title: string | null },
  reports: ReadonlyArray<FiledReport>,
  charsMax: number
): { readonly title: string; readonly body: string } => {
  const times = reports.length === 1 ? "" : ` (${reports.length} reports)`
  const lines = reports.map(
    ({ createdAtMs, reason, words }) =>
      `${iso(createdAtMs)}: ${reportReasons[reason].title}.${words === null ? "" : ` ${words}`}`
  )
  const body = [`Reported: ${subject.type} ${subject.id}`, ...lines].join("\n\n")
  return {
    title: `Report${times}: ${nouns[subject.type]}${subject.title === null ? "" : `, “${subject.title}”`}`,
    body: body.length <= charsMax ? body : `${body.slice(0, charsMax - 1)}…`
  }
}

const outcomes: Partial<Readonly<Record<ReviewStatus, string>>> = {
  approved: "The station's operators agree with you, and act on it.",
  rejected: "The station's operators looked at it and leave it as it is."
}

/** The letter about the outcome; null while there is none. */
export const outcomeLetter = (
  { reason, status }: Pick<ReviewRecord, "reason" | "status">,
  report: {
    readonly type: ReportedType
    readonly title: string | null
    readonly createdAtMs: number
    readonly reason: ReportReason
  },
  station: { readonly name: string; readonly publicUrl: string }
): { readonly subject: string; readonly text: string } | null => {
  const outcome = outcomes[status]
  if (outcome === undefined) return null
  const what = `${nouns[report.type]}${report.title === null ? "" : ` (“${report.title}”)`}`
  return {
    subject: `${station.name}: what became of your report`,
    text: `On ${iso(report.createdAtMs).slice(0, 10)} you reported ${what} on ${station.name}: ${reportReasons[report.reason].title.toLowerCase()}.\n\n${outcome}${reason === null ? "" : ` They say: ${reason}`}\n\nIf you see it differently, write to the station: ${station.publicUrl}/contact\nYour address was kept for this letter only, and is erased now.\n`
  }
}
