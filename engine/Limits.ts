/** Every bound of the station, in one place. Units are last in the name. */

// Time and sound
/** The first instant of the sample count. Fixed for ever: numbering of parts follows from it. */
export const epochMs = 1_767_225_600_000 // 2026-01-01T00:00:00Z
export const sampleRateHz = 48_000
export const channelsCount = 2
/** How far the mixer runs ahead of the clock. Below 200 ms a late wake-up is heard; above 300 ms commands feel slow. */
export const mixLeadMs = 250
/** Ticks of 20 ms cost 2.3 times the CPU of these. */
export const mixTickMs = 100
/** PCM kept so that a new encoder can take up where the old one fell. */
export const pcmRingSec = 20
export const airEventsMax = 4_096
export const slewMaxRatio = 0.001

// HLS
export const aacFrameSamples = 1_024
export const partFrames = 16
export const segmentFrames = 192
export const windowSegmentsMin = 6
export const timeShiftSec = 86_400

// Loudness
export const programmeLufs = -16
export const programmeLuTolerance = 0.5
export const truePeakMaxDbtp = -1
export const bedUnderSpeechDb = -20
export const bedFadeMs = 400

// Never silent
export const probeSilenceDbfs = -50
export const probeSilenceSec = 2
export const probeStuckSec = 600
export const stageAheadSec = 60
export const rundownItemsMin = 12
export const rundownAheadSec = 1_800
