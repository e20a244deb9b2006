import { joined } from "../runtime/joined.ts"
import { SongRequestsWriter } from "../../engine/store/music/SongRequests.ts"
import { TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"

/** Ends an erased person's song requests and removes the name from aired ones. */
export const forgetSongRequests = joined(SongRequestsWriter, "forget")
/** Sets the status of a song request after its airing. */
export const songRequestEnded = joined(SongRequestsWriter, "airingEnded")
export const eraseRequestAddresses = joined(SongRequestsWriter, "eraseAddresses")
export const eraseVoteAddresses = joined(TrackVotesWriter, "eraseAddresses")
/** Moves a listener's votes to a person and answers the tracks whose votes changed. */
export const mergeVotes = joined(TrackVotesWriter, "merge")
export const saveTrack = joined(TracksWriter, "save")
export const judgeTrack = joined(TracksWriter, "judge")
/** Takes all tracks of an agent that leaves out of rotation. */
export const retireTracks = joined(TracksWriter, "retireOf")
export const trackPlayed = joined(TracksWriter, "played")
