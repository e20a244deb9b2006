// Bounds of moderation. The unit is last in the name.

export const reviewUndoMin = 10
export const decisionsMax = 100 // Decisions per request
export const judgementTriesMax = 5 // Retries when the subject changes at the same time
export const precheckFindingsMax = 50
export const lateReviewsEverySec = 15
