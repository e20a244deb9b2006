// Bounds of air. The unit is last in the name.

export const mixLeadMs = 250 // How far the mixer runs ahead of the clock. Below 200 ms a late wake-up is heard; above 300 ms commands feel slow.
export const mixTickMs = 100 // Ticks of 20 ms cost 2.3 times the CPU of these
export const stagedChunksMax = 96 // Seconds of staged sound in memory: eight ahead of each of two songs, a bed, what comes next and the emergency programme
export const stagedReadsMax = 2 // Node reads files with four threads: a disk that hangs must leave some
export const planReadyMs = 200 // A plan waits this long for the first second of what it begins with
export const pcmRingSec = 20 // PCM kept so that a new encoder can take up where the old one fell
export const airEventsMax = 4_096
export const slewMaxRatio = 0.001
export const slewTimeMs = 60_000 // A drift is made good in about this time, as far as `slewMaxRatio` allows
export const catchUpMaxSec = 16 // After an outage no longer than this the missed seconds are rendered, so that listeners hear no gap. Must fit in the PCM ring.
export const renderStepMaxSec = 4 // Mixed at one wake-up at most: catching up must not look like a stall, nor keep commands waiting
export const encoderBehindMaxSec = 10

export const encoderWarmFrames = 4 // Frames a new encoder is fed before the first one that is used: with fewer its windows and psychoacoustics differ from its predecessor's
export const encoderStallMs = 700 // An encoder that was fed and gave nothing for this long hangs
export const starvedMaxMs = 6_000 // Longer than this nobody waits in the queue for a core: an encoder or worker that says nothing by then is replaced
export const encoderQueueMaxBytes = 786_432
export const encoderRestartMaxMs = 2_000
export const airStallMs = 700 // A worker that gave no sign of life for this long is replaced
export const airStartMaxMs = 20_000 // It loads a second's worth of modules, which takes long on a busy machine; the one after it would take as long again
export const airNiceness = -5 // Before everything else of the station, where that is allowed

export const aacFrameSamples = 1_024
export const partFrames = 16
export const segmentFrames = 192
export const windowSegmentsMin = 6
export const windowSegments = 12
export const startSegments = 1 // Whole segments rendered at the first start, so that players which know no parts find something; each costs 0.3 s of a core
export const probeBehindMaxSec = 2 // The listener probe hears nothing older: what is rendered while catching up is not judged
export const journalBacklogMax = 64 // Parts waiting for a slow disk above which the journal pauses; the air does not wait for it
export const journalRetryMs = 5_000
export const blockingTimeoutMs = 12_000 // Three target durations: whoever waited longer for a part is told that the origin is late
export const captionCharsMax = 64
export const captionPauseMs = 700
export const captionLingerMs = 500 // A word that vanishes with its last sound can't be read
export const captionItemsMax = 64
export const waveLevels = 320
export const mp3BurstMaxMs = 6_000
export const timeShiftSec = 86_400
export const discontinuitiesMax = 2_000
export const archiveReadsMax = 2 // Files of the journal read at one time: node has four threads for files, and the air comes first
export const archivedSegmentsMax = 128 // Held in memory, 64 KB each, for those who listen to the same hour
export const archiveIndexMax = 50_000 // A day of both variants
export const archiveFreshMs = 2_000
export const archiveSettledMs = 60_000

export const probeSilenceDbfs = -50
export const probeSilenceSec = 2
export const probeStuckSec = 600
export const probeLookMs = 200
export const probeReportMs = 5_000
export const probeEmergencyMs = 60_000 // How long the emergency programme stays on when the listener probe asked for it, and nobody else did
export const stageAheadSec = 60
export const rundownItemsMin = 12
export const rundownAheadSec = 1_800
export const rundownMarginMs = 30_000 // What is planned beyond that, so that it holds between two looks as well: a tick and the longest step
export const rundownMarginItems = 2

export const emergencyPatienceMs = 1_500 // The sound is there by then; what is left is bookkeeping
export const exportPageRows = 200 // Some 25 ms of work at a time: the loop serves listeners as well
export const asRunHoursMax = 8_784 // Hourly roots looked at: a year of them

export const rundownFrozenMs = 3_000 // What begins sooner than this is already being mixed: nothing is put before it any more
export const rundownItemsMax = 128
export const talkOverMaxMs = 4_000 // A voice may begin to be over this much of an intro; more, and the song is talked away
export const hourCallLateMaxMs = 240_000 // How much later than planned an hour call is still true
export const hourCallEarlyMaxMs = 20_000
export const backtimeToleranceMs = 2_000
export const hardStartToleranceMs = 50
export const backtimeHorizonMs = 600_000 // From this far before a fixed start on, items are chosen by how they land
export const musicHeardMinMs = 15_000 // A song that has to fade sooner than this isn't begun
export const speechRunMax = 2
export const musicBetweenFillers = 3
export const rotationCandidatesMax = 40
export const trackSeparationMs = 5_400_000
export const artistSeparationMs = 2_700_000
export const agentSeparationMs = 900_000
export const topicSeparationMs = 1_800_000
export const rotationWeightMin = 0.5
export const rotationWeightMax = 1.5
export const songRequestHours = 6
export const songRequestHardHours = 8
export const songRequestsPerHourMax = 3
export const songRequestTrackMs = 7_200_000
export const songRequestArtistMs = 2_700_000
export const songRequestsAtOnceMax = 64
export const songRequestRoundMs = 30_000
export const songForecastItemsMax = 256
export const playsRememberedMax = 256
export const queuedForAirMax = 64
export const schedulerMailboxMax = 256
export const schedulerTickMs = 5_000
export const airPlanItemsMax = 16 // How many items ahead the mixer is told: enough to outlive the actors for minutes
export const asRunSpoolMax = 100_000
export const asRunHeartbeatMs = 5_000
export const asRunOverlapMax = 100 // Rows that may begin between the beginning and the end of one that sounds over a border.
export const factTriesMax = 5 // A fact that the store refuses this often while it answers other questions is left out and reported
export const factRetryMs = 1_000
export const stagedAheadMs = 600_000 // Sounds are staged for as much programme as this; the mixer survives its actors that long
export const stageTimeoutMs = 30_000
export const stagingMs = 15_000 // As long as staging may take on a busy machine
export const itemsRememberedMax = 64

export const planOverMaxSec = 120
export const planSilenceMaxMs = 1_500
export const planAheadMs = 14_400_000
export const topicsForAirMax = 4

export const emergencyIdentsMaxBytes = 8_388_608 // Idents of the last fallback, in memory: 43 s of them
export const asRunAuditRows = 250 // Hashing and checking this many signatures holds the loop for about 30 ms; more would make a listener's playlist late
export const partLateMs = 2_000 // A part is ready 55 ms after its last sample; one that takes this long holds players up
export const snapshotEveryMs = 1_000
export const unairableForgivenMs = 60_000
export const unairableForgivenMaxMs = 1_800_000
export const unairableTriesMax = 6 // Twice as long each time: an hour in all
export const clockCheckMs = 1_000
export const gridLookMs = 5_000

export const livingEventsMax = 100

export const worldTopicsMax = 10
export const worldKeptSec = 5
export const analysisConfidenceMin = 0.7
export const relayChunksMax = 512

export const fenceLostRestMs = 10_000 // Twice the time after which the cluster gives a frozen process's actors to another
export const stationWaitMs = 5_000

export const icyIntervalBytes = 16_000 // Bytes between two ICY metadata blocks: a second of the stream, as players expect
export const mp3BurstMs = 3_000
export const mp3BatchMs = 500 // Two writes a second of 8 KB cost half of eleven small ones
export const mp3GroupsCount = 10 // One tick for all would block the loop for 95 ms at 10,000 listeners
export const mp3SettledAfterMs = 6_000 // Then the player has more in hand than the longer batches take away
export const mp3SettledBatches = 2 // Batches that a settled listener gets as one: two writes a second cost twice one
export const mp3StallMs = 15_000 // Since its socket last drained: time tells a dead listener, the kernel's buffers hide it
export const mp3PerAddressMax = 200
export const hlsSessionSec = 15
export const hlsSessionsPerAddressMax = 200 // A session's name is made up by whoever asks: beyond these an address is one listener
export const hlsSessionCharsMax = 64
export const listenerStallMs = 30_000 // An answer that moves no byte for this long has no reader; longer than a blocking reload waits
export const listenerSmoothingSec = 15

export const planLeadMs = 1_000
export const airStaleMs = 5_000 // A chain that has mixed nothing for this long is not on the air, whatever it said last
export const backtimeQuietMs = 420_000
