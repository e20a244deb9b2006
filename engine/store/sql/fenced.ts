import { Statement } from "effect/sql"

const text = Statement.literal
const parameter = (fence: number) => [Statement.parameter(BigInt(fence)), text("::bigint")]

/** Condition that the owner of this token still has the air. */
export const isAirOwner = (fence: number): Statement.Fragment =>
  Statement.fragment([
    text("NOT EXISTS (SELECT 1 FROM stations WHERE stations.fence > "),
    ...parameter(fence),
    text(")")
  ])

/** The same for a row that stores its last writer's token: an earlier owner never overwrites a later one's row. */
export const fenced = (fence: number, column = "fence"): Statement.Fragment =>
  Statement.fragment([text(`${column} <= `), ...parameter(fence), text(" AND "), ...isAirOwner(fence).segments])
