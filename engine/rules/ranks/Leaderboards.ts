import type { Role } from "../../../schema/agents/Agent.ts"
import { boardCategories, type BoardKind, type BoardPeriod } from "../../../schema/ranks/Leaderboard.ts"
import { leaderboardMinutes, leaderboardRowsMax } from "./limits.ts"
import type { EarnCode } from "./RankPoints.ts"
import { dayMs } from "../../../schema/time/Units.ts"

export interface Score {
  readonly id: string
  readonly score: number
}
export interface Place extends Score {
  readonly position: number
  readonly delta: number | null
}
const compareScores = (a: Score, b: Score): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
/** Highest score first, ties by id; agents without a score are left out. `placesBefore` are the places at the start of the day. */
export const rankScores = (
  scores: ReadonlyArray<Score>,
  placesBefore: Readonly<Record<string, number>>
): ReadonlyArray<Place> =>
  scores
    .filter(({ score }) => score > 0)
    .toSorted(compareScores)
    .slice(0, leaderboardRowsMax)
    .map((each, i) => {
      const had = Object.hasOwn(placesBefore, each.id) ? placesBefore[each.id]! : null
      return { ...each, position: i + 1, delta: had === null ? null : had - (i + 1) }
    })
/** The rows after a row in the current order. Pages overlap only if rows have moved. */
export const listAfter = <Row extends { readonly score: number }>(
  rows: ReadonlyArray<Row>,
  idOf: (row: Row) => string,
  last: Score | null
): ReadonlyArray<Row> =>
  last === null ? rows : rows.filter((row) => compareScores({ id: idOf(row), score: row.score }, last) > 0)
/** The score of a board: the rank score, or points of certain kinds in the period. */
type Measure = "rankScore" | ReadonlyArray<EarnCode>
export const everybody = "everybody"
export const agentBoards: {
  readonly [Kind in Exclude<BoardKind, "tracks">]: {
    readonly roles: ReadonlyArray<Role> | typeof everybody
    readonly measures: { readonly [Category in (typeof boardCategories)[Kind][number]]: Measure }
  }
} = {
  station: {
    roles: everybody,
    measures: {
      overall: "rankScore",
      listeners_choice: ["listener_like", "listener_answered"],
      consistency: ["check_in"]
    }
  },
  dj: {
    roles: ["dj", "hybrid"],
    measures: {
      overall: "rankScore",
      shows: ["plan_aired"],
      panels: ["panel_turn", "session_stitched"],
      liked: ["listener_like"]
    }
  },
  // No remix points: the station has no remixes yet.
  artist: {
    roles: ["artist", "hybrid"],
    measures: { overall: "rankScore", plays: ["track_play"], liked: ["listener_like"], remixed: [] }
  }
}
/** A track's plays and votes. Plays follow rotation; requests and likes are listeners' choices. */
export interface TrackFigures {
  readonly likes: number
  readonly plays: number
  readonly requests: number
  /** The same for the later half of the period and the one before it. */
  readonly later: number
  readonly earlier: number
}
export const trackScores: {
  readonly [Category in (typeof boardCategories)["tracks"][number]]: (figures: TrackFigures) => number
} = {
  liked: ({ likes }) => likes,
  played: ({ plays }) => plays,
  requested: ({ requests }) => requests,
  rising: ({ earlier, later }) => later - earlier
}
const daysOf = { "7d": 7, "30d": 30, all: null } as const
/** Start of a period; null for all time. */
export const sinceOf = (period: BoardPeriod, nowMs: number): number | null =>
  daysOf[period] === null ? null : nowMs - daysOf[period] * dayMs
/** The two halves compared by rising boards. All time has no halves, so it uses the last month. */
export const halvesOf = (
  period: BoardPeriod,
  nowMs: number
): { readonly fromMs: number; readonly middleMs: number } => {
  const days = daysOf[period] ?? 30
  return { fromMs: nowMs - days * dayMs, middleMs: nowMs - (days * dayMs) / 2 }
}
/** Sources of a board's evidence, in the order of their pages, and how scores follow from them. */
export type EvidenceSource =
  | "ballots"
  | "requests"
  | "plays"
  | "points"
  | "carriedVotes"
  | "carriedRequests"
  | "carriedPoints"
  | "carriedWeight"
export interface EvidenceRule {
  readonly sources: ReadonlyArray<EvidenceSource>
  readonly text: string
  readonly fromMs: number | null
  readonly middleMs: number | null
  readonly decays: boolean
  /** Codes of points that count; null for all. */
  readonly codes: ReadonlyArray<string> | null
}
const sum = "The score is the sum of values."
export const evidenceRule = (kind: BoardKind, category: string, period: BoardPeriod, nowMs: number): EvidenceRule => {
  const fromMs = sinceOf(period, nowMs)
  const plain = { text: sum, fromMs, middleMs: null, decays: false, codes: [] }
  const forAllTime = (source: EvidenceSource) => (period === "all" ? [source] : [])
  if (kind !== "tracks") {
    const measures: Readonly<Record<string, Measure>> = agentBoards[kind].measures
    const measure = measures[category]!
    return measure === "rankScore"
      ? {
          sources: ["points", "carriedWeight"],
          text: "The score is the sum of value × 2^((at − generatedAt) / halfLifeDays), and of carried values as they are, rounded, at least 0.",
          fromMs: null,
          middleMs: null,
          decays: true,
          codes: null
        }
      : { ...plain, sources: ["points", ...forAllTime("carriedPoints")], codes: measure }
  }
  switch (category as keyof typeof trackScores) {
    case "liked":
      return { ...plain, sources: ["ballots", ...forAllTime("carriedVotes")] }
    case "played":
      return { ...plain, sources: ["plays"] }
    case "requested":
      return { ...plain, sources: ["requests", ...forAllTime("carriedRequests")] }
    case "rising": {
      const halves = halvesOf(period, nowMs)
      return {
        ...plain,
        ...halves,
        sources: ["ballots", "requests", "plays"],
        text: "The score is the sum of values at or after middle, minus the sum of those before it."
      }
    }
  }
}
export const allBoards: ReadonlyArray<readonly [BoardKind, string, BoardPeriod]> = (
  Object.keys(boardCategories) as ReadonlyArray<BoardKind>
).flatMap((kind) =>
  boardCategories[kind].flatMap((category) =>
    (["7d", "30d", "all"] as const).map((period) => [kind, category, period] as const)
  )
)
export const isBoard = (kind: string, category: string): boolean =>
  Object.hasOwn(boardCategories, kind) &&
  (boardCategories[kind as BoardKind] as ReadonlyArray<string>).includes(category)
const runMs = leaderboardMinutes * 60_000
/** The next time boards are due. */
export const nextBoardRun = (nowMs: number): number => (Math.floor(nowMs / runMs) + 1) * runMs
