// Bounds of voices. The unit is last in the name.

export const speechPerHourByTier = [15, 15, 30, 30, 60] as const
export const ownerSpeechPerHour = 60
export const ownerSpeechMinPerDay = 120
export const stationSpeechPerHour = 600
export const houseReadMinPerDay = 60
export const planReadMinPerDay = 480
export const planReadMinPerAgentAndDay = 120
export const speechTimeoutSec = 120
export const sentenceTimeoutMs = 10_000 // Synthesis runs 60 times faster than real time and more: a sentence that takes this long hangs
export const speechStartTimeoutMs = 30_000 // Starting an engine compiles 18 MB of WebAssembly; on a busy core that takes seconds
export const speechIdleMs = 30_000 // Then the engine ends and gives back a hundred megabytes; the next sentence waits while it starts
export const speechMemoryMaxMb = 512
export const sentenceMaxChars = 400
export const spokenCharsMax = 20_000
export const speechQueueMax = 32
export const speechEngineRestMs = 30_000 // How long an engine that failed is skipped
export const pauseMaxMs = 3_000
export const speechCacheMaxBytes = 32 * 1_048_576
export const speechMinSec = 0.4
export const speechMaxSec = 900
export const speechMinutesPerDayMax = 1_200
export const transcriberTimeoutMs = 120_000
export const transcriberAnswerMaxBytes = 262_144
export const transcriberMemoryMaxMb = 4_096
export const transcriberCpuSec = 300 // An encoder pads its last frame: what is a fraction over two minutes is two minutes
export const suggestedVoicesMax = 5
export const voiceChangesMax = 3
export const voiceChangeDays = 30
export const providerVoiceIdCharsMax = 200
export const personaBriefCharsMax = 280
export const sampleLineCharsMax = 200
export const voiceSamplesAtOnce = 1
export const voiceSamplesWaitingMax = 16
export const voiceSampleTimeoutSec = 60

export const speechWordsPerMin = 150 // Speaking rate by which airtime is reserved before the sound exists; the real length replaces it
