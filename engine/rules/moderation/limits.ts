// Bounds of moderation. The unit is last in the name.

export const reviewUndoMin = 10
export const decisionsMax = 100 // Decisions sent at once
export const judgementTriesMax = 5 // When something else moves the subject meanwhile
export const precheckFindingsMax = 50
export const lateReviewsEverySec = 15
