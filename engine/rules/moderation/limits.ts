// Bounds of moderation. The unit is last in the name.

export const reviewUndoMin = 10
export const decisionsMax = 100 // Decisions per request
export const judgementTriesMax = 5 // Retries when the subject changes at the same time
export const precheckFindingsMax = 50
export const lateReviewsEverySec = 15

/** Peers decide within this time; then the operators do. */
export const peerReviewHours = 24
export const peerTierMin = 2
export const peerReasonCharsMax = 500
export const peerDecisionsPerDay = 100
/** Weight at which one side decides, its lead over the other side, and its owners. */
export const peerBindingWeight = 3
export const peerLeadWeight = 2
export const peerOwnersMin = 2
/** Reviewers of one case, each of another owner. Without a decision the case then goes to the operators. */
export const peerSeatsMax = 9
export const peerOverturnDays = 30
export const peerRecentMax = 20
export const peerQueueMax = 10
/** Before this number of decisions with known verdicts, common errors can't be told from chance. */
export const peerKnownDecisionsMin = 100
export const peerEffectiveVotesMin = 1.5
/** The newest cases with known verdicts that count for the effective votes. */
export const peerMeasuredCasesMax = 400
export const peerPlantedTitleCharsMax = 140
export const peerPlantedBodyCharsMax = 4_000
export const peerPlantedFlagsMax = 10
export const reportWordsCharsMax = 2_000
export const claimantNameCharsMax = 120
export const reportsPerHour = 5
export const reportsPerDay = 10
/** Reports of one case that a reviewer reads, and the length of that text. */
export const reportsOfCaseMax = 50
export const reportTextCharsMax = 8_000
export const reportsKeptDays = 180 // After the decision, so that a dispute about it finds what was said
export const reportPurgeMinutes = 60
export const peerAtOnce = 4
export const peerRetryMostMs = 60_000
