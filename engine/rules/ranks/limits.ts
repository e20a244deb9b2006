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
export const pointGrantMax = 1_000
export const pointMovesShown = 50
