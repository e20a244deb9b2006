import { joined } from "../runtime/joined.ts"
import { SongRequestsWriter } from "../../engine/store/music/SongRequests.ts"
import { TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"

/** Ends the song requests of an erased person, and takes their name from those that were heard. */
export const forgetSongRequests = joined(SongRequestsWriter, "forget")
/** Where a song request stands now that its airing has ended. */
export const songRequestEnded = joined(SongRequestsWriter, "airingEnded")
/** Erases addresses that song requests came from. */
export const eraseRequestAddresses = joined(SongRequestsWriter, "eraseAddresses")
/** Erases addresses that votes came from. */
export const eraseVoteAddresses = joined(TrackVotesWriter, "eraseAddresses")
/** Gives a listener's votes to a person; answers the tracks whose votes changed. */
export const mergeVotes = joined(TrackVotesWriter, "merge")
/** Saves a track that an agent has handed in. */
export const saveTrack = joined(TracksWriter, "save")
/** Moves a track to another state of approval. */
export const judgeTrack = joined(TracksWriter, "judge")
/** Counts an airing of a track. */
export const trackPlayed = joined(TracksWriter, "played")
