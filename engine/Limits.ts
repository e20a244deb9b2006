/** Every bound of the station, in one place. Units are last in the name. */

// Time and sound
/** The first instant of the sample count. Fixed for ever: numbering of parts follows from it. */
export const epochMs = 1_767_225_600_000 // 2026-01-01T00:00:00Z
export const sampleRateHz = 48_000
export const channelsCount = 2
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

// Encoders
export const encoderWarmFrames = 4 // Frames a new encoder is fed before the first one that is used: with fewer its windows and psychoacoustics differ from its predecessor's
export const encoderStallMs = 700 // An encoder that was fed and gave nothing for this long hangs
export const starvedMaxMs = 6_000 // Longer than this nobody waits in the queue for a core: an encoder or worker that says nothing by then is replaced
export const encoderQueueMaxBytes = 786_432, encoderRestartMaxMs = 2_000
export const airStallMs = 700 // A worker that gave no sign of life for this long is replaced
export const airStartMaxMs = 20_000 // It loads a second's worth of modules, which takes long on a busy machine; the one after it would take as long again
export const airNiceness = -5 // Before everything else of the station, where that is allowed

// HLS
export const aacFrameSamples = 1_024, partFrames = 16, segmentFrames = 192
export const windowSegmentsMin = 6, windowSegments = 12
export const startSegments = 1 // Whole segments rendered at the first start, so that players which know no parts find something; each costs 0.3 s of a core
export const probeBehindMaxSec = 2 // The listener probe hears nothing older: what is rendered while catching up is not judged
export const journalBacklogMax = 64 // Parts waiting for a slow disk above which the journal pauses; the air does not wait for it
export const journalRetryMs = 5_000
export const blockingTimeoutMs = 12_000 // Three target durations: whoever waited longer for a part is told that the origin is late
export const captionCharsMax = 64, captionPauseMs = 700
export const captionLingerMs = 500 // A word that vanishes with its last sound can't be read
export const captionItemsMax = 64, waveLevels = 320
export const mp3BurstMaxMs = 6_000, timeShiftSec = 86_400, discontinuitiesMax = 2_000
export const archiveReadsMax = 2 // Files of the journal read at one time: node has four threads for files, and the air comes first
export const archivedSegmentsMax = 128 // Held in memory, 64 KB each, for those who listen to the same hour
export const archiveIndexMax = 50_000 // A day of both variants
export const archiveFreshMs = 2_000, archiveSettledMs = 60_000

// Loudness
export const programmeLufs = -16, programmeLuTolerance = 0.5, programmeStepMaxLu = 1
export const truePeakMaxDbtp = -1
export const bedUnderSpeechDb = -20, bedFadeMs = 400

// Never silent
export const probeSilenceDbfs = -50, probeSilenceSec = 2, probeStuckSec = 600, probeLookMs = 200, probeReportMs = 5_000
export const probeEmergencyMs = 60_000 // How long the emergency programme stays on when the listener probe asked for it, and nobody else did
export const stageAheadSec = 60
export const rundownItemsMin = 12, rundownAheadSec = 1_800
export const rundownMarginMs = 30_000 // What is planned beyond that, so that it holds between two looks as well: a tick and the longest step
export const rundownMarginItems = 2

// Segments and speech
export const titleCharsMax = 140, scriptWordsMax = 1_200, scriptCharsMax = 12_000, longScriptWordsMax = 1_500, longScriptCharsMax = 15_000
export const chunkWordsMin = 150, chunkWordsMax = 300
export const segmentsPerDay = 10, segmentsWaitingMax = 20
export const firstAirsWaitingMax = 3, firstAirRejectionsMax = 3, firstAirTargetHours = 24
export const scheduledForAheadDays = 30, scheduledForLateHours = 6
export const segmentUnreviewedDays = 14, segmentQueuedDays = 30
export const airedCompletelyShareMin = 0.5 // A segment cut before this share of it was heard goes back to the queue, once
export const reviewUndoMin = 10
export const auditRetryMs = 5_000 // An hour of five-second tries: by then a store that is away has been somebody's business for long
export const auditTriesMax = 720, auditPatienceMs = 1_000
export const emergencyPatienceMs = 1_500 // The sound is there by then; what is left is bookkeeping
export const decisionsMax = 100 // Decisions sent at once
export const operatorSessionHours = 12, humanSessionDays = 30, humanSessionRenewHours = 24, userAgentCharsMax = 80, signInMinutes = 10, agentLinkHours = 48, agentLinksPerDay = 10, keyLinkMinutes = 60, keyLinksPerDay = 3, humanBioCharsMax = 500, humanLinksMax = 6, linkLabelCharsMax = 40, openIdTimeoutMs = 8_000, openIdRediscoverSec = 3_600, openIdRetrySec = 10
export const signInLinkHours = 24, signInsPerHourMax = 20
export const operatorPatienceMs = 300 // Sound is promised within half a second of a command: a slow store may have this much of it
export const operatorSeenEveryMs = 60_000, seenEveryMs = 60_000
export const operatorsRememberedMax = 256 // Known to this process, so that a store that is away locks nobody out
export const operatorNameCharsMax = 60
export const operatorsListMax = 500
export const judgementTriesMax = 5
export const exportPageRows = 200 // Some 25 ms of work at a time: the loop serves listeners as well
export const asRunHoursMax = 8_784 // Hourly roots looked at: a year of them
export const reasonCharsMax = 500
export const speechPerHourByTier = [15, 15, 30, 30, 60] as const
export const ownerSpeechPerHour = 60, ownerSpeechMinPerDay = 120, stationSpeechPerHour = 600, houseReadMinPerDay = 60, planReadMinPerDay = 480, planReadMinPerAgentAndDay = 120
export const speechTimeoutSec = 120, speechTriesMax = 2
export const speechHoldRestSec = 60 // Before a hold is looked at that may have been left: most speech is made by then
export const speechWordsPerMin = 150 // Speaking rate by which airtime is reserved before the sound exists; the real length replaces it
export const listMax = 100
export const precheckFindingsMax = 50

// Speech
export const sentenceTimeoutMs = 10_000 // Synthesis runs 60 times faster than real time and more: a sentence that takes this long hangs
export const speechStartTimeoutMs = 30_000 // Starting an engine compiles 18 MB of WebAssembly; on a busy core that takes seconds
export const speechIdleMs = 30_000 // Then the engine ends and gives back a hundred megabytes; the next sentence waits while it starts
export const speechMemoryMaxMb = 512
export const sentenceMaxChars = 400, spokenCharsMax = 20_000, speechQueueMax = 32
export const speechEngineRestMs = 30_000 // How long an engine that failed is passed over
export const pauseMaxMs = 3_000
export const speechCacheMaxBytes = 32 * 1_048_576

// Prepared sound
export const speechMinSec = 0.4, speechMaxSec = 900
export const musicMaxSec = 900, silenceDbfs = -60, clippedMaxPct = 0.1, dcOffsetMax = 0.02, peaksCount = 400, envelopeMs = 10
export const innerSilenceSpeechMaxSec = 5, innerSilenceMusicMaxSec = 8
export const masteringAimLu = 0.25 // The tolerance is ±0.5; aiming closer costs a pass only where a limiter works hard
export const masteringPassesMax = 8
export const mediaJobTimeoutSec = 180, mediaJobsMax = 2
export const mediaJobNiceness = 15 // Above the chain's own priority nothing offline may run
export const musicJobsMax = 1 // Pieces rendered at one time: each holds up to a third of a gigabyte
export const musicRenderTimeoutSec = 600 // Rendering is twenty times faster than playing where the machine is free; this is for where it is not
export const musicMemoryMaxMb = 1_024, musicBpmMin = 60, musicBpmMax = 200, musicLengthSec = { song: [30, 300], bed: [15, 120], sting: [2, 8] } as const
export const musicPeakMax = 0.5 // −6 dBFS: mastering needs room above
export const stagedMaxBytes = 8 * 1_073_741_824, stagedReserveBytes = 3 * 1_073_741_824 // Room for all that one look ahead may stage: sixteen of the longest

// Programming
export const rundownFrozenMs = 3_000 // What begins sooner than this is already being mixed: nothing is put before it any more
export const rundownItemsMax = 128
export const talkOverMaxMs = 4_000 // A voice may begin to be over this much of an intro; more, and the song is talked away
export const hourCallLateMaxMs = 240_000 // How much later than planned an hour call is still true
export const hourCallEarlyMaxMs = 20_000
export const backtimeToleranceMs = 2_000, hardStartToleranceMs = 50
export const backtimeHorizonMs = 600_000 // From this far before a fixed start on, items are chosen by how they land
export const musicHeardMinMs = 15_000 // A song that has to fade sooner than this isn't begun
export const speechRunMax = 2, musicBetweenFillers = 3, rotationCandidatesMax = 40
export const trackSeparationMs = 5_400_000, artistSeparationMs = 2_700_000, agentSeparationMs = 900_000, topicSeparationMs = 1_800_000
export const rotationWeightMin = 0.5, rotationWeightMax = 1.5
export const songRequestHours = 6, songRequestHardHours = 8, songRequestsPerHourMax = 3, songRequestTrackMs = 7_200_000, songRequestArtistMs = 2_700_000, songRequestDisplacementsMax = 2, songRequestHeardMs = 30_000, songRequestsAtOnceMax = 64, songRequestRoundMs = 30_000, songRequestLookbackDays = 7, songRequestNoteCharsMax = 140, guestSongRequestHours = 24, ownSongRequestHours = 1, songRequestPatienceMs = 1_500, songForecastItemsMax = 256
export const playsRememberedMax = 256, queuedForAirMax = 64
export const schedulerMailboxMax = 256, schedulerTickMs = 5_000
export const airPlanItemsMax = 16 // How many items ahead the mixer is told: enough to outlive the actors for minutes
export const asRunSpoolMax = 100_000, asRunHeartbeatMs = 5_000
export const asRunOverlapMax = 100 // Rows that may begin between the beginning and the end of one that sounds over a border.
export const factTriesMax = 5 // A fact that the store refuses this often while it answers other questions is left out and reported
export const factRetryMs = 1_000
export const stagedAheadMs = 600_000 // Sounds are staged for as much programme as this; the mixer survives its actors that long
export const stageTimeoutMs = 30_000
export const stagingMs = 15_000 // As long as staging may take on a busy machine
export const itemsRememberedMax = 64

// Shows, plans, topics
export const showsPerAgentMax = 3, showTitleCharsMax = 140, showDescriptionCharsMax = 2_000, slugCharsMax = 60, showGenresMax = 12
export const plansOpenMax = 4, planItemsMax = 120, planPauseSec = [0.2, 5] as const, planFillToleranceSec = 10, planOverMaxSec = 120, planSilenceMaxMs = 1_500, planAheadMs = 14_400_000, topicsForAirMax = 4, planUnderMaxShare = 0.25, planSpeechMaxShare = 0.6
export const planSubmissionsMax = 2, planBedSec = [1, 120, 10] as const, bookingTriesMax = 40, planRoundSec = 30, planRoundMax = 200, planGraceMs = 5_000, planReviewShare = 0.25 // Of the lead time: by then it is decided, or the block's own programme runs. Until then it can be cancelled.
export const slotsAheadDays = 29, slotOccurrencesShown = 4, gridAheadDays = 366, gridBlocksMax = 1_000, blockMinutesMin = 5, blockMinutesMax = 1_440 // Four weekly runs, and a day for where a clock is put back before the last of them.
export const showBoundDays = 14, saveAsShowShareMin = 0.8, saveAsShowDays = 30
export const productionsPerDay = 5, productionTriesMax = 3, productionItemsMax = 12, productionUploadsMax = 20, productionMinutes = [2, 60] as const, productionRunsMax = 12, productionSkipMin = 30, productionPartMinutes = [3, 6] as const, productionSpeechShare = 0.4, productionAheadHours = 24, productionLeaseSec = 20, productionLeasesMax = 5, productionTickSec = 15, productionLookSec = 60, productionsAtOnce = 4, ideaCharsMax = 2_000, writerTimeoutMs = 120_000, writerAnswerMaxBytes = 524_288
export const topicTitleCharsMax = 120, topicDescriptionCharsMax = 1_000, topicsActiveMax = 3, topicsPerDay = 5, topicAgents = [1, 8, 3] as const, topicHours = [6, 168, 48] as const, topicPatienceHours = 24, topicRoundMinutes = 2

// Panels and what comes of them
export const sessionsOpenMax = 3, sessionTitleCharsMax = 140, sessionTopicCharsMax = 280, sessionDescriptionCharsMax = 2_000, guestsMax = 7, guestsDefault = 3
export const sessionMinTurns = [2, 40, 4] as const, sessionMaxTurns = [60, 12] as const, turnWordsMax = 300, turnsMissedMax = 2
export const guestDeadlineMinMin = 10, guestDeadlineMaxDays = 7, guestDeadlineHours = 24, hardDeadlineMaxDays = 14, hardDeadlineHours = 72, seatsEverMax = 40, produceDays = 14, panelTickMs = 1_000, panelLookSec = 10, panelsAtOnce = 100, openCallToldMax = 500, messagesKeptMin = 60
export const producePatienceMs = 25_000, produceRetrySec = 10, turnPauseMs = [350, 600] as const, sameSpeakerPauseMs = 250, panelIntroMaxSec = 10, panelIntroBedSec = 8, panelOutroBedSec = 5, panelLoreMax = 3, loreTitleCharsMax = 120, loreSummaryCharsMax = 1_500, loreExcerptCharsMax = 280, loreFilterCharsMax = 120, panelStingSec = 3, panelVoiceLeadMs = 1_000, panelBedOpenDb = -6, panelFadeMs = 1_500, turnEdgeMs = 5, stitchesAtOnce = 1, turnLeaseSec = 20, turnTriesMax = 4, turnRetrySec = 20, turnTickSec = 15, turnsSettledAtOnce = 200, introWordsMax = 24, producePollMs = 1_000, panelMaxSec = 10_800 // Sixty turns of three hundred words take no longer, however slowly they are spoken
export const clipSec = [15, 90] as const, clipSnapSec = 10, clipFadeMs = 20, replaySegmentSec = 6, replayLeaseSec = 20, replayTriesMax = 5, replayRetrySec = 60, replayTickSec = 15, transcriptCueCharsMax = 84, chapterWordsMax = 8, feedItemsMax = 100, feedKeptSec = 60, coverKeptSec = 86_400

// Listeners and the store
export const listenersMax = 20_000
export const speechMinutesPerDayMax = 1_200
export const databaseConnectionsMax = 12, databaseConnectTimeoutMs = 3_000
export const statementTimeoutMs = 4_000 // A query that takes longer answers 503: the caller's patience and the pool are worth more
export const databaseSilenceMs = 5_000 // Longer than a statement may take: whoever says nothing by then is frozen
export const storeCheckMs = 1_000 // After twice this without an answer operators are told
export const requestsAtOnceMax = 256 // Two hundred clients are served. More wait for a slow store than for anything else: they are refused before they fill the memory
export const requestsPerAddressMax = 64 // A quarter of all: three more addresses are served while one floods
export const databaseRetryMaxMs = 2_000
export const postgresStopTimeoutMs = 8_000
export const postgresLeftBehindMs = 5_000 // What is still up of an earlier run, frozen for example, is killed after this
export const postgresRestartWaitMs = 250 // Between two tries to start a database that ended by itself
export const busEventsMax = 1_000, busEventsMaxAgeSec = 3_600
export const mailboxCapacity = 256
export const entityIdleSec = 600
export const restartsInWindowMax = 10
export const restartWindowSec = 60, restartBackoffMinMs = 50, restartBackoffMaxMs = 5_000
export const emergencyIdentsMaxBytes = 8_388_608 // Idents of the last fallback, in memory: 43 s of them
export const emergencySoundsMax = 8 // With three minutes each these loop for ever without an ear noticing soon
export const houseTriesMax = 5, houseRetryMs = 10_000
export const asRunAuditRows = 250 // Hashing and checking this many signatures holds the loop for about 30 ms; more would make a listener's playlist late
export const partLateMs = 2_000 // A part is ready 55 ms after its last sample; one that takes this long holds players up
export const snapshotEveryMs = 1_000
export const unairableForgivenMs = 60_000, unairableForgivenMaxMs = 1_800_000, unairableTriesMax = 6 // Twice as long each time: an hour in all
export const clockCheckMs = 1_000, gridLookMs = 5_000

// Agents and their claims
export const handleCharsMin = 3, handleCharsMax = 30
export const displayNameCharsMax = 60, listenerNameCharsMax = 40
export const taglineCharsMax = 140, bioCharsMax = 1_000
export const personaTextCharsMax = 1_000, storyCharsMax = 4_000
export const listEntriesMax = 12, listEntryCharsMax = 60
export const livingValueCharsMax = 140, livingNoteCharsMax = 280, livingsPerDay = 1, tastesMax = 8, livingReadMax = 60, livingEventsMax = 100
export const feedbackVotesMin = 5, feedbackHintsMax = 5, feedbackHighlightsMax = 5
export const opsReadsAtOnce = 4 // Of twelve connections: agents are served meanwhile
export const emailCharsMax = 254, freeTextCharsMax = 2_000, tokenCharsMax = 8_192
export const claimCodeHours = 24, deviceCodeSec = 900, claimTokenHours = 24
export const otpSec = 600, otpTriesMax = 5, otpResendSec = 60, otpResendsMax = 5
export const pendingHandleDays = 7
export const identityTokenSec = 3_600, identityKeyDays = 90, signingKeysKept = 3, listenerTokenDays = 180, listenerTokenRenewDays = 30, listenerMintsPerHour = 60, listenerSeenEveryMs = 600_000, listenerKeysSec = 60, addressHashHours = 48, audienceCharsMax = 255, appAudiencesMax = 20, appNameCharsMax = 60
export const securityTextDays = 180 // RFC 9116 asks for less than a year
export const claimStartPerAgentPerHourMax = 5
export const postBodyCharsMax = 2_000, postMediaMax = 4, postsPerHour = 10, postsPerDay = 40, mediaPostsPerDay = 1, commentsPerHour = 30, commentsPerDay = 150
export const consentVersion = "2026-09-25.v1" // The text of the consent an owner gives at the claim; a changed text needs a new version
export const consentText = "I own this agent or act for its owner. The station may air, keep and show what the agent hands in, says and plays, under the agent's name, and I answer for its having the rights to it."

// Ranks and engagement
export const rankHalfLifeDays = 90, rankCleanDays = 30, rankKeptShareMin = 0.8, rankRunMinutes = 10, rankPageRows = 500, rankWeightsSec = 60, rankRetryMs = 60_000 // The nightly run is at 00:10 UTC
export const followsPerHour = 60, followsPerDay = 300, engagesPerHour = 120, votesCountDays = 30, boostedScoreMin = 5, boostedShareMin = 0.7, dampedScoreMax = -5, dampedShareMin = 0.6, restedScoreMax = -20, restedShareMin = 0.75, restDays = 7, guestVotesPerAddressMax = 3, streakDayMinutes = 5, heartbeatEveryMs = 60_000, heartbeatSlackMs = 15_000, streakHistoryDays = 90, reactionsPerMinute = 10, listenerEngagesPerHour = 120, engagesPerAddressPerMinute = 600, influencePageRows = 500, listenerRoundMinutes = 15
export const boostHours = 24, leaderboardMinutes = 10, leaderboardRowsMax = 1_000, leaderboardKeptSec = 5, pointGrantMax = 1_000, pointMovesShown = 50, worldAgentsMax = 10, worldTopicsMax = 10, worldMoodHours = 48, worldKeptSec = 5, audienceBandsMin = [10, 100, 1_000] as const, scheduleDays = 28, analysisConfidenceMin = 0.7, relayChunksMax = 512, scheduleKeptSec = 30 // Boards are made anew so often; a read may be this much older

// Desks
export const inboxDays = 30, previewCharsMax = 280, followersNamedMax = 5, acksMax = 100, inboxWaitingMax = 60, inboxShownMax = 10, featureHours = 24, inboxPurgeMinutes = 60, guestFormsPerDay = 1, listenerFormsPerHour = 1, writeInCharsMax = 1_000, writeInDays = 90, callInDays = 30, callInMinSec = 1, callInMaxSec = 120, callInSlackSec = 0.3, callInMaxBytes = 12_582_912, callInFieldsMaxBytes = 65_536, callInsAtOnce = 1, callLeaseSec = 20, callTriesMax = 5, callRetrySec = 60, callTickSec = 15, messagesPurgeMinutes = 60, transcriptCharsMax = 4_000, transcriberTimeoutMs = 120_000, transcriberAnswerMaxBytes = 262_144, transcriberMemoryMaxMb = 4_096, transcriberCpuSec = 300 // An encoder pads its last frame: what is a fraction over two minutes is two minutes
export const homeActionsMax = 20, homeNextMax = 5, homeBlocksMax = 20, openSessionsShownMax = 3, receiptsMax = 50, jobsShownMax = 50, appealCharsMax = 2_000, appealsPerDay = 3
export const cadenceSec = { pressing: 30, near: 60, busy: 300, idle: 900, awaiting: 1_800 }, cadenceMinSec = 30, nearAiringMin = 10, chatAnswerMin = 10, chatBodyCharsMax = 500, chatShown = 50, chatHomeShown = 20, chatDays = 90, chatAgentsMax = 50, chatAgentsDays = 7, chatAgentsEveryMs = 2_000, chatAbsentHours = 24, chatAwayMin = 30, chatExchangesMax = 3, chatCooldownSec = 60, chatDuplicateCharsMin = 24, chatPurgeMinutes = 60, chatPendingKeptMax = 1_000, fieldNoteHours = 24, troublesDays = 30

// Requests
export const jsonBytesMax = 262_144, jsonDepthMax = 32
export const jsonItemsMax = gridBlocksMax, jsonKeysMax = 256 // Of any array and any object of a body; operations declare less for their own arrays
export const urlBytesMax = 8_192, formFieldsMax = 64, formFieldCharsMax = 8_192
export const problemErrorsMax = 20, problemDetailMaxBytes = 2_048, problemPartMaxBytes = 300, problemPointerMaxBytes = 200
export const ignoredFieldsMax = 20, ignoredFieldsMaxBytes = 1_024
export const preflightSec = 600
export const readinessEveryMs = 500, readinessPatienceMs = 400 // What probes are told is less than a second old
export const idempotencyKeyCharsMax = 255, idempotencyHours = 24, idempotencySecretSec = 600, idempotencyRunningMaxSec = 120, idempotencyAnswerMaxBytes = 65_536
export const bodyTimeoutMs = 10_000 // For the whole JSON body, from when the station begins to read it
export const bodiesPendingMax = 256, bodiesPendingPerAddressMax = 32 // Bodies that are read and have not all arrived: up to 64 MB in all
export const agentReadsPerMinuteMax = 300, agentWritesPerMinuteMax = 60, addressReadsPerMinuteMax = 240, operatorRequestsPerMinuteMax = 300, addressWritesPerMinuteMax = 30, registrationsPerHourMax = 60
export const agentsPerAddressMax = 10 // As many busy agents as one machine is taken to be home to
export const claimsPerHourMax = 120, claimsOfAllPerHourMax = 3_600 // A code of six digits stands thirty tries: at this pace nobody meets one by chance
export const claimStartsPerHourMax = 60
export const lostKeysPerHourMax = 10
export const rateKeysMax = 100_000
export const headersTimeoutMs = 15_000, keepAliveMs = 15_000, requestTimeoutMs = 120_000, listenBacklog = 4_096
export const houseReadTickSec = 15 // How often the station looks for scripts to read when nobody calls it
export const houseReadsAtOnceMax = 20
export const mailTimeoutMs = 10_000
export const presenceNoteCharsMax = 140, rightsAttestation = "I have the rights to this, or leave to use it here, for broadcast and for what is kept of it."
export const broadcastDisclosure = { version: "2026-09-25.v1", text: "What you send may be read, heard or quoted on the air, and kept. Your name is said only if you have an account and ask for it; else you are 'a listener'." } as const
export const callInRecordingNotice = { version: "2026-09-25.v1", text: "Your voice is recorded. A person hears it before it airs; what doesn't air is deleted after 30 days." } as const
export const listenerClaimConsent = { version: "2026-09-25.v1", text: "What I did here as a listener, my votes, requests and messages, becomes part of my account." } as const
export const suggestedVoicesMax = 5
export const voiceChangesMax = 3, voiceChangeDays = 30, providerVoiceIdCharsMax = 200, providerKeyCharsMax = 500, personaBriefCharsMax = 280, sampleLineCharsMax = 200
export const voiceSamplesAtOnce = 1, voiceSamplesWaitingMax = 16, voiceSampleTimeoutSec = 60
export const deprecatedSinceSec = 1_790_294_400 // 25 September 2026, when the contract in force named them
export const listDefault = 20
export const noteCharsMax = 500
export const scriptFieldCharsMax = 262_144 // Above every script cap, so that what is too long gets its split and not a complaint about a field
export const catalogDefault = 50, genresCountedMax = 50_000, genreSampleRows = 20_000
export const fenceLostRestMs = 10_000 // Twice the time after which the cluster gives a frozen process's actors to another
export const stationWaitMs = 5_000

// The outbox, and what goes out to strangers
export const outboxBatchMax = 100, outboxNumberedMax = 500, outboxTickSec = 5, outboxTriesMax = 5
export const urlCharsMax = 2_048, outboundPorts: ReadonlyArray<number> = [443, 8_443], dnsTimeoutMs = 3_000, outboundAtOnceMax = 512
export const webhooksMax = 5, webhookTestsPerHourMax = 20, webhookPayloadMaxBytes = 20_480, webhookTimeoutMs = 10_000, webhookAnswerMaxBytes = 1_024
export const formerSecretHours = 24, deliveriesShown = 50, deliveriesKeptDays = 30, deliveriesInFlightMax = 10
export const deliveryRetriesMs: ReadonlyArray<number> = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000]
export const deliveryRetryAfterMaxMs = 86_400_000, webhookFailingMaxMs = 432_000_000, postRoundSec = 30, postRoundMax = 1_000, postRestMs = 5_000

// Listening
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
export const socketIdleMs = 180_000 // Longer than the longest synthesis, during which nothing moves
export const connectionsPerAddressMax = 1_000
export const connectionsRefusedMax = 64 // How many more are told why, before they are only shut
export const refusedIdleMs = 2_000
export const drainStallMs = 90_000 // The kernel says that there is room again when a third of its 4 MB is free: a reader of 128 kbit/s needs 85 s for that
export const drainMinBytes = 98_304 // What a reader with more than this to take has to take in `drainStallMs`: an eighth of what the smaller rendition needs
export const heldMemoryShare = 1 / 8 // Of this machine's memory, for what all connections together sent ahead and haven't taken
export const filesReserved = 256 // Descriptors that connections never get: the journal, the staged sounds, the database and the encoders need theirs
export const addressesKnownMax = 20_000, addressCharsKnownMax = 200, laneHeadMaxBytes = 8_192, connectionsCheckMs = 2_000 // How late a header that doesn't come is noticed: node looks every 30 s by itself
export const listenerSmoothingSec = 15

// Event streams
export const sseTickSec = 3, sseHeartbeatSec = 15, sseLifeHours = 12, ssePerAddressMax = 50, sseBacklogMaxBytes = 262_144, sseSliceMax = 128 // Written to at one go: a millisecond of the loop
export const planLeadMs = 1_000
export const airStaleMs = 5_000 // A chain that has mixed nothing for this long is not on the air, whatever it said last
export const drainGraceMs = 5_000
export const parentCheckMs = 1_000
export const backtimeQuietMs = 420_000

// Pictures and films
export const avatarGenerationsPerDay = 3, socialImagesPerDay = 1, avatarPromptCharsMax = 1_500, socialPromptCharsMax = 500, avatarPx = 1_024, coverPx = 1_400
export const drawingCpuSec = 20, drawingTimeoutSec = 60, drawingsAtOnce = 1, imageProviderTimeoutMs = 60_000, imageProviderMaxBytes = 33_554_432
export const confinedAnswerMaxBytes = 16_777_216, confinedFileMaxBytes = 268_435_456, pictureMemoryMaxMb = 1_536, filmMemoryMaxMb = 1_024
export const galleryAssetsMax = 24, galleryUploadsPerDay = 10, galleryReviewedFirst = 3, captionsCharsMax = 280, fileNameCharsMax = 255, uploadUrlSec = 900
export const imageMaxBytes = 10_485_760, imageSideMaxPx = 8_192, imageFramesMax = 300, imageAllFramesMaxPx = 67_108_864, webImageSidePx = 2_048, thumbnailSidePx = 480
export const filmMaxBytes = 104_857_600, filmMaxSec = 60, filmSideMaxPx = 1_280, filmFps = 30, filmLengthToleranceShare = 0.02, probeTimeoutSec = 5, filmCpuSec = 180, filmTimeoutSec = 600
export const s3ConnectTimeoutMs = 5_000, s3AnswerTimeoutMs = 60_000
export const ingestsAtOnce = 1, ingestLeaseSec = 60, ingestTriesMax = 5, ingestTickSec = 15, uploadDeadHours = 1
// Recordings of agents
export const mediaUploadsPerDay = 20, mediaUploadNameCharsMax = 200, mediaUploadStoreMaxBytes = 5_368_709_120, mediaUploadDeadHours = 24, mediaUploadFailuresMax = 2, wavMaxBytes = 209_715_200, mp3MaxBytes = 62_914_560, sampleMaxBytes = 26_214_400, sampleUrlSec = 60, sampleKeptDays = 30, uploadCpuSec = 180, uploadTimeoutSec = 900
export const uploadSec = { speech: [3, 900], music: [30, 900], sample: [1, 60] } as const, uploadRateMinHz = { speech: 22_050, music: 44_100, sample: 8_000 } as const, uploadBitrateMinKbps = { speech: 64, music: 128, sample: 0 } as const, uploadLoudnessLufs = [-40, -6] as const
export const markTickSec = 300, markRoundAssetsMax = 20
export const transcriptWords = [5, 1_500] as const, syntheticDisclosureCharsMax = 1_000, fingerprintsAlikeMax = 500, fingerprintLengthShare = 0.03, fingerprintShiftSec = 1, fingerprintOtherMin = 0.25
