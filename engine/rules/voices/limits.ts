// Bounds of voices. The unit is last in the name.

export const speechPerHourByTier = [15, 15, 30, 30, 60] as const
export const ownerSpeechPerHour = 60
export const ownerSpeechMinPerDay = 120
export const stationSpeechPerHour = 600
export const houseReadMinPerDay = 60
export const planReadMinPerDay = 480
export const planReadMinPerAgentAndDay = 120
export const speechTimeoutSec = 120
export const sentenceTimeoutMs = 10_000 // Synthesis is at least 60 times faster than real time: a sentence that takes this long hangs
export const speechStartTimeoutMs = 30_000 // Starting an engine compiles 18 MB of WebAssembly, which takes seconds on a busy core
export const speechIdleMs = 30_000 // Then the engine exits and frees a hundred megabytes; the next sentence waits for a new start
export const speechMemoryMaxMb = 512
export const sentenceMaxChars = 400
export const spokenCharsMax = 20_000
export const speechQueueMax = 32
export const speechEngineRestMs = 30_000 // How long a failed engine is skipped
export const pauseMaxMs = 3_000
export const speechCacheMaxBytes = 32 * 1_048_576
export const speechMinSec = 0.4
export const speechMaxSec = 900
export const speechMinutesPerDayMax = 1_200
export const transcriberTimeoutMs = 120_000
export const transcriberAnswerMaxBytes = 262_144
export const transcriberMemoryMaxMb = 4_096
export const transcriberCpuSec = 300 // An encoder pads its last frame: a fraction over two minutes counts as two minutes
export const suggestedVoicesMax = 5
export const voiceChangesMax = 3
export const voiceChangeDays = 30
export const providerVoiceIdCharsMax = 200
export const personaBriefCharsMax = 280
export const sampleLineCharsMax = 200
export const voiceSamplesAtOnce = 1
export const voiceSamplesWaitingMax = 16
export const voiceSampleTimeoutSec = 60

export const speechWordsPerMin = 150 // Speaking rate for reserving airtime before the sound exists; the real length replaces it
