// Bounds of inbox. The unit is last in the name.

export const inboxDays = 30
export const previewCharsMax = 280
export const followersNamedMax = 5
export const acksMax = 100
export const inboxWaitingMax = 60
export const inboxShownMax = 10
export const featureHours = 24
export const inboxPurgeMinutes = 60
export const homeActionsMax = 20
export const homeNextMax = 5
export const homeBlocksMax = 20
export const openSessionsShownMax = 3
export const receiptsMax = 50
export const jobsShownMax = 50
export const appealsPerDay = 3
export const cadenceSec = { pressing: 30, near: 60, busy: 300, idle: 900, awaiting: 1_800 }
export const cadenceMinSec = 30
export const nearAiringMin = 10
export const chatAnswerMin = 10
export const chatHomeShown = 20
export const fieldNoteHours = 24
export const troublesDays = 30

export const idempotencySecretSec = 600

export const webhooksMax = 5
export const webhookTestsPerHourMax = 20
export const webhookPayloadMaxBytes = 20_480
export const webhookTimeoutMs = 10_000
export const webhookAnswerMaxBytes = 1_024
export const formerSecretHours = 24
export const deliveriesShown = 50
export const deliveriesKeptDays = 30
export const webhookSendMs = 20_000 // Tests and replays are sent at once; after this the endpoint's job takes over
export const deliveriesInFlightMax = 10
export const deliveriesLookMs = 1_000 // How often an endpoint's job checks for new messages while others are being sent
export const endpointsAtOnceMax = 256 // A hanging endpoint doesn't delay the others
export const deliveryRetriesMs: ReadonlyArray<number> = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000
]
export const deliveryRetryAfterMaxMs = 86_400_000
export const webhookFailingMaxMs = 432_000_000
export const postRestMs = 5_000
