import { expect, it } from "vitest"
import { AirItem, AirPlan, AirPlanApplied, ItemLabel, StagedSound } from "../../schema/Air.ts"
import { AirHost } from "../../media/AirHost.ts"
import { beginning } from "../../media/Beginning.ts"
import { airable, testId } from "../support/Airables.ts"

const label = new ItemLabel({ title: "a song", artist: null, kind: "music" })
const items = [1, 2, 3].map((n) => {
  const { assetId, cue } = airable("music", n, 60)
  return new AirItem({
    itemId: testId("itm", n), label, startSample: n * 2_880_000, speech: false, bed: null, trace: [],
    sound: new StagedSound({ assetId, path: `/${n}`, lengthSamples: cue.cueOut, pcmSha256: "", cue, envelope: new Uint8Array(), gainDb: 0 })
  })
})

it("gives the next worker what is on the air besides what comes: no plan names that any more", () => {
  const silent = () => undefined
  const host = new AirHost(beginning(null), { event: silent, part: silent, cut: silent, mp3: silent, journal: silent })
  let revision = 0
  const plan = (entry: "boundary" | "now", ...numbers: ReadonlyArray<number>) => {
    revision += 1
    host.planned(new AirPlan({ fence: 1, revision, entry, items: numbers.map((n) => items[n - 1]!) }), new AirPlanApplied({ revision, shiftSamples: 0, renderedTo: 0 }))
    return host.start("ffmpeg", null, false).plan!.items.map(({ itemId }) => itemId)
  }
  const begins = (n: number) => host.receive({ _tag: "Event", event: { _tag: "Started", itemId: testId("itm", n), label, atSample: n * 2_880_000, endSample: null } })
  const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => testId("itm", n))
  expect(plan("boundary", 1, 2)).toEqual(ids(1, 2))
  begins(1)
  expect(plan("boundary", 2, 3)).toEqual(ids(1, 2, 3))
  expect(plan("boundary", 2, 3)).toEqual(ids(1, 2, 3))
  begins(2)
  expect(plan("boundary", 3)).toEqual(ids(2, 3))
  // What is cut by a plan doesn't come back with the next worker.
  expect(plan("now", 3)).toEqual(ids(3))
})
