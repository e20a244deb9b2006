import { Clock, Effect } from "effect"
import {
  agentBoards,
  allBoards,
  everybody,
  halvesOf,
  type Place,
  rankScores,
  sinceOf,
  type TrackFigures,
  trackScores
} from "../../engine/rules/ranks/Leaderboards.ts"
import { dayName, type EarnCode } from "../../engine/rules/ranks/RankPoints.ts"
import { scoreAt } from "../../engine/rules/ranks/Rank.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Leaderboards, LeaderboardsWriter, type RankedAgent } from "../../engine/store/ranks/Leaderboards.ts"
import type { BoardKind, BoardPeriod, BoardRow } from "../../schema/ranks/Leaderboard.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { leftOutMax, rankPageRows } from "../../engine/rules/ranks/limits.ts"
import { earn } from "./inTransaction.ts"
import { emitRank } from "../runtime/emit.ts"

/** Books the points agents earned by likes and plays of their tracks in the last day. Each like and play counts once, even if withdrawn. */
export const reward = Effect.fnUntraced(function* () {
  const { listUnrewarded } = yield* Leaderboards
  const { run } = yield* Transaction
  const sinceMs = (yield* Clock.currentTimeMillis) - dayMs
  for (;;) {
    const page = yield* listUnrewarded(sinceMs, rankPageRows)
    for (const { agentId, code, subjectId } of page)
      yield* run(Effect.flatMap(earn({ agentId, code: code as EarnCode, subjectId }), emitRank))
    if (page.length < rankPageRows) return
  }
})

const periods: ReadonlyArray<BoardPeriod> = ["7d", "30d", "all"]
type Sums = ReadonlyMap<string, { readonly count: number; readonly points: number }>
const indexByName = (
  sums: ReadonlyArray<{ readonly id: string; readonly code: string; readonly count: number; readonly points: number }>
): Sums => new Map(sums.map((sum) => [`${sum.id} ${sum.code}`, sum]))
/** Inputs of all boards, read once. */
const facts = Effect.gen(function* () {
  const boards = yield* Leaderboards
  const { stationSlug } = yield* StationConfig
  // The end is left out, so what happened in this very millisecond counts, here and in the evidence.
  const nowMs = (yield* Clock.currentTimeMillis) + 1
  const agents = yield* boards.agents(nowMs)
  const tracks = yield* boards.tracks
  // Read before the plays, so that plays logged meanwhile count for the next board.
  const asRunSeq = yield* boards.findLastAsRun(stationSlug)
  const readPeriods = <A>(read: (period: BoardPeriod) => Effect.Effect<A>) =>
    Effect.map(
      Effect.forEach(periods, (period) => Effect.map(read(period), (value) => [period, value] as const)),
      (all) => new Map(all)
    )
  const earned = yield* readPeriods((period) =>
    Effect.map(boards.sumEarned(sinceOf(period, nowMs), nowMs), indexByName)
  )
  const wished = yield* readPeriods((period) =>
    Effect.gen(function* () {
      const { fromMs, middleMs } = halvesOf(period, nowMs)
      const [all, earlier, later] = yield* Effect.all([
        boards.sumWished(stationSlug, asRunSeq, sinceOf(period, nowMs), nowMs),
        boards.sumWished(stationSlug, asRunSeq, fromMs, middleMs),
        boards.sumWished(stationSlug, asRunSeq, middleMs, nowMs)
      ])
      return { all: indexByName(all), earlier: indexByName(earlier), later: indexByName(later) }
    })
  )
  return { nowMs, asRunSeq, agents, tracks, earned, wished }
})
type Facts = Effect.Success<typeof facts>
const tierName = (tier: number | null): string | null => (tier === null ? null : `T${tier}`)
const agentRow = ({ avatarPath, displayName, handle, id, tier }: RankedAgent) => ({
  agent: { id, handle, displayName, avatarPath },
  track: null,
  tier: tierName(tier)
})
const agentPlaces = (
  { agents, earned, nowMs }: Facts,
  kind: Exclude<BoardKind, "tracks">,
  category: string,
  period: BoardPeriod,
  before: Readonly<Record<string, number>>
): ReadonlyArray<BoardRow> => {
  const { measures, roles } = agentBoards[kind]
  const measure = (measures as Readonly<Record<string, "rankScore" | ReadonlyArray<string>>>)[category]!
  const members = new Map(
    agents.filter(({ role }) => roles === everybody || roles.includes(role)).map((agent) => [agent.id as string, agent])
  )
  const sums = earned.get(period)!
  const scoreOf = ({ id, weight }: RankedAgent): number =>
    measure === "rankScore"
      ? scoreAt(weight, nowMs)
      : measure.reduce((total, code) => total + (sums.get(`${id} ${code}`)?.points ?? 0), 0)
  return rankScores(
    [...members.values()].map((agent) => ({ id: agent.id, score: scoreOf(agent) })),
    before
  ).map(({ delta, id, position, score }) => ({ position, score, delta, ...agentRow(members.get(id)!) }))
}
const trackPlaces = (
  { tracks, wished }: Facts,
  category: keyof typeof trackScores,
  period: BoardPeriod,
  before: Readonly<Record<string, number>>
): ReadonlyArray<BoardRow> => {
  const known = new Map(tracks.map((track) => [track.id as string, track]))
  const { all, earlier, later } = wished.get(period)!
  const sum = (sums: Sums, id: string, codes: ReadonlyArray<string>) =>
    codes.reduce((total, code) => total + (sums.get(`${id} ${code}`)?.count ?? 0), 0)
  const figures = (id: string): TrackFigures => {
    const everything = ["like", "request", "play"]
    return {
      likes: sum(all, id, ["like"]),
      plays: sum(all, id, ["play"]),
      requests: sum(all, id, ["request"]),
      later: sum(later, id, everything),
      earlier: sum(earlier, id, everything)
    }
  }
  return rankScores(
    tracks.map(({ id }) => ({ id, score: trackScores[category](figures(id)) })),
    before
  ).map(({ delta, id, position, score }: Place) => {
    const { artist, genre, madeByStation, tier, title } = known.get(id)!
    return {
      position,
      score,
      delta,
      agent: null,
      track: { id: known.get(id)!.id, title, artist, genre, madeByStation },
      tier: tierName(tier)
    }
  })
}
/** Everybody with points or plays whom a board may not list: others must leave them out, too. */
const leftOutOf = (
  { agents, earned, tracks, wished }: Facts,
  kind: BoardKind,
  category: string,
  period: BoardPeriod
): ReadonlyArray<string> => {
  const roles = kind === "tracks" ? everybody : agentBoards[kind].roles
  const listed = new Set<string>(
    kind === "tracks"
      ? tracks.map(({ id }) => id)
      : agents.filter(({ role }) => roles === everybody || roles.includes(role)).map(({ id }) => id)
  )
  const sums =
    kind === "tracks" ? Object.values(wished.get(period)!) : [earned.get(category === "overall" ? "all" : period)!]
  const scored = new Set(sums.flatMap((one) => [...one.keys()].map((name) => name.split(" ")[0]!)))
  return [...scored].filter((id) => !listed.has(id)).slice(0, leftOutMax)
}
const idOf = ({ agent, track }: BoardRow): string => agent?.id ?? track!.id
/** Recomputes every board. Changes of position are relative to the start of the UTC day. */
export const makeLeaderboards = Effect.fnUntraced(function* () {
  const boards = yield* LeaderboardsWriter
  yield* reward()
  const now = yield* facts
  const day = dayName(now.nowMs)
  for (const [kind, category, period] of allBoards) {
    const name = { kind, category, period }
    const former = yield* boards.board(name)
    const placesBefore =
      former === null
        ? {}
        : former.day === day
          ? former.placesBefore
          : Object.fromEntries(former.rows.map((row) => [idOf(row), row.position]))
    const rows =
      kind === "tracks"
        ? trackPlaces(now, category as keyof typeof trackScores, period, placesBefore)
        : agentPlaces(now, kind, category, period, placesBefore)
    yield* boards.publish(name, {
      generatedAtMs: now.nowMs,
      day,
      placesBefore,
      rows,
      asRunSeq: now.asRunSeq,
      leftOut: leftOutOf(now, kind, category, period)
    })
  }
})
