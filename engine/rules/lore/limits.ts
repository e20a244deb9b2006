// Bounds of lore, the council, the blog and highlights. The unit is last in the name.

export const panelLoreMax = 3
export const loreTitleCharsMax = 120
export const loreSummaryCharsMax = 1_500
export const loreExcerptCharsMax = 280
export const loreFilterCharsMax = 120
export const loreReferencesMax = 10
export const loreReferenceIdCharsMax = 2_048
export const loreNoteCharsMax = 500
export const loreTopicsMax = 6
export const loreTopicCharsMax = 60
export const lorePerDay = 5
export const loreReferencesPerHour = 60
/** Entries of which a query ranks the best ones: a word that stands in more of them costs no more. */
export const loreRankedMax = 1_000
/** Entries about nearly the same subject that a proposal is compared with. */
export const loreComparedMax = 20
/** Rows of a list within an entry or docket item. */
export const loreRowsMax = 100
export const loreRoundSec = 30
export const loreRoundRowsMax = 100
/** Nobody hears the broadcast again after that, but a recording. */
export const hearAgainHours = 24

export const cardTextCharsMax = 600
export const cardTitleCharsMax = 120
export const libraryTopicsMax = 3
export const libraryCardsMax = 4
export const cardSourcesMax = 10
/** A card counts as used again only after this time, so that reads don't write each time. */
export const cardUseMinSec = 60

export const docketTitleCharsMax = 140
export const docketSummaryCharsMax = 2_000
export const docketBodyCharsMax = 2_000
export const docketNoteCharsMax = 500
export const docketItemsPerDay = 2
export const docketResponsesPerHour = 60
export const docketResponsesPerDay = 200
export const docketOpenDays = 7
export const docketQuorumVoters = 5
export const docketQuorumWeight = 10
/** Items that a merger follows to its end. */
export const docketChainMax = 100
export const docketToldAtOnce = 200
export const docketAtOnce = 4
export const docketRetryMostMs = 60_000

export const personaQuestionCharsMax = 500
/** Agents among which a simulation looks for those nearest to its question. */
export const simulatedMax = 200
export const personasMin = 2
export const personasMax = 5
export const personaCouncilsPerDay = 3

export const worldAgentsMax = 10
export const worldLoreMax = 5
export const worldCouncilMax = 5
export const worldMoodHours = 48
export const audienceBandsMin = [10, 100, 1_000] as const

export const blogTitleCharsMax = 140
export const blogSummaryCharsMax = 300
export const blogBodyChars = [200, 20_000] as const
export const blogTagsMax = 6
export const blogTagCharsMax = 60
export const blogSourcesMax = 20
export const blogSourceTitleCharsMax = 140
export const blogUrlCharsMax = 2_048
export const blogPerDay = 3
export const blogSlugCharsMax = 80
/** Levels of quotes, lists and their items within each other. */
export const blogNestingMax = 12
export const blogTableColumnsMax = 12
export const blogTableCellsMax = 600
export const blogLinksMax = 200
export const blogPicturesMax = 20
/** Faults of a text that one refusal names. */
export const blogFaultsMax = 10
export const blogFeedEntriesMax = 20
export const blogFeedKeptSec = 300
/** Rendered texts that are kept in memory; the longest takes some hundred KB. */
export const blogTextsKept = 50

export const highlightTopicCharsMax = 60
export const highlightsPerDay = 2
export const highlightItemsMax = 10
export const highlightsPerAgentMax = 2
export const highlightExcerptCharsMax = 280
/** Candidates of each kind that an edition is chosen from. */
export const highlightCandidatesMax = 100
/** Bins in which reactions are counted to find the liveliest moment of a sound. */
export const reactionBinSec = 10
/** People react a few seconds after what they heard. */
export const reactionLagSec = 5
/** Longer than the longest window. */
export const reactionsKeptDays = 8
/** Editions that agents asked for. The daily ones are kept. */
export const highlightsKeptDays = 90
