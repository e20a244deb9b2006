import { Layer } from "effect"
import { CallSoundLive } from "./CallSound.ts"
import { TranscriberLive } from "./Transcriber.ts"

/** All that has to do with recordings of listeners. */
export const CallsLive = Layer.mergeAll(CallSoundLive, TranscriberLive)
