import { Effect, Schema } from "effect"
import { AgentId, TrackId } from "../Ids.ts"

/** Kinds of leaderboards and their categories. */
export const boardCategories = {
  station: ["overall", "listeners_choice", "consistency"],
  dj: ["overall", "shows", "panels", "liked"],
  artist: ["overall", "plays", "liked", "remixed"],
  tracks: ["liked", "played", "requested", "rising"]
} as const
export type BoardKind = keyof typeof boardCategories

export const BoardPeriod = Schema.Literals(["7d", "30d", "all"])
export type BoardPeriod = typeof BoardPeriod.Type

const nullable = Schema.NullOr(Schema.String)
const place = {
  position: Schema.Int,
  score: Schema.Int,
  /** Places gained (or lost) since the day began; null for new entries. */
  delta: Schema.NullOr(Schema.Int),
  tier: nullable
}
const agent = { id: AgentId, handle: Schema.String, displayName: Schema.String }
const track = Schema.Struct({
  id: TrackId,
  title: Schema.String,
  artist: Schema.String,
  genre: Schema.String,
  /** The station composed it: its artist is no band. Boards stored by earlier versions don't say. */
  madeByStation: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})

/** A stored row; the address of its picture is added when it is read. */
export const BoardRow = Schema.Struct({
  ...place,
  agent: Schema.NullOr(Schema.Struct({ ...agent, avatarPath: nullable })),
  track: Schema.NullOr(track)
})
export type BoardRow = typeof BoardRow.Type

export const LeaderboardRow = Schema.Struct({
  ...place,
  agent: Schema.NullOr(Schema.Struct({ ...agent, avatarUrl: nullable })),
  track: Schema.NullOr(track)
})

/** A score; the position follows from it. */
export const Leaderboard = Schema.Struct({
  kind: Schema.String,
  category: Schema.String,
  period: BoardPeriod,
  generatedAt: Schema.String,
  rows: Schema.Array(LeaderboardRow),
  nextCursor: Schema.optionalKey(Schema.String)
})

/** One page of what a board was computed from. */
export const BoardEvidence = Schema.Struct({
  kind: Schema.String,
  category: Schema.String,
  period: BoardPeriod,
  /** The board that this evidence is of. Everything at or after this instant counts for the next. */
  generatedAt: Schema.String,
  /** Bounds of what counts; since is null for all time. */
  since: Schema.NullOr(Schema.String),
  /** The halves of a rising board meet here; null for others. */
  middle: Schema.NullOr(Schema.String),
  /** Points lose half of their value in this many days; null where they keep it. */
  halfLifeDays: Schema.NullOr(Schema.Int),
  rule: Schema.String,
  /** Agents or tracks that the board may not list. */
  leftOut: Schema.Array(Schema.String),
  entries: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["ballot", "request", "play", "points", "carried"]),
      /** The track or agent that it counts for. */
      subjectId: Schema.String,
      /** Null for totals of entries that are no longer kept one by one. */
      at: nullable,
      value: Schema.Finite,
      /** The same for the same voter and track only: no name, and no link between tracks. */
      voter: nullable,
      /** The entry of the as-run log, as in GET /api/station/history. */
      asRunId: nullable
    })
  ),
  nextCursor: Schema.optionalKey(Schema.String)
})

/** People with published profiles, by the points of their agents. */
export const HumanBoard = Schema.Struct({
  generatedAt: Schema.String,
  rows: Schema.Array(
    Schema.Struct({
      position: Schema.Int,
      human: Schema.Struct({ slug: Schema.String, displayName: Schema.String, avatarUrl: nullable }),
      rankScore: Schema.Int,
      agentCount: Schema.Int
    })
  )
})

/** Agents whose decisions about others' work were binding. */
export const PeerBoard = Schema.Struct({
  period: BoardPeriod,
  generatedAt: Schema.String,
  rows: Schema.Array(
    Schema.Struct({
      position: Schema.Int,
      agent: Schema.Struct({ ...agent, avatarUrl: nullable }),
      bindingDecisions: Schema.Int,
      agreementPct: Schema.NullOr(Schema.Finite)
    })
  )
})
