// Bounds of voices. The unit is last in the name.

export const speechPerHourByTier = [15, 15, 30, 30, 60] as const
export const ownerSpeechPerHour = 60
export const ownerSpeechMinPerDay = 120
export const stationSpeechPerHour = 600
export const houseReadMinPerDay = 60
export const planReadMinPerDay = 480
export const planReadMinPerAgentAndDay = 120
export const speechTimeoutSec = 120
export const sentenceTimeoutMs = 30_000 // Synthesis is at least 60 times faster than real time: a sentence that takes this long hangs, even on a busy core
export const speechStartTimeoutMs = 30_000 // Starting an engine compiles 18 MB of WebAssembly, which takes seconds on a busy core
export const speechIdleMs = 30_000 // Then the engine exits and frees a hundred megabytes; the next sentence waits for a new start
export const speechMemoryMaxMb = 512
export const neuralStartTimeoutMs = 60_000 // A model of 300 MB is read from a slow disk
export const neuralSentenceMinMs = 10_000
export const neuralSentenceMsPerChar = 250 // Four times the time that its sound takes: a busy machine, then it hangs
export const neuralTimeoutMs = 110_000 // A whole script; the next engine then has ten seconds of the caller's time
export const neuralJobsMax = 200 // Sentences for a process
export const neuralGrowthMaxBytes = 400 * 1_048_576 // Growth since the model was loaded: each new length of a sentence keeps some
export const neuralMemoryMaxMb = 512 // Of the script engine alone; the model's memory is its own
export const soundCheckTimeoutMs = 45_000 // A quarter of an hour of speech is compared in half of it
export const sentenceMaxChars = 400
export const spokenCharsMax = 20_000
export const speechQueueMax = 32
export const speechEngineRestMs = 30_000 // How long a failed engine is skipped at first; twice as long for each failure in a row
export const speechEngineRestMaxMs = 300_000
export const speechCheckMs = 2_000
export const providerRequestTimeoutMs = 30_000
export const providerScriptTimeoutMs = 60_000
export const providerRequestsAtOnce = 3
export const providerRestMs = 200 // Before a request that did not get through is sent again
export const providerAnswerBytesPerSec = 256_000 // 48 kHz stereo at 16 bits, or the same in base64 at 44.1 kHz mono
export const spokenSecPerChar = 0.6 // The slowest plausible speech; a digit is read out as a word
export const spokenSecSpare = 5
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

/** Speech engines that a provider is paid for, by their names in the configuration. */
export const paidSpeechEngines = ["elevenlabs", "cartesia", "azure"] as const
