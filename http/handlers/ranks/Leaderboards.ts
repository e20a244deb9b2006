import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import {
  evidenceRowsDefault,
  leaderboardMinutes,
  rankHalfLifeDays,
  withdrawnVotesMs
} from "../../../engine/rules/ranks/limits.ts"
import {
  listAfter,
  evidenceRule,
  isBoard,
  rankScores,
  type Score,
  sinceOf
} from "../../../engine/rules/ranks/Leaderboards.ts"
import { scoreAt } from "../../../engine/rules/ranks/Rank.ts"
import { ChartEvidence, type Fact } from "../../../engine/store/ranks/ChartEvidence.ts"
import { PeerCases } from "../../../engine/store/moderation/PeerCases.ts"
import { Leaderboards } from "../../../engine/store/ranks/Leaderboards.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { boardCategories, type BoardKind, type BoardRow } from "../../../schema/ranks/Leaderboard.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { Busy, InvalidCategory, InvalidField } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { unknownCursor } from "../Commands.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"

const invalidCategory = (kind: string, category: string) =>
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

/** Where a page of evidence begins: in which source of which board, and after which of its rows. */
interface EvidencePlace {
  readonly generatedAtMs: number
  readonly asRunSeq: number
  readonly source: number
  readonly after: { readonly place: string; readonly shown: number } | null
}
const evidenceCursorText = ({ after, asRunSeq, generatedAtMs, source }: EvidencePlace): string =>
  Buffer.from([generatedAtMs, asRunSeq, source, after?.shown ?? "", after?.place ?? ""].join("|")).toString("base64url")
const evidenceCursorOf = (text: string): EvidencePlace | null => {
  const [, generatedAtMs, asRunSeq, source, shown, place] =
    /^(\d{1,15})\|(\d{1,15})\|(\d)\|(\d{0,9})\|([-\d:.+ ]{0,40})$/.exec(Buffer.from(text, "base64url").toString()) ?? []
  if (place === undefined) return null
  const isPlace = place === "" || /^\d{1,15}$/.test(place) || !Number.isNaN(Date.parse(place))
  return !isPlace
    ? null
    : {
        generatedAtMs: Number(generatedAtMs),
        asRunSeq: Number(asRunSeq),
        source: Number(source),
        after: shown === "" ? null : { place, shown: Number(shown) }
      }
}
/** After a full page: its last place, and how many rows of that place were shown so far. */
const placeAfter = (before: EvidencePlace["after"], facts: ReadonlyArray<Fact>) => {
  const { place } = facts.at(-1)!
  const shown = facts.filter((fact) => fact.place === place).length
  return { place, shown: shown + (before?.place === place ? before.shown : 0) }
}
const entryTypes = {
  ballots: "ballot",
  requests: "request",
  plays: "play",
  points: "points",
  carriedVotes: "carried",
  carriedRequests: "carried",
  carriedPoints: "carried",
  carriedWeight: "carried"
} as const
const outdated = new InvalidField({
  detail: "The evidence of this board is no longer kept. Start again without cursor, and read the board again.",
  errors: [{ pointer: "/query/cursor", code: "INVALID_FIELD", detail: "belongs to an older board" }]
})

const notYet = new Busy({
  detail: `Leaderboards are computed within ${leaderboardMinutes} minutes of the start.`,
  retryAfterSec: 30
})

export const LeaderboardsHandlers = HttpApiBuilder.group(
  Api,
  "leaderboards",
  Effect.fnUntraced(function* (handlers) {
    const boards = yield* Leaderboards
    const peers = yield* PeerCases
    const chartEvidence = yield* ChartEvidence
    const { publicUrl, slug } = yield* StationFacts
    const renderRow = ({ agent, ...row }: BoardRow) => {
      if (agent === null) return { ...row, agent }
      const { avatarPath, ...rest } = agent
      return { ...row, agent: { ...rest, avatarUrl: mediaUrl(avatarPath, publicUrl) } }
    }
    return handlers.handleAll({
      board: Effect.fnUntraced(function* ({
        params: { category, kind },
        query: { cursor, limit = catalogDefault, period = "30d" }
      }) {
        if (!isBoard(kind, category)) return yield* invalidCategory(kind, category)
        const last = cursor === undefined ? null : cursorOf(cursor)
        if (cursor !== undefined && last === null) return yield* unknownCursor
        const board = (yield* boards.findPublished({ kind, category, period })) ?? (yield* notYet)
        const rest = listAfter(board.rows, idOf, last)
        const page = rest.slice(0, limit)
        return {
          kind,
          category,
          period,
          generatedAt: iso(board.generatedAtMs),
          rows: page.map(renderRow),
          ...(rest.length > page.length ? { nextCursor: cursorText(page.at(-1)!) } : {})
        }
      }),
      evidence: Effect.fnUntraced(function* ({
        params: { category, kind },
        query: { cursor, limit = evidenceRowsDefault, period = "30d" }
      }) {
        if (!isBoard(kind, category)) return yield* invalidCategory(kind, category)
        const from = cursor === undefined ? null : evidenceCursorOf(cursor)
        if (cursor !== undefined && from === null) return yield* unknownCursor
        const board = (yield* boards.findPublished({ kind, category, period })) ?? (yield* notYet)
        // A page that is turned belongs to the board of the first one for as long as that is known.
        const of = from ?? { generatedAtMs: board.generatedAtMs, asRunSeq: board.asRunSeq, source: 0, after: null }
        const rule = evidenceRule(kind as BoardKind, category, period, of.generatedAtMs)
        const source = rule.sources[of.source]
        if (source === undefined || of.generatedAtMs > board.generatedAtMs) return yield* unknownCursor
        if (of.generatedAtMs < board.generatedAtMs - withdrawnVotesMs / 2) return yield* outdated
        const facts = yield* chartEvidence.page(source, {
          stationId: slug,
          fromMs: rule.fromMs,
          untilMs: of.generatedAtMs,
          asRunSeq: of.asRunSeq,
          salt: board.salt,
          codes: rule.codes,
          after: of.after,
          limit
        })
        const next =
          facts.length === limit
            ? { ...of, after: placeAfter(of.after, facts) }
            : of.source + 1 < rule.sources.length
              ? { ...of, source: of.source + 1, after: null }
              : null
        return {
          kind,
          category,
          period,
          generatedAt: iso(of.generatedAtMs),
          since: isoOrNull(rule.fromMs),
          middle: isoOrNull(rule.middleMs),
          halfLifeDays: rule.decays ? rankHalfLifeDays : null,
          rule: rule.text,
          leftOut: of.generatedAtMs === board.generatedAtMs ? board.leftOut : [],
          entries: facts.map(({ asRunSeq, atMs, subjectId, value, voter }) => ({
            type: entryTypes[source],
            subjectId,
            at: isoOrNull(atMs),
            value,
            voter,
            asRunId: asRunSeq === null ? null : `asr_${asRunSeq}`
          })),
          ...(next === null ? {} : { nextCursor: evidenceCursorText(next) })
        }
      }),
      humans: Effect.fnUntraced(function* ({ query: { limit = catalogDefault } }) {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = (yield* boards.humans).map(({ agentCount, avatarPath, displayName, slug, weight }, i) => ({
          position: i + 1,
          human: { slug, displayName, avatarUrl: mediaUrl(avatarPath, publicUrl) },
          rankScore: scoreAt(weight, nowMs),
          agentCount
        }))
        return { generatedAt: iso(nowMs), rows: rows.slice(0, limit) }
      }),
      peers: Effect.fnUntraced(function* ({ query: { limit = catalogDefault, period = "30d" } }) {
        const nowMs = yield* Clock.currentTimeMillis
        const reviewers = yield* boards.reviewers(sinceOf(period, nowMs))
        const known = new Map(reviewers.map((each) => [each.id as string, each]))
        const best = rankScores(
          reviewers.map(({ bindingDecisions, id }) => ({ id, score: bindingDecisions })),
          {}
        ).slice(0, limit)
        const agreed = yield* peers.agreements(best.map(({ id }) => id))
        const rows = best.map(({ id, position, score }) => {
          const { avatarPath, displayName, handle, id: agentId } = known.get(id)!
          return {
            position,
            agent: { id: agentId, handle, displayName, avatarUrl: mediaUrl(avatarPath, publicUrl) },
            bindingDecisions: score,
            agreementPct: agreed.get(id) ?? null
          }
        })
        return { period, generatedAt: iso(nowMs), rows }
      })
    })
  })
)
