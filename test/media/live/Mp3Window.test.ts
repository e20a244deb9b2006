import { describe, expect, it } from "vitest"
import { FrameChecker, numberedFrames } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import { mp3BurstMaxMs } from "../../../engine/rules/air/limits.ts"
import { mp3FrameSamples } from "../../../media/encode/Mp3Frames.ts"
import { Mp3Window } from "../../../media/live/Mp3Window.ts"
import { ItemLabel } from "../../../schema/air/Air.ts"

const title = new ItemLabel({ title: "Longwave", artist: null, kind: "other" })

describe("the MP3 window", () => {
  it.each([0, 5, 200])(
    "gives a listener of a process that is about to take the air each frame once, of %i that nobody has heard",
    (unheard) => {
      const window = new Mp3Window(0, title)
      const checker = new FrameChecker()
      const add = (isOnAir: boolean) => {
        const frame = window.nextFrame
        window.accept(frame, Uint8Array.from(numberedFrames(frame, 1)), 1, isOnAir)
      }
      for (let frame = 0; frame < 100; frame++) add(true)
      for (let frame = 0; frame < unheard; frame++) add(false)
      const { burst, firstSample } = window.listen(mp3BurstMaxMs, (chunk) => {
        if (chunk._tag === "Frames") checker.take(Buffer.from(chunk.bytes))
      })
      for (const bytes of burst) checker.take(Buffer.from(bytes))
      add(false)
      for (let frame = 0; frame < 3; frame++) add(true)
      expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
      expect([checker.last, firstSample / mp3FrameSamples]).toEqual([
        window.nextFrame - 1,
        window.nextFrame - checker.frames
      ])
    }
  )
})
