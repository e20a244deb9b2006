import type { SoundKind } from "../../../schema/Sound.ts"

// Bounds of prepared, stored and served sound. The unit is last in the name.

/**
 * Music is normalised by track, speech is anchored 2 LU below it, as AES TD1008 advises. Songs are softer at their edges than on the whole, so
 * speech at the music's loudness stands out: over ten hours, borders between both step by 4.0 LU (root mean square) with speech at −16 and
 * by 2.5 LU with speech at −18. `npm run bench -- levels` measures it.
 */
export const musicLufs = -16
export const speechLufs = -18
export const masteredLufs: { readonly [Kind in SoundKind]: number } = {
  speech: speechLufs,
  ident: speechLufs,
  music: musicLufs,
  bed: musicLufs,
  sting: musicLufs
}
// Gains that hold music 20 dB and 14 dB under speech, each mastered to its own loudness.
export const bedGainDb = -20 + speechLufs - musicLufs
export const introGainDb = -14 + speechLufs - musicLufs
export const programmeLuTolerance = 0.5
export const programmeStepMaxLu = 1
export const truePeakMaxDbtp = -1

export const silenceDbfs = -60
export const clippedMaxPct = 0.1
export const dcOffsetMax = 0.02
export const peaksCount = 400
export const envelopeMs = 10
export const innerSilenceSpeechMaxSec = 5
export const innerSilenceMusicMaxSec = 8
export const masteringAimLu = 0.25 // The tolerance is ±0.5; a closer target costs a pass only if the limiter works hard
export const masteringPassesMax = 8
export const mediaJobTimeoutSec = 180
export const mediaJobsMax = 2
export const stagedMaxBytes = 8 * 1_073_741_824
export const stagedReserveBytes = 3 * 1_073_741_824 // Room for everything that one run of staging may add: sixteen of the longest sounds

export const confinedAnswerMaxBytes = 16_777_216
export const confinedFileMaxBytes = 268_435_456
export const probeCpuSec = 5
export const probeTimeoutSec = 60 // A probe has a low priority, and may wait long for a processor
export const s3ConnectTimeoutMs = 5_000
export const s3AnswerTimeoutMs = 60_000
export const ingestsAtOnce = 1
export const abandonedFileDays = 7 // Longer than any upload may take to be completed and examined
export const mediaSweepMin = 60
export const callUploadHours = 24 // Of a caller's recording that nobody has examined
export const processGoneMin = 150 // A process that runs touches its work folder at each sweep, and may miss one
export const diskLookSec = 5
