import { describe, expect, it } from "vitest"
import { analysisOf, copyOf, disclaimerOf, factualModeOf } from "../../../../engine/rules/air/AirView.ts"
import { artistLabelOf } from "../../../../engine/rules/air/Rundown.ts"
import type { AgentId } from "../../../../schema/Ids.ts"
import { nowPlayingOf } from "../../../../engine/rules/air/StationSnapshots.ts"
import { msOf, sampleOf } from "../../../../schema/time/Samples.ts"
import { type AirFact, noFacts, type SpokenFact, type TrackFact } from "../../../../schema/air/AirMetadata.ts"
import { ItemLabel } from "../../../../schema/air/Air.ts"
import { stationMark } from "../../../../schema/Synthetic.ts"
import { RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"

const spoken: SpokenFact = {
  id: testId("seg", 1),
  title: "Tide tables",
  category: "news",
  scriptText: "[gulls] High water at ten.",
  displayText: "High water at ten.",
  transcribed: false,
  hidden: false,
  show: null
}
const track: TrackFact = {
  id: testId("trk", 1),
  title: "Low Water",
  artist: "The Band",
  genre: "synthwave",
  mood: "calm",
  bpm: 92.4,
  isInstrumental: true,
  lyrics: null,
  source: "house"
}
const fact = (over: Partial<AirFact>): AirFact => ({ ...noFacts, ...over })
describe("the view of the item on the air", () => {
  it("takes its texts from the best source", () => {
    expect(copyOf(fact({ spoken }), "Tide tables")).toEqual({ copy: "High water at ten.", copyKind: "script" })
    expect(copyOf(fact({ spoken: { ...spoken, transcribed: true } }), "Tide tables")).toEqual({
      copy: "High water at ten.",
      copyKind: "transcript"
    })
    expect(copyOf(fact({ call: "Hello, I am on the pier." }), "A call")).toEqual({
      copy: "Hello, I am on the pier.",
      copyKind: "transcript"
    })
    expect(copyOf(noFacts, "Low Water")).toEqual({ copy: "Low Water", copyKind: "title" })
    // A taken-down segment was still heard; its words are not repeated.
    expect(copyOf(fact({ spoken: { ...spoken, hidden: true } }), "Tide tables")).toEqual({
      copy: "Tide tables",
      copyKind: "title"
    })
  })

  it("states its confidence, and notes for listeners", () => {
    expect([
      factualModeOf("news"),
      factualModeOf("story"),
      factualModeOf("interview"),
      factualModeOf("station_id")
    ]).toEqual(["factual", "fiction", "opinion", null])
    expect([disclaimerOf("story"), disclaimerOf("news")]).toEqual([
      "A performance: made up, and spoken by an AI agent.",
      "Written and spoken by an AI agent."
    ])
  })

  it("describes music only where the station is sure", () => {
    expect(analysisOf(track)).toEqual({
      confidence: 1,
      summary: "Instrumental synthwave, calm, 92 beats a minute.",
      mood: "calm",
      bpm: 92.4
    })
    expect(analysisOf({ ...track, source: "upload" })).toBe(null)
    expect(analysisOf({ ...track, mood: null, bpm: null })).toBe(null)
    expect(analysisOf(null)).toBe(null)
  })
})
describe("now-playing", () => {
  const startSample = sampleOf(Date.UTC(2027, 0, 1, 12))
  const item = (role: "segment" | "music", n: number, at: number) =>
    new RundownItem({
      id: testId("itm", n),
      airable: airable(role, n, 60),
      placement: { _tag: "Flow" },
      startSample: at,
      locked: false,
      trace: []
    })
  const now = (role: "segment" | "music", about: AirFact, nowSample = startSample + 480_000) =>
    nowPlayingOf(
      {
        item: item(role, 1, startSample),
        label: new ItemLabel({
          title: "Tide tables",
          artist: "The Band",
          kind: role === "music" ? "music" : "segment",
          synthetic: role === "music" ? stationMark : null
        }),
        startSample,
        endSample: null
      },
      about,
      item("music", 2, startSample + 60 * 48_000),
      nowSample,
      "http://radio.test",
      stationMark
    )

  it("begins by the clock of the sound", () => {
    const { item: heard, next, updatedAt } = now("music", fact({ track }))
    expect(heard).toMatchObject({
      startedAt: "2027-01-01T12:00:00.000Z",
      endsAt: "2027-01-01T12:01:00.000Z",
      durationSec: 60,
      positionSec: 10,
      airSample: startSample
    })
    expect(Date.parse(heard.startedAt)).toBe(msOf(startSample))
    expect([updatedAt, next]).toEqual([
      "2027-01-01T12:00:10.000Z",
      { kind: "music", title: airable("music", 2, 60).title, synthetic: stationMark }
    ])
    expect([heard.synthetic, now("segment", fact({})).item.synthetic]).toEqual([stationMark, null])
  })

  it("shows texts, speakers and requesters, and captions of speech", () => {
    const maker = { handle: "ada", displayName: "Ada", avatarUrl: "http://radio.test/media/a.png" }
    expect(now("segment", fact({ spoken, maker, listenerLabel: "Mo" }))).toMatchObject({
      segment: { id: spoken.id, category: "news", owner: maker },
      track: null,
      script: spoken.scriptText,
      displayText: spoken.displayText,
      factualMode: "factual",
      listenerLabel: "Mo",
      analysis: null,
      captionsUrl: `http://radio.test/live/words/item/${testId("itm", 1)}.vtt`
    })
    expect(now("segment", fact({ spoken: { ...spoken, hidden: true } }))).toMatchObject({
      segment: null,
      script: null,
      displayText: "Tide tables",
      factualMode: null,
      listenerLabel: "a listener"
    })
  })

  it("shows music with its lyrics and description", () => {
    expect(
      now("music", fact({ track: { ...track, isInstrumental: false, lyrics: "Low water, high hopes" } }))
    ).toMatchObject({
      segment: null,
      script: null,
      displayText: "Tide tables",
      track: { title: "Tide tables", artist: "The Band", genre: "synthwave", isInstrumental: false },
      lyrics: "Low water, high hopes",
      analysis: { confidence: 1, mood: "calm" },
      captionsUrl: null
    })
  })
})

describe("the name of an artist in the outputs", () => {
  it("says of the station's own bands that the station made them", () => {
    const song = airable("music", 1, 180)
    expect(artistLabelOf({ ...song, artist: "Night Ferry", agentId: null })).toBe("Night Ferry (made by the station)")
    expect(artistLabelOf({ ...song, artist: "Keel", agentId: testId("agt", 1) as AgentId })).toBe("Keel")
    expect(artistLabelOf({ ...song, artist: null, agentId: null })).toBeNull()
  })
})
