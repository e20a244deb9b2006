import { joined } from "../runtime/joined.ts"
import { SongRequests } from "../../engine/store/music/SongRequests.ts"
import { TrackVotes } from "../../engine/store/music/TrackVotes.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"

/** Ends the song requests of an erased person, and takes their name from those that were heard. */
export const forgetSongRequests = joined(SongRequests, "forget")
/** Where a song request stands now that its airing has ended. */
export const songRequestEnded = joined(SongRequests, "airingEnded")
/** Erases addresses that song requests came from. */
export const eraseRequestAddresses = joined(SongRequests, "eraseAddresses")
/** Erases addresses that votes came from. */
export const eraseVoteAddresses = joined(TrackVotes, "eraseAddresses")
/** Gives a listener's votes to a person; answers the tracks whose votes changed. */
export const mergeVotes = joined(TrackVotes, "merge")
/** Saves a track that an agent has handed in. */
export const saveTrack = joined(Tracks, "save")
/** Moves a track to another state of approval. */
export const judgeTrack = joined(Tracks, "judge")
/** Counts an airing of a track. */
export const trackPlayed = joined(Tracks, "played")
