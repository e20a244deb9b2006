import { expect, it } from "vitest"
import {
  type AirEvent,
  AirItem,
  AirPlan,
  AirPlanApplied,
  blamelessSkips,
  ItemLabel,
  StagedSound
} from "../../../schema/air/Air.ts"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { broadcastStart } from "../../../media/live/BroadcastStart.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import { isOnAir, streamHealthOf } from "../../../engine/rules/air/StationSnapshots.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeSounds, play } from "../../support/media/MixerWorld.ts"

const label = new ItemLabel({ title: "a song", artist: null, kind: "music" })
const items = [1, 2, 3].map((n) => {
  const { assetId, cue } = airable("music", n, 60)
  return new AirItem({
    itemId: testId("itm", n),
    label,
    startSample: n * 2_880_000,
    speech: false,
    bed: null,
    trace: [],
    sound: new StagedSound({
      assetId,
      path: `/${n}`,
      lengthSamples: cue.cueOut,
      pcmSha256: "",
      cue,
      envelope: new Uint8Array(),
      gainDb: 0
    })
  })
})

/** A host of which only the events are followed, if anything. */
const makeHost = (hear: (event: AirEvent) => void = () => undefined) => {
  const silent = () => undefined
  return new AirHost(broadcastStart(null), "Longwave", {
    event: hear,
    part: silent,
    onCut: silent,
    onMp3: silent,
    onJournal: silent
  })
}

it("gives the next worker the item on the air besides the plan, which no longer names it", () => {
  const host = makeHost()
  let revision = 0
  const plan = (entry: "boundary" | "now", ...numbers: ReadonlyArray<number>) => {
    revision += 1
    host.setPlan(
      new AirPlan({ fence: 1, revision, entry, items: numbers.map((n) => items[n - 1]!) }),
      new AirPlanApplied({ revision, shiftSamples: 0, renderedTo: 0 })
    )
    return host.start("ffmpeg", null, false).plan!.items.map(({ itemId }) => itemId)
  }
  const begins = (n: number) =>
    host.receive({
      _tag: "Event",
      event: { _tag: "Started", itemId: testId("itm", n), label, atSample: n * 2_880_000, endSample: null }
    })
  const ends = (n: number) =>
    host.receive({
      _tag: "Event",
      event: {
        _tag: "Spanned",
        span: {
          itemId: testId("itm", n),
          label,
          firstSample: n * 2_880_000,
          lastSample: (n + 2) * 2_880_000,
          complete: true,
          layers: [],
          trace: [],
          pcmSha256: ""
        }
      }
    })
  const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => testId("itm", n))
  expect(plan("boundary", 1, 2)).toEqual(ids(1, 2))
  begins(1)
  expect(plan("boundary", 2, 3)).toEqual(ids(1, 2, 3))
  expect(plan("boundary", 2, 3)).toEqual(ids(1, 2, 3))
  begins(2)
  // The previous item may still sound over it.
  expect(plan("boundary", 3)).toEqual(ids(1, 2, 3))
  ends(1)
  expect(plan("boundary", 3)).toEqual(ids(2, 3))
  // An item that an emergency cuts doesn't return either.
  host.setEmergency("a test")
  expect(host.start("ffmpeg", null, false).plan!.items.map(({ itemId }) => itemId)).toEqual(ids(3))
  host.setEmergency(null)
  // An item that a plan cuts doesn't return with the next worker.
  expect(plan("now", 3)).toEqual(ids(3))
})

it("accounts for a crashed worker's samples item by item, up to the last one sent", () => {
  const told: Array<AirEvent> = []
  const host = makeHost((event) => told.push(event))
  const start = host.ring.writtenTo
  const begins = (n: number, atSample: number) =>
    host.receive({
      _tag: "Event",
      event: { _tag: "Started", itemId: testId("itm", n), label, atSample, endSample: null }
    })
  const spans = () =>
    told.flatMap((event) =>
      event._tag === "Spanned"
        ? [[event.span.itemId, event.span.firstSample - start, event.span.lastSample + 1 - start, event.span.complete]]
        : []
    )
  begins(1, start)
  begins(2, start + 3_000)
  begins(3, start + 5_000)
  host.ring.write(new Float32Array(4_800 * 2))
  host.logRestart("a test")
  expect(spans()).toEqual([
    [testId("itm", 1), 0, 4_800, false],
    [testId("itm", 2), 3_000, 4_800, false]
  ])
  expect(told.at(-1)).toMatchObject({ _tag: "ChainRestarted", atSample: start + 4_800 })
  expect(host.status.sounding).toEqual([testId("itm", 1), testId("itm", 2)])
  // The next worker continues both and starts the third one again.
  host.receive({ _tag: "Event", event: { _tag: "Resumed", itemId: testId("itm", 1), atSample: start + 4_800 } })
  begins(2, start + 4_800)
  begins(3, start + 5_000)
  host.ring.write(new Float32Array(4_800 * 2))
  host.logRestart("again")
  expect(spans().slice(2)).toEqual([
    [testId("itm", 1), 4_800, 9_600, false],
    [testId("itm", 2), 4_800, 9_600, false],
    [testId("itm", 3), 5_000, 9_600, false]
  ])
  // This one continues none of them.
  host.receive({
    _tag: "Event",
    event: { _tag: "Started", itemId: null, label, atSample: start + 9_600, endSample: null }
  })
  expect(host.status.sounding).toEqual([])
})

it("reports that live sound or an emergency ended, when the worker that was told to end it died first", () => {
  const told: Array<AirEvent> = []
  const host = makeHost((event) => told.push(event))
  const atSample = host.ring.writtenTo
  const changes = (_tag: "LiveChanged" | "EmergencyChanged", on: boolean) =>
    host.receive({ _tag: "Event", event: { _tag, on, reason: "a test", atSample } })
  const restart = () => {
    told.length = 0
    host.reportMissedEnds("a restart")
    return told.map((event) => [event._tag, "on" in event && event.on])
  }
  expect(restart()).toEqual([])
  host.setLive({ label, reason: "a test" })
  changes("LiveChanged", true)
  // Nothing has ended: the next worker begins with live sound.
  expect(restart()).toEqual([])
  host.setEmergency("a drill")
  changes("EmergencyChanged", true)
  // An emergency ends live sound.
  expect(restart()).toEqual([["LiveChanged", false]])
  host.setEmergency(null)
  expect(restart()).toEqual([["EmergencyChanged", false]])
  expect(restart()).toEqual([])
  // A standby was heard by nobody.
  host.setLive({ label, reason: "a test" })
  changes("LiveChanged", true)
  host.setLive(null)
  host.follow(0, host.state, [])
  expect(restart()).toEqual([])
})

it("is on the air from the first sound to shortly after the last, whatever its worker reported before the crash", () => {
  const silent = () => undefined
  let monoMs = 0
  const host = new AirHost(
    broadcastStart(null, { wallMs: () => 1_800_000_000_000, monoMs: () => monoMs }),
    "Longwave",
    {
      event: silent,
      part: silent,
      onCut: silent,
      onMp3: silent,
      onJournal: silent
    }
  )
  const stands = () => [isOnAir(host.status), streamHealthOf(host.status, 0, true).status]
  const mix = () => {
    host.ring.write(new Float32Array((host.clock.nowSample() + 12_000 - host.ring.writtenTo) * 2))
    const output = { running: true, bitrateKbps: 128, lastPartAtMs: null, lagMs: 60, restarts: 0, startedAtMs: 0 }
    host.receive({
      _tag: "Tick",
      anchor: host.clock.anchor,
      driftMs: 0,
      emergency: false,
      outputs: (["aac128", "aac64", "mp3"] as const).map((id) => ({ id, ...output }))
    })
  }
  expect(stands()).toEqual([false, "off"])
  mix()
  expect(stands()).toEqual([true, "healthy"])
  monoMs += 3_000
  expect(stands()).toEqual([true, "degraded"])
  monoMs += 3_000
  expect(stands()).toEqual([false, "off"])
  mix()
  expect(stands()).toEqual([true, "healthy"])
})

it("labels items without a title with the station's name", () => {
  const silent = () => undefined
  const told: Array<AirEvent> = []
  const host = new AirHost(broadcastStart(null), "Night Radio", {
    event: (event) => told.push(event),
    part: silent,
    onCut: silent,
    onMp3: silent,
    onJournal: silent
  })
  expect(host.mp3.listen(0, silent).label.title).toBe("Night Radio")
  const { stationName } = host.start("ffmpeg", null, false)
  const { events } = play(new Mixer({ startSample: host.ring.writtenTo, read: makeSounds().read, stationName }), 0.5)
  for (const event of events) host.receive({ _tag: "Event", event })
  expect(host.status.onAir).toMatchObject({ label: { title: "Night Radio" }, atSample: host.ring.writtenTo })
  host.ring.write(new Float32Array(4_800 * 2))
  host.logRestart("a test")
  expect(told).toMatchObject([
    { _tag: "Started", label: { title: "Night Radio" } },
    { _tag: "Spanned", span: { label: { title: "Night Radio" } } },
    { _tag: "ChainRestarted" }
  ])
})

it("knows as a standby that it lacks a sound of its owner, until the next item begins", () => {
  const host = makeHost()
  const hear = (event: typeof AirEvent.Encoded) => {
    host.receive({ _tag: "Event", event })
    return host.lacksSound
  }
  const itemId = testId("itm", 1)
  host.follow(host.nextFollowFrame, host.state, [])
  expect(hear({ _tag: "Skipped", itemId, reason: blamelessSkips.late })).toBe(false)
  expect(hear({ _tag: "Skipped", itemId, reason: "its staged sound can't be read" })).toBe(true)
  expect(host.standby.isReady).toBe(false)
  expect(hear({ _tag: "Started", itemId: null, label, atSample: 0, endSample: null })).toBe(true)
  expect(hear({ _tag: "Started", itemId, label, atSample: 0, endSample: null })).toBe(false)
})
