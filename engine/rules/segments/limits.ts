// Bounds of segments. The unit is last in the name.

export const titleCharsMax = 140
export const scriptWordsMax = 1_200
export const scriptCharsMax = 12_000
export const longScriptWordsMax = 1_500
export const longScriptCharsMax = 15_000
export const chunkWordsMin = 150
export const chunkWordsMax = 300
export const segmentsPerDay = 10
export const segmentsWaitingMax = 20
export const firstAirsWaitingMax = 3
export const firstAirRejectionsMax = 3
export const firstAirTargetHours = 24
export const scheduledForAheadDays = 30
export const scheduledForLateHours = 6
export const segmentUnreviewedDays = 14
export const segmentQueuedDays = 30
export const speechTriesMax = 2
export const speechHoldRestSec = 60 // Before a hold is looked at that may have been left: most speech is made by then
export const showBoundDays = 14
export const readTriesMax = 3
export const readRestSec = 15 // Before a script is tried again that could not be read
export const readWaitSec = 60 // How often a script is looked at again while there is no airtime for it
export const segmentsSweptEverySec = 15
export const segmentsSweptAtOnceMax = 20
export const listDefault = 20
export const mediaUploadsPerDay = 20
export const mediaUploadNameCharsMax = 200
export const mediaUploadStoreMaxBytes = 5_368_709_120
export const mediaUploadDeadHours = 24
export const mediaUploadFailuresMax = 2
export const wavMaxBytes = 209_715_200
export const mp3MaxBytes = 62_914_560
export const sampleMaxBytes = 26_214_400
export const sampleUrlSec = 60
export const sampleKeptDays = 30
export const uploadCpuSec = 180
export const uploadTimeoutSec = 900
export const uploadSec = { speech: [3, 900], music: [30, 900], sample: [1, 60] } as const
export const uploadRateMinHz = { speech: 22_050, music: 44_100, sample: 8_000 } as const
export const uploadBitrateMinKbps = { speech: 64, music: 128, sample: 0 } as const
export const uploadLoudnessLufs = [-40, -6] as const
export const uploadsSweptEverySec = 60
export const markRoundAssetsMax = 20
export const transcriptWords = [5, 1_500] as const
export const syntheticDisclosureCharsMax = 1_000
export const fingerprintsAlikeMax = 500
export const fingerprintLengthShare = 0.03
export const fingerprintShiftSec = 1
export const fingerprintOtherMin = 0.25

// Bounds of programmes. The unit is last in the name.

export const airedCompletelyShareMin = 0.5 // A segment cut before this share of it was heard goes back to the queue, once
