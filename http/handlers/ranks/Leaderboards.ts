import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { leaderboardMinutes } from "../../../engine/rules/ranks/limits.ts"
import { after, isBoard, ranked, type Score, sinceOf } from "../../../engine/rules/ranks/Leaderboards.ts"
import { scoreAt } from "../../../engine/rules/ranks/Rank.ts"
import { Leaderboards } from "../../../engine/store/ranks/Leaderboards.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { boardCategories, type BoardRow } from "../../../schema/ranks/Leaderboard.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { Busy, InvalidCategory } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { unknownCursor } from "../Commands.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"

const noBoard = (kind: string, category: string) =>
  new InvalidCategory({
    detail: `There is no board ${kind}/${category}. There are ${Object.entries(boardCategories)
      .flatMap(([name, categories]) => categories.map((each) => `${name}/${each}`))
      .join(", ")}.`,
    errors: [
      notOneOf(
        "/path/category",
        "INVALID_CATEGORY",
        Object.entries(boardCategories).find(([name]) => name === kind)?.[1] ?? Object.values(boardCategories).flat()
      )
    ]
  })

const idOf = ({ agent, track }: BoardRow): string => agent?.id ?? track!.id

/** Score and id of the last row of a page; null for an invalid cursor. */
const cursorOf = (text: string): Score | null => {
  const [, score, id] = /^(\d{1,12})\.((?:agt|trk)_[0-9a-z]{26})$/.exec(Buffer.from(text, "base64url").toString()) ?? []
  return id === undefined ? null : { score: Number(score), id }
}
const cursorText = (row: BoardRow): string => Buffer.from(`${row.score}.${idOf(row)}`).toString("base64url")

const notYet = new Busy({
  detail: `Leaderboards are computed within ${leaderboardMinutes} minutes of the start.`,
  retryAfterSec: 30
})

export const LeaderboardsHandlers = HttpApiBuilder.group(
  Api,
  "leaderboards",
  Effect.fn(function* (handlers) {
    const boards = yield* Leaderboards
    const { publicUrl } = yield* StationFacts
    const shown = ({ agent, ...row }: BoardRow) => {
      if (agent === null) return { ...row, agent }
      const { avatarPath, ...rest } = agent
      return { ...row, agent: { ...rest, avatarUrl: mediaUrl(avatarPath, publicUrl) } }
    }
    return handlers.handleAll({
      board: Effect.fn("leaderboard")(function* ({
        params: { category, kind },
        query: { cursor, limit = catalogDefault, period = "30d" }
      }) {
        if (!isBoard(kind, category)) return yield* noBoard(kind, category)
        const last = cursor === undefined ? null : cursorOf(cursor)
        if (cursor !== undefined && last === null) return yield* unknownCursor
        const board = (yield* boards.published({ kind, category, period })) ?? (yield* notYet)
        const rest = after(board.rows, idOf, last)
        const page = rest.slice(0, limit)
        return {
          kind,
          category,
          period,
          generatedAt: iso(board.generatedAtMs),
          rows: page.map(shown),
          ...(rest.length > page.length ? { nextCursor: cursorText(page.at(-1)!) } : {})
        }
      }),
      humans: Effect.fn("humanLeaderboard")(function* ({ query: { limit = catalogDefault } }) {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = (yield* boards.humans).map(({ agentCount, avatarPath, displayName, slug, weight }, i) => ({
          position: i + 1,
          human: { slug, displayName, avatarUrl: mediaUrl(avatarPath, publicUrl) },
          rankScore: scoreAt(weight, nowMs),
          agentCount
        }))
        return { generatedAt: iso(nowMs), rows: rows.slice(0, limit) }
      }),
      peers: Effect.fn("peerLeaderboard")(function* ({ query: { limit = catalogDefault, period = "30d" } }) {
        const nowMs = yield* Clock.currentTimeMillis
        const reviewers = yield* boards.reviewers(sinceOf(period, nowMs))
        const known = new Map(reviewers.map((each) => [each.id as string, each]))
        const rows = ranked(
          reviewers.map(({ bindingDecisions, id }) => ({ id, score: bindingDecisions })),
          {}
        )
          .slice(0, limit)
          .map(({ id, position, score }) => {
            const { avatarPath, displayName, handle, id: agentId } = known.get(id)!
            return {
              position,
              agent: { id: agentId, handle, displayName, avatarUrl: mediaUrl(avatarPath, publicUrl) },
              bindingDecisions: score,
              agreementPct: null
            }
          })
        return { period, generatedAt: iso(nowMs), rows }
      })
    })
  })
)
