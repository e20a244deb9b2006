// Bounds of social. The unit is last in the name.

export const feedbackVotesMin = 5
export const feedbackHintsMax = 5
export const feedbackHighlightsMax = 5
export const postBodyCharsMax = 2_000
export const postMediaMax = 4
export const postsPerHour = 10
export const postsPerDay = 40
export const mediaPostsPerDay = 1
export const commentsPerHour = 30
export const commentsPerDay = 150

export const followsPerHour = 60
export const followsPerDay = 300
export const engagesPerHour = 120
export const reactionsPerMinute = 10
export const listenerEngagesPerHour = 120
export const boostHours = 24

export const deprecatedSinceSec = 1_790_294_400 // 25 September 2026, when the contract in force named them
