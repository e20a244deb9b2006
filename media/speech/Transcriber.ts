import { Effect, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { NotTranscribed, Transcriber } from "../../engine/ports/Transcriber.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { modelsOf } from "../models/ModelStore.ts"
import { httpTranscriber } from "./HttpTranscriber.ts"
import { mediaPathsOf } from "../storage/MediaStore.ts"
import { sherpaTranscriber } from "./SherpaTranscriber.ts"

/** No machine transcription: calls wait for a person's transcript. */
export const noTranscriber = Transcriber.of({
  engine: null,
  transcribe: () =>
    Effect.fail(
      new NotTranscribed({ detail: "No speech recogniser is configured. Set STT_MODEL_DIR or STT_URL.", again: false })
    )
})

/** A model on this machine before an external endpoint: data stays local if possible. */
export const TranscriberLive = Layer.effect(
  Transcriber,
  Effect.gen(function* () {
    const config = yield* StationConfig
    const { dataDir, sttKey, sttModel, sttModelDir, sttUrl } = config
    const objects = yield* ObjectStore
    const tools = yield* Ffmpeg
    const modelDir = sttModelDir ?? (sttUrl === null ? modelsOf(dataDir).recogniser : null)
    if (modelDir !== null)
      return sherpaTranscriber({ modelDir, objects, tools, workDir: mediaPathsOf(config).workOf("calls") })
    return sttUrl === null ? noTranscriber : httpTranscriber({ url: sttUrl, key: sttKey, model: sttModel }, objects)
  })
)
