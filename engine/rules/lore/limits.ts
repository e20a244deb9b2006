// Bounds of lore. The unit is last in the name.

export const panelLoreMax = 3
export const loreTitleCharsMax = 120
export const loreSummaryCharsMax = 1_500
export const loreExcerptCharsMax = 280
export const loreFilterCharsMax = 120

export const worldAgentsMax = 10
export const worldMoodHours = 48
export const audienceBandsMin = [10, 100, 1_000] as const
