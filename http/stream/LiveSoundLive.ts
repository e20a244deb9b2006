import { Effect, Layer } from "effect"
import { Air } from "../../engine/ports/Air.ts"
import { LiveSound } from "../api/air/LiveSound.ts"

export const LiveSoundLive = Layer.effect(
  LiveSound,
  Effect.map(Air, ({ live }) => LiveSound.of({ receive: live.receive, state: live.state }))
)
