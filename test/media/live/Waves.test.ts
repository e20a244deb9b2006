import { describe, expect, it } from "vitest"
import { captionItemsMax, waveLevels } from "../../../engine/rules/air/limits.ts"
import { Waves } from "../../../media/live/Waves.ts"
import { AirItem, StagedSound } from "../../../schema/air/Air.ts"
import { testId } from "../../support/air/Airables.ts"

const stepSamples = 480

const item = (n: number, envelope: Uint8Array, cueIn: number, cueOut: number) =>
  new AirItem({
    itemId: testId("itm", n),
    label: { title: "A tone", artist: null, kind: "music", synthetic: null },
    startSample: 0,
    speech: false,
    bed: null,
    trace: [],
    sound: new StagedSound({
      assetId: testId("mas", n),
      path: "/nowhere",
      lengthSamples: envelope.length * stepSamples,
      pcmSha256: "",
      envelope,
      gainDb: 0,
      cue: { cueIn, introEnd: cueIn, segue: cueOut, cueOut }
    })
  })

describe("the waveform of an item", () => {
  it("follows the loudness between its cue points, whatever lies outside", () => {
    const waves = new Waves()
    // Ten seconds at full scale that are cut off, then ten quiet ones and ten loud ones.
    const envelope = Uint8Array.from({ length: 3_000 }, (_, at) => (at < 1_000 ? 255 : at < 2_000 ? 40 : 200))
    waves.expect([item(1, envelope, 1_000 * stepSamples, 3_000 * stepSamples)])
    const levels = waves.levelsOfItem(testId("itm", 1))!
    expect(levels.length).toBe(waveLevels)
    expect(new Set(levels.slice(0, waveLevels / 2))).toEqual(new Set([40]))
    expect(new Set(levels.slice(waveLevels / 2))).toEqual(new Set([200]))
  })

  it("exists for a sound shorter than its resolution, and not for a sound of long ago", () => {
    const waves = new Waves()
    waves.expect([item(0, Uint8Array.from([7, 9]), 0, 2 * stepSamples)])
    expect(new Set(waves.levelsOfItem(testId("itm", 0)))).toEqual(new Set([7, 9]))
    waves.expect(Array.from({ length: captionItemsMax }, (_, n) => item(n + 1, Uint8Array.from([1]), 0, stepSamples)))
    expect([waves.levelsOfItem(testId("itm", 0)), waves.levelsOfItem(testId("itm", captionItemsMax))?.length]).toEqual([
      null,
      waveLevels
    ])
  })
})
