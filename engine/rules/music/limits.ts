// Bounds of music. The unit is last in the name.

export const musicMaxSec = 900
export const mediaJobNiceness = 15 // Offline work must run below the chain's priority
export const awaitedJobNiceness = 5 // A caller waits for its answer: it must not starve on a busy machine
export const musicJobsMax = 1 // Pieces rendered at the same time: each holds up to a third of a gigabyte
export const musicRenderTimeoutSec = 600 // Rendering is twenty times faster than real time on an idle machine; this allows for a busy one
export const musicMemoryMaxMb = 1_024
export const musicBpmMin = 60
export const musicBpmMax = 200
export const musicLengthSec = { song: [30, 300], bed: [15, 120], sting: [2, 8] } as const
export const musicPeakMax = 0.5 // −6 dBFS: mastering needs headroom

export const musicPromptChars = [10, 1_000] as const
export const musicProviderMaxSec = 120 // Of a configured endpoint, unless the operator says otherwise
export const musicDurationSec = { least: 30, most: 300, usual: 120 } as const
export const musicVariantsMax = 4
export const musicVariantsUsual = 2
export const musicTempoBpm = [50, 200] as const
export const musicSeedMax = 4_294_967_295
export const musicPerDayByTier = [3, 3, 6, 12, 12] as const
export const musicRunningMax = 2
export const stationMusicPerDay = 120
export const musicTriesMax = 3 // The first and two more, then the quota is given back
export const musicRetryMs = 5_000
export const musicPollSec = 5
export const musicRequestsAtOnce = 4 // One more than wait for providers: those never hold up the station's composer
export const providerPiecesAtOnce = 3
export const providerOrderTimeoutMs = 30_000 // An order or a look at it; the work itself goes on at the provider
export const providerAnswerTimeoutMs = 290_000 // Of a provider that answers with the finished piece: the HTTP client gives up after 300 s
export const providerPieceTimeoutMs = 900_000 // From the order to the last byte
export const providerFetchTimeoutMs = 60_000
export const providerPollMs = [250, 5_000] as const // The first pause, doubled up to the last
export const providerPollFaultsMax = 5 // In a row: a restart of the provider's server is no failure
export const providerBusyMs = 5_000
export const providerBusyMaxMs = 3_600_000 // Then the request has failed
export const providerSoundMaxBytes = 62_914_560 // Five minutes of WAV
export const providerJsonMaxBytes = 1_048_576
export const providerFailuresMax = 3 // In a row, then it rests: no more orders are sent
export const providerRestMinMs = 30_000
export const providerRestMaxMs = 600_000
export const providerLinkCharsMax = 4_000
export const variantsKeptDays = 30 // Designated ones are tracks by then

export const tracksPerDay = 10
export const tracksPerAgentMax = 200 // Retired and rejected ones don't count
export const trackFieldsMaxBytes = 65_536
export const trackFetchSec = 60
export const coverFetchMaxBytes = 8_388_608
export const coverFetchSec = 15
export const trackUrlCharsMax = 2_000
export const trackExamineAfterMs = 900_000 // When the request that brought it has died, a job examines the recording

export const trackArtistCharsMax = 80
export const trackDescriptionCharsMax = 1_000
export const lyricsCharsMax = 3_000
export const trackWordCharsMax = 40 // A language or a musical key

export const songRequestLookbackDays = 7
export const songRequestNoteCharsMax = 140
export const guestSongRequestHours = 24
export const ownSongRequestHours = 1
export const songRequestsKeptDays = 400 // One by one, like points; older ones count in the totals of their tracks
export const songRequestPatienceMs = 1_500

export const emergencySoundsMax = 8 // With three minutes each, a loop of these has no obvious repeats
export const houseTriesMax = 5
export const houseSongsMax = 150 // About six hours: nobody's bookings fill the disk
export const houseSongClosesSec = [60, 200] as const // A gap of this length is closed by one song as long as it
export const housePiecesNightly = 6 // A week has 42 new ones, beside the founding repertoire
export const houseNightMinutes = 160 // 02:40 UTC, after the nightly run of ranks
export const houseLibraryMax = 80 // Some three hours of music, and 1.5 GB of masters and copies
export const retiredSoundHours = 24 // A retired piece may be planned or playing: its sound stays for a day
export const houseLookMs = 30_000
export const houseRetryMs = 10_000

export const votesCountDays = 30
export const boostedScoreMin = 5
export const boostedShareMin = 0.7
export const dampedScoreMax = -5
export const dampedShareMin = 0.6
export const restedScoreMax = -20
export const restedShareMin = 0.75
export const restDays = 7
export const guestVotesPerAddressMax = 3

export const classTracksCountedMax = 1_000 // Counting more would take most of the time of the answer
export const tracksSearchedFirst = 2_000 // In them a word that is common fills a page
export const genresCountedMax = 50_000
export const genreSampleRows = 20_000

export const submissionsPerDay = 3
export const submissionsOpenMax = 10 // Of one person, before the operators' last word
export const submissionNoteCharsMax = 500
export const submissionsShownMax = 100
export const submissionFieldsMaxBytes = 65_536
export const adoptionPitchCharsMax = 500
export const adoptionsOpenMax = 5 // Of one agent
export const adoptionsShownMax = 20
export const boardTierMin = 1
export const submissionLeftMinutes = 60 // A process that died left it: nobody examines for so long
export const submissionUndoMinutes = 30 // A decision can be undone for ten; then the sound goes
export const submissionsKeptDays = 30 // After their end
export const submissionsSweptMinutes = 15
export const printsAtOnce = 4 // Each decodes a piece, a second of one core
export const printsTakenMinutes = 2

/** New keys of creations, also those that name an older job. */
export const creationsPerHour = 30
/** The same content within this time is the same job. */
export const creationReuseHours = 24
