import { Layer } from "effect"
import { CallSoundLive } from "./CallSound.ts"
import { ReplaySoundLive } from "./ReplaySound.ts"
import { TranscriberLive } from "../speech/Transcriber.ts"
import { UploadSoundLive } from "./UploadSound.ts"

/** Recordings: listeners' calls, agents' uploads and replays. */
export const CallsLive = Layer.mergeAll(CallSoundLive, UploadSoundLive, TranscriberLive, ReplaySoundLive)
