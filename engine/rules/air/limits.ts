// Bounds of air. The unit is last in the name.

export const mixLeadMs = 250 // How far the mixer runs ahead of the clock. Below 200 ms late wake-ups are audible; above 300 ms commands feel slow.
export const mixTickMs = 100 // Ticks of 20 ms cost 2.3 times the CPU
export const followBehindMs = 500 // How far a standby's mixer is behind the clock: the owner's commands take effect 250 ms ahead of it, and must arrive before that sample is mixed
export const standbyReadyMs = 1_500 // A standby further behind has lost the owner's steps, or a machine that is too slow; one in step is 0.5 s behind
export const followSegments = 2 // Whole segments that a standby renders when it begins to follow
export const standbyHoldMs = 4_000 // A standby holds requests of players for this long: an owner that died is replaced sooner
export const untoldEventsMax = 256 // Hours of a standby: its last events complete the as-run log when it takes the air
export const leadLookMs = 5
export const leadPatienceMs = 1_500 // A standby that takes the air renders the missing second in a fraction of this
export const airStepsKept = 64 // Minutes of a busy operator, a day of a quiet station: a process that begins to follow looks back some seconds
export const standbyLookMs = 100
export const standbyRetryMs = 250
export const followReadyMs = 5_000 // A chain that begins to follow waits this long for its first sounds: one that skips them is no standby until they are over
export const followPatienceMs = 1_000 // A worker that takes no steps for this long can't apply them in time
export const airStepsMax = 256
export const stagedChunksMax = 96 // Seconds of staged sound in memory: eight ahead for each of two songs, a bed, the next item and the emergency programme
export const stagedReadsMax = 2 // Node reads files with four threads: a hanging disk must leave some free
export const planReadyMs = 200 // A plan waits this long for the first second of its first sound, and a chain that catches up for the next seconds
export const pcmRingSec = 20 // PCM kept for a new encoder to continue where the failed one stopped
export const airEventsMax = 4_096
export const slewMaxRatio = 0.001
export const slewTimeMs = 60_000 // Time in which a drift is corrected, within `slewMaxRatio`
export const catchUpMaxSec = 16 // After a shorter outage the missed seconds are rendered, so that listeners hear no gap. Must fit in the PCM ring.
export const renderStepMaxSec = 4 // Rendered at most per wake-up: catching up must neither look like a stall nor delay commands
export const encoderBehindMaxSec = 10

export const encoderWarmFrames = 4 // Frames fed to a new encoder before the first used one: with fewer, its windows and psychoacoustics differ from its predecessor's
export const encoderStallMs = 700 // An encoder that was fed and returned nothing for this long hangs
export const starvedMaxMs = 6_000 // No process waits longer than this for a core: an encoder or worker that is silent for longer is replaced
export const encoderQueueMaxBytes = 786_432
export const encoderRestartMaxMs = 2_000
export const airStallMs = 700 // A worker silent for this long is replaced
export const airStartMaxMs = 20_000 // It loads its modules for a second, much longer on a busy machine. A replacement would take as long again
export const airNiceness = -5 // Ahead of all other processes of the station, where the system allows it

export const aacFrameSamples = 1_024
export const partFrames = 16
export const segmentFrames = 192
export const windowSegmentsMin = 6
export const windowSegments = 12
export const startSegments = 1 // Whole segments rendered at the first start, for players without support for parts; each costs 0.3 s of a core
export const probeBehindMaxSec = 2 // The listener probe judges nothing older, so that parts rendered while catching up don't count
export const journalBacklogMax = 64 // Parts waiting for a slow disk; above this the journal pauses, never the air
export const journalRetryMs = 5_000
export const aheadPartsMax = Math.floor(
  (2 * Math.round((segmentFrames * aacFrameSamples) / 48_000) * 48_000) / (partFrames * aacFrameSamples)
) // How far ahead of the live edge a blocking request may ask: two target durations
export const blockingTimeoutMs = 12_000 // Three target durations: a longer wait for a part ends with an error that the origin is late
export const captionCharsMax = 64
export const captionPauseMs = 700
export const captionLingerMs = 500 // A word that disappears with its last sound can't be read
export const captionItemsMax = 64
export const waveLevels = 320
export const mp3BurstMaxMs = 6_000
export const timeShiftSec = 86_400
export const discontinuitiesMax = 2_000
export const archiveReadsMax = 2 // Journal files read at the same time: Node has four threads for files, and the air has priority
export const archivedSegmentsMax = 128 // Held in memory at 64 KB each, for listeners of the same hour
export const archiveIndexMax = 50_000 // A day of both variants
export const archiveFreshMs = 2_000
export const archiveSettledMs = 60_000

export const probeSilenceDbfs = -50
export const probeSilenceSec = 2
export const probeStuckSec = 600
export const probeLookMs = 200
export const probeReportMs = 5_000
export const probeEmergencyMs = 60_000 // How long the emergency programme lasts when only the listener probe requested it
export const probeVainMs = 30_000 // Silence under the emergency programme for this long: it was ordered in vain
export const probeActsMax = 3 // Times within the window: then the emergency programme stays on until an operator ends it
export const probeActsWindowMs = 3_600_000
export const stageAheadSec = 60
export const rundownItemsMin = 12
export const rundownAheadSec = 1_800
export const rundownMarginMs = 30_000 // Planned beyond that, so that it lasts until the next check: a tick and the longest step
export const rundownMarginItems = 2

export const emergencyPatienceMs = 1_500 // The sound plays by then; only bookkeeping is left
export const exportPageRows = 200 // Some 25 ms of work at a time, because the same event loop serves listeners
export const asRunHoursMax = 8_784 // Hourly roots read: a year of them

export const rundownFrozenMs = 3_000 // An item that begins sooner is already being mixed: nothing is inserted before it
export const rundownItemsMax = 128
export const talkOverMaxMs = 4_000 // Maximum overlap of a voice with an intro; with more, listeners miss the song
export const hourCallLateMaxMs = 240_000 // How late an hour call may air and still be true
export const hourCallEarlyMaxMs = 20_000
export const backtimeToleranceMs = 2_000
export const hardStartToleranceMs = 50
export const backtimeHorizonMs = 600_000 // From this far before a fixed start on, items are chosen to end at it
export const musicHeardMinMs = 15_000 // A song that would fade sooner isn't started
export const speechRunMax = 2
export const musicBetweenFillers = 3
export const rotationCandidatesMax = 40
export const trackSeparationMs = 5_400_000
export const artistSeparationMs = 2_700_000
export const agentSeparationMs = 900_000
export const topicSeparationMs = 1_800_000
export const rotationWeightMin = 0.5
export const rotationWeightMax = 1.5
export const airedShareMin = 0.5 // An item cut before this share airs once more
export const songRequestHeardMs = 30_000
export const songRequestDisplacementsMax = 2
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
export const airPlanItemsMax = 16 // How many items ahead the mixer knows: it plays for minutes without the actors
export const asRunQueuedMax = 10_000 // Facts in memory while the store is away, about 14 days of a quiet station; the journal takes the rest
export const asRunSealMs = 10_000 // How often ended hours are sealed
export const asRunSealRows = 1_000
export const asRunUnsealedHoursMax = 24 // Hours at the end of the log that may wait for their seal, as after an outage
export const asRunHeartbeatMs = 5_000
export const asRunOverlapMax = 100 // Rows that may begin while a sound longer than the hour continues
export const factTriesMax = 5 // Operators are told of a fact that a working store refuses this often; it is tried again without end
export const factRetryMs = 1_000
export const stagedAheadMs = 600_000 // How much of the programme is staged in advance: the mixer can play that long without its actors
export const stageTimeoutMs = 30_000
export const stagingMs = 15_000 // Maximum staging time on a busy machine
export const itemsRememberedMax = 64

export const planOverMaxSec = 120
export const planSilenceMaxMs = 1_500
export const planAheadMs = 14_400_000
export const topicsForAirMax = 4

export const emergencyIdentsMaxBytes = 8_388_608 // Idents of the last fallback in memory: 43 s
export const asRunAuditRows = 250 // Hashing and verifying this many rows blocks the event loop for about 30 ms; more would delay playlists
export const partLateMs = 2_000 // A part is ready 55 ms after its last sample; a later one makes players wait
export const snapshotEveryMs = 1_000
export const unairableForgivenMs = 60_000
export const unairableForgivenMaxMs = 1_800_000
export const unairableTriesMax = 6 // With a doubling delay: an hour in total
export const clockCheckMs = 1_000
export const gridLookMs = 5_000

export const livingEventsMax = 100

export const worldTopicsMax = 10
export const worldKeptSec = 5
export const analysisConfidenceMin = 0.7
export const relayChunksMax = 512

export const fenceLostRestMs = 10_000 // Twice the time after which the cluster reassigns a frozen process's actors
export const airLeaseMs = 2_500 // A frozen owner, or one cut off from the store, is replaced after this and one look; a killed one after a look
export const fenceProofNewMs = 1_500 // Written since, it says that an owner is alive. nginx keeps a proof for a second
export const provenHoldMs = 300 // Then a standby holds requests for this long only: a killed owner is replaced within 0.2 s
export const fenceProofMaxAgeMs = 15_000 // Longer than a proof is kept on its way, and than the clocks of two stations differ
export const airLeaseRenewMs = 500
export const airLeasePatienceMs = 1_000 // Afterwards the store is silent, and its owner keeps the air. A second before the lease ends, for a busy machine; an answer that comes later still counts
export const airBeatMs = 250
export const airLeaseLookMs = 100
export const stationWaitMs = 5_000
export const stationEndMs = 2_000 // Before an orderly stop hands the air over: a look at who runs, and a second for the message that the station is handling
export const recallPatienceMs = 5_000 // An undo waits this long for the station to take a segment off the rundown

export const icyIntervalBytes = 16_000 // Bytes between two ICY metadata blocks: one second of the stream, as players expect
export const mp3BurstMs = 3_000
export const mp3WelcomeBytes = 16_384 // One second, sent at once; the rest of the burst comes with the first batch. In a crowd, everybody hears sound before anybody has a reserve
export const mp3BatchMs = 500 // Two writes a second of 8 KB cost half of eleven small ones
export const mp3GroupsCount = 10 // With a single tick for all, 10,000 listeners would block the event loop for 95 ms
export const mp3SettledAfterMs = 6_000 // By then the player has buffered more than the longer batches need
export const mp3SettledBatches = 2 // Batches sent together to a settled listener: two writes a second cost twice as much as one
export const mp3LateMs = 1_000 // New sound comes twice a second. After a longer pause it goes to all listeners at once, because they may have nothing left
export const mp3StallMs = 15_000 // Since its socket last drained: a disconnected listener shows by time only, because the kernel buffers its data
export const mp3PerAddressMax = 200
export const hlsSessionSec = 15
export const hlsSessionsPerAddressMax = 200 // Clients choose session names: beyond this an address counts as one listener
export const hlsSessionCharsMax = 64
export const listenerStallMs = 30_000 // A response without progress for this long has no reader; longer than a blocking reload
export const listenerSmoothingSec = 15

export const edgeReportSec = 15 // A silent edge has no listeners any more
export const edgesMax = 256
export const edgePatienceMs = 1_500 // A part takes 341 ms: an origin that is silent for longer has stopped
export const edgeProbeMs = 1_000 // How soon an edge notices that another station has the air
export const edgeProbeTimeoutMs = 1_000
export const edgeRetryMs = 100
export const edgeTriesMax = 20
export const edgeGoneMs = 500
export const edgeListMs = 10_000
export const edgeAnswerMaxBytes = 4_194_304
export const edgeObjectsMax = 4_096
export const edgeObjectsMaxBytes = 134_217_728
export const edgeConnectionsMax = 256 // With one origin
export const edgeAskedMax = 64 // Requests of listeners for what an edge doesn't hold, at the same time
export const edgeProxiedMax = 1_024
export const edgeBodyMaxMs = 18_000_000 // Longer than the longest upload, and than live sound for four hours
export const edgeMp3SilentMs = 2_500 // The origin sends every second at least
export const mp3RejoinMaxFrames = 2_500 // A minute
export const edgeEventsMax = 256
export const edgeEventsRetryMs = 1_000
export const edgeEventMaxChars = 1_048_576

export const planLeadMs = 1_000
export const airStaleMs = 5_000 // A chain that mixed nothing for this long counts as off air, whatever it last reported
export const backtimeQuietMs = 420_000

export const rundownVersionsKept = 200 // Rundowns whose difference to the present one can still be told
export const startShiftSeenSamples = 24_000 // Half a second: an operator sees no smaller shift
export const truePeakReadFromDbtp = -9 // Below it, the meter reads the highest sample: nothing there comes near the limit
export const metersMax = 32
export const metersKeptMs = 5_000
export const rotationShareMax = 100
export const rotationSeparationMinutesMax = 1_440

export const phraseWords = 5 // A phrase of so many words isn't said again within a day
export const phraseRestMs = 90_000_000 // 25 hours from start to start: an announcement may air later than it was planned
/** Spoken minutes of seven days, by kind: 135 together, 1.3 % of the week. */
export const announcementMinutesPerWeek = {
  time_check: 20,
  preview: 30,
  back_announcement: 40,
  shout_out: 10,
  daily_summary: 5,
  station_news: 30
} as const
export const announcementLeadMs = 45_000 // Time to speak and stage an announcement before its break
export const announcementAheadMs = 300_000 // Made so shortly before that the rundown and the facts rarely change
export const announcementTimeoutMs = 60_000
export const announcementKeptDays = 8 // Longer than the week whose minutes are counted and the day whose phrases are compared
export const announcementValidMs = 2_700_000 // An announcement without a time of its own is dropped after that
export const announcementsReadyMax = 16
export const announcementFactsMax = 12
export const listenerDelayMs = 8_000 // Listeners hear the broadcast up to so much later: a time check must still be true for them
export const timeCheckTalkMs = 4_000 // Expected length, until its sound is made
export const timeCheckEveryMs = 1_500_000
export const stationNewsEveryMs = 3_000_000
export const stationNewsFacts = 3
export const programmePreviewMinMs = 600_000
export const programmePreviewMaxMs = 10_800_000
export const programmePreviewEveryMs = 3_600_000
export const dailySummaryHour = 20
export const spokenNameCharsMax = 80 // A longer title isn't spoken
export const liveRingSec = 4
export const liveBufferMs = 200 // Arrived before it goes on the air: covers the unevenness of a network and of a busy event loop
export const liveBufferMaxMs = 2_000
export const liveDryMax = 5 // As often within `liveDryWindowMs`, the sender is too slow for the air
export const liveDryWindowMs = 30_000
export const liveUnreadableBytes = 1_048_576 // So many bytes without a sound are no sound
export const liveBytesMax = 8 * 2 ** 30 // Four hours of 32-bit stereo at 48 kHz are 5.1 GiB
export const liveNoDataMs = 2_000 // Without data for this long, the rundown goes on
export const liveWaitMs = 30_000 // Taken, and nothing connects
export const liveSilenceSec = 15 // Live silence for this long is a fault, not a pause
export const liveSilenceDbfs = -60
export const liveHoursMax = 4
export const liveTargetLufs = -16
export const liveGainMaxDb = 12
export const liveGainStepDb = 0.3
export const livePollMs = 50
export const liveTitleCharsMax = 140
