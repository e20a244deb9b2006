import { Effect, Layer } from "effect"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Prepare } from "../../../engine/ports/Prepare.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import { FfmpegLive } from "../../../media/ffmpeg/Ffmpeg.ts"
import { PrepareLive } from "../../../media/prepare/Prepare.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { houseVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import { assetId, temporaryFolder } from "./Media.ts"

/** The station's own layers, over a folder that is removed afterwards. */
export const WholeChain = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) =>
    Layer.mergeAll(EmbeddedSpeech, PrepareLive.pipe(Layer.provide(FfmpegLive))).pipe(
      Layer.provide(StationConfig.fromEnvironment({ DATA_DIR: folder }))
    )
  )
)

/** A line as listeners would hear it: spoken, mastered, staged. */
export const speakAndStage = Effect.fnUntraced(function* (text: string, voiceId: string = houseVoiceId) {
  const raw = yield* (yield* Speech).speak({ text, voiceId, role: "PRIMARY" })
  const prepare = yield* Prepare
  const asset = yield* prepare.prepare({
    id: assetId(),
    kind: "speech",
    raw,
    role: "PRIMARY",
    introEndMs: null,
    segueMs: null,
    synthetic: null
  })
  return { raw, asset, sound: yield* prepare.stage(asset) }
})
