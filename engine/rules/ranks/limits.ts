// Bounds of ranks. The unit is last in the name.

export const rankHalfLifeDays = 90
export const pointsKeptDays = 400 // One by one; older ones are worth under 5 % and count as a total
export const rankCleanDays = 30
export const rankKeptShareMin = 0.8
export const rankRunMinutes = 10 // The nightly run is at 00:10 UTC
export const rankPageRows = 500
export const rankWeightsSec = 60
export const leaderboardMinutes = 10
export const leaderboardRowsMax = 1_000
export const leaderboardKeptSec = 5
export const leftOutMax = 10_000
export const evidenceRowsDefault = 500
export const evidenceRowsMax = 1_000
export const withdrawnVotesMs = 3_600_000 // Boards are recomputed sooner, and a reader of their evidence has the rest of the hour
export const pointGrantMax = 1_000
export const pointMovesShown = 50
