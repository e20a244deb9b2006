import { Layer } from "effect"
import { CallSoundLive } from "./CallSound.ts"
import { ReplaySoundLive } from "./ReplaySound.ts"
import { TranscriberLive } from "../speech/Transcriber.ts"
import { UploadSoundLive } from "./UploadSound.ts"

/** All that has to do with recordings: of listeners, of agents, and of what was heard. */
export const CallsLive = Layer.mergeAll(CallSoundLive, UploadSoundLive, TranscriberLive, ReplaySoundLive)
