import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { modelsOf } from "../models/ModelStore.ts"
import { mediaPathsOf } from "../storage/MediaStore.ts"
import { sherpaListener } from "./SherpaTranscriber.ts"
import { makeSoundCheck } from "./SoundCheck.ts"
import type { SpeechEngine } from "./SpeechEngine.ts"

/** The station's check of speech: by the recogniser on this machine, if there is one. An endpoint at `STT_URL` is not asked: it is paid. */
export const stationCheck = Effect.fnUntraced(function* (embedded: SpeechEngine) {
  const config = yield* StationConfig
  const { dataDir, sttModelDir } = config
  const tools = yield* Ffmpeg
  const modelDir = sttModelDir ?? modelsOf(dataDir).recogniser
  return makeSoundCheck(
    embedded,
    modelDir === null ? null : sherpaListener({ modelDir, tools, workDir: mediaPathsOf(config).workOf("calls") })
  )
})
