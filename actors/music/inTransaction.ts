import { joined } from "../runtime/joined.ts"
import { SongRequestsWriter } from "../../engine/store/music/SongRequests.ts"
import { TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"

/** Ends an erased person's song requests and removes the name from aired ones. */
export const forgetSongRequests = joined(SongRequestsWriter, "forget")
/** Sets the status of a song request after its airing. */
export const songRequestEnded = joined(SongRequestsWriter, "airingEnded")
/** Erases the addresses of song requests. */
export const eraseRequestAddresses = joined(SongRequestsWriter, "eraseAddresses")
/** Erases the addresses of votes. */
export const eraseVoteAddresses = joined(TrackVotesWriter, "eraseAddresses")
/** Moves a listener's votes to a person and answers the tracks whose votes changed. */
export const mergeVotes = joined(TrackVotesWriter, "merge")
/** Saves an agent's track. */
export const saveTrack = joined(TracksWriter, "save")
/** Changes a track's approval status. */
export const judgeTrack = joined(TracksWriter, "judge")
/** Counts an airing of a track. */
export const trackPlayed = joined(TracksWriter, "played")
