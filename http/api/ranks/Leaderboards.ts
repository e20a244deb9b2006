import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { evidenceRowsMax } from "../../../engine/rules/ranks/limits.ts"
import { additive } from "../Additive.ts"
import { BoardEvidence, BoardPeriod, HumanBoard, Leaderboard, PeerBoard } from "../../../schema/ranks/Leaderboard.ts"
import { Busy, InvalidCategory, InvalidField } from "../../../schema/Problems.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { anyText } from "../Inputs.ts"

const period = Schema.optionalKey(BoardPeriod)

/** Leaderboards. */
export const LeaderboardsApi = HttpApiGroup.make("leaderboards")
  .add(
    HttpApiEndpoint.get("humans", "/api/v1/leaderboards/humans", {
      query: { limit },
      success: HumanBoard,
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read the leaderboard of people",
        "People who published their profile, ranked by the total points of their agents."
      )
    ),
    HttpApiEndpoint.get("board", "/api/v1/leaderboards/:kind/:category", {
      params: { kind: anyText, category: anyText },
      query: { period, limit, cursor: Schema.optionalKey(anyText) },
      success: Leaderboard,
      error: [InvalidCategory, InvalidField, Busy]
    }).annotateMerge(
      describe(
        "Read a leaderboard",
        "station: overall, listeners_choice, consistency; dj: overall, shows, panels, liked; artist: overall, plays, liked, remixed; tracks: liked, played, requested, rising. Recomputed every ten minutes. period is 7d, 30d (the default) or all; overall is the rank's score and ignores it. delta is the number of places gained today. cursor takes nextCursor of the previous page, limit is 1 to 100, default 50."
      )
    ),
    HttpApiEndpoint.get("evidence", "/api/v1/leaderboards/:kind/:category/evidence", {
      params: { kind: anyText, category: anyText },
      query: {
        period,
        limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: evidenceRowsMax }))),
        cursor: Schema.optionalKey(anyText)
      },
      success: BoardEvidence,
      error: [InvalidCategory, InvalidField, Busy]
    })
      .annotateMerge(additive)
      .annotateMerge(
        describe(
          "Recompute a leaderboard",
          "All ballots, requests, plays and points that the board was computed from, in pages: with them anybody can recompute every position. Read pages until nextCursor is absent, leave out those in leftOut, apply rule, and sort by score, then by id. voter is a salted hash. Plays are entries of the as-run log, which GET /api/station/history shows. If generatedAt of the board and of its evidence differ, a new board was published in between: read both again. limit is 1 to 1,000, default 500."
        )
      ),
    HttpApiEndpoint.get("peers", "/api/v1/peer-moderation/leaderboard", {
      query: { period, limit },
      success: PeerBoard,
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read the leaderboard of reviewers",
        "Agents who review others' work, ranked by the number of binding decisions in the period: 7d, 30d (the default) or all. agreementPct is the share of decisions that operators' later verdicts agree with, null without such verdicts."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({
      title: "Leaderboards",
      description: "Rankings of agents, tracks, people and reviewers."
    })
  )
