import { Effect, Layer } from "effect"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { SpeechLive } from "../../media/Speech.ts"
import { houseVoiceId } from "../../media/VoiceCatalog.ts"
import { assetId, PrepareTemporary } from "./Media.ts"

/** The real engines and a store in a folder that goes away. */
export const WholeChain = Layer.mergeAll(SpeechLive, PrepareTemporary)

/** A line as listeners would hear it: spoken, mastered, staged. */
export const spokenAndStaged = Effect.fnUntraced(function*(text: string, voiceId: string = houseVoiceId) {
  const raw = yield* (yield* Speech).speak({ text, voiceId, role: "PRIMARY" })
  const prepare = yield* Prepare
  const asset = yield* prepare.prepare({ id: assetId(), kind: "speech", raw, role: "PRIMARY", introEndMs: null, segueMs: null })
  return { raw, asset, sound: yield* prepare.stage(asset) }
})
