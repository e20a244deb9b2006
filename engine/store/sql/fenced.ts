import { Statement } from "effect/sql"

const text = Statement.literal
const parameter = (fence: number) => [Statement.parameter(BigInt(fence)), text("::bigint")]

/** Holds while nobody has taken the air from the owner of this token. */
export const ownsAir = (fence: number): Statement.Fragment =>
  Statement.fragment([
    text("NOT EXISTS (SELECT 1 FROM stations WHERE stations.fence > "),
    ...parameter(fence),
    text(")")
  ])

/** The same for a row that carries the token of its last writer: nobody overwrites what a later owner wrote. */
export const fenced = (fence: number, column = "fence"): Statement.Fragment =>
  Statement.fragment([text(`${column} <= `), ...parameter(fence), text(" AND "), ...ownsAir(fence).segments])
