import { describe, expect, it } from "vitest"
import {
  chooseHighlights,
  editionMarkdown,
  editionText,
  editionView,
  type HighlightFound,
  reasonOf
} from "../../../../engine/rules/lore/Highlights.ts"
import type { AgentId, AssetId, HighlightId } from "../../../../schema/Ids.ts"
import type { HighlightKind, HighlightWhy } from "../../../../schema/lore/Highlights.ts"

const nowMs = Date.parse("2026-10-02T12:00:00.000Z")
const found = (
  kind: HighlightKind,
  n: number,
  over: {
    readonly count?: number
    readonly agentId?: string | null
    readonly title?: string
    readonly text?: string
    readonly why?: HighlightWhy
    readonly sec?: number | null
  } = {}
): HighlightFound => ({
  candidate: {
    kind,
    subjectId: `${kind}_${n}`,
    why: over.why ?? "likes",
    count: over.count ?? n,
    sec: over.sec ?? null
  },
  subject: {
    kind,
    subjectId: `${kind}_${n}`,
    title: over.title ?? `The ${kind} ${n}`,
    handle: "wren",
    text: over.text ?? "Words.",
    agentId: (over.agentId === undefined ? `agent_${kind}_${n}` : over.agentId) as AgentId | null,
    atMs: nowMs - 3_600_000,
    airedAtMs: kind === "segment" ? nowMs - 3_600_000 : null,
    assetId: kind === "segment" ? ("mas_x" as AssetId) : null,
    replayId: null,
    saidSec: null
  }
})
const names = (chosen: ReadonlyArray<HighlightFound>) => chosen.map(({ subject }) => subject.subjectId)

describe("highlights", () => {
  it("take the kinds in turn, of each what counts most, at most ten, in whatever order they are given", () => {
    const all = (["post", "track", "lore", "council", "segment"] as const).flatMap((kind) => [
      found(kind, 1),
      found(kind, 3),
      found(kind, 2)
    ])
    const chosen = names(chooseHighlights(all))
    expect(chosen).toEqual([
      "segment_3",
      "council_3",
      "lore_3",
      "track_3",
      "post_3",
      "segment_2",
      "council_2",
      "lore_2",
      "track_2",
      "post_2"
    ])
    expect(names(chooseHighlights(all.toReversed()))).toEqual(chosen)
    expect(names(chooseHighlights([found("post", 1), found("segment", 4), found("post", 2)]))).toEqual([
      "segment_4",
      "post_2",
      "post_1"
    ])
    expect(chooseHighlights([])).toEqual([])
  })

  it("have at most two of an agent, and any number of the station's own", () => {
    const own = [1, 2, 3].map((n) => found("post", n, { agentId: "agent_a" }))
    expect(names(chooseHighlights(own))).toEqual(["post_3", "post_2"])
    expect(names(chooseHighlights([1, 2, 3].map((n) => found("track", n, { agentId: null }))))).toHaveLength(3)
  })

  it("keep to a topic by its words, with accents and endings forgiven", () => {
    const all = [
      found("segment", 1, { title: "Späte Fähren", text: "Of the harbour." }),
      found("segment", 2, { title: "Bread", text: "Of ovens." })
    ]
    expect(names(chooseHighlights(all, "fish"))).toEqual([])
    expect(names(chooseHighlights(all, "Fähre harbour"))).toEqual(["segment_1"])
    expect(names(chooseHighlights(all, "oven"))).toEqual(["segment_2"])
  })

  it("lead to the second shortly before most people reacted, and leave out what is no longer public", () => {
    const one = found("segment", 1, { sec: 40, why: "reactions", count: 12 })
    const record = {
      id: "hl_x" as HighlightId,
      slug: "2026-10-01",
      window: "24h" as const,
      topic: null,
      fromMs: nowMs - 86_400_000,
      toMs: Date.parse("2026-10-02T00:00:00.000Z"),
      items: [one.candidate, found("post", 2).candidate],
      createdAtMs: nowMs
    }
    const facts = { slug: "longwave", publicUrl: "https://radio.example" }
    const edition = editionView(record, [one.subject], facts, nowMs)
    expect([edition.title, edition.url]).toEqual([
      "Highlights of 1 October 2026",
      "https://radio.example/highlights/2026-10-01"
    ])
    expect(edition.items).toEqual([
      {
        at: new Date(nowMs - 3_600_000 + 35_000).toISOString(),
        kind: "segment",
        title: "The segment 1",
        handle: "wren",
        excerpt: "Words.",
        reason: "12 listeners reacted.",
        url: "https://radio.example/live/index.m3u8?start=-3565",
        heard: {
          offsetSec: 35,
          at: new Date(nowMs - 3_600_000 + 35_000).toISOString(),
          replayUrl: null,
          streamUrl: "https://radio.example/live/index.m3u8?start=-3565",
          audioUrl: "https://radio.example/media/audio/mas_x.mp3#t=35"
        }
      }
    ])
    const week = { ...record, window: "7d" as const, topic: "harbours" }
    expect(editionView(week, [], facts, nowMs).title).toBe("Highlights of the week to 1 October 2026: harbours")
    // A title is no markup of the document that it stands in.
    const sly = { ...one.subject, title: "[x](javascript:1) <b>", text: "# *loud*\n\n| a |" }
    const written = editionMarkdown(editionView(record, [sly], facts, nowMs))
    expect(written).toContain("## \\[x\\]\\(javascript:1\\) \\<b\\>\n\n> \\# \\*loud\\* \\| a \\|\n\n")
    expect(written).toContain("[Hear or read it](<https://radio.example/live/index.m3u8?start=-3565>)")
    expect(editionText(edition)).toContain(
      "1. The segment 1\n@wren · 12 listeners reacted. · 2026-10-02T11:00:35.000Z\nWords.\n"
    )
  })

  it("say why, of every kind of reason", () => {
    const why: ReadonlyArray<HighlightWhy> = ["reactions", "votes", "likes", "voting"]
    expect(
      why.map((one) => [
        reasonOf({ ...found("post", 1, { why: one, count: 1 }).candidate }),
        reasonOf({ ...found("post", 1, { why: one, count: 2 }).candidate })
      ])
    ).toEqual([
      ["1 listener reacted.", "2 listeners reacted."],
      ["1 vote for it.", "2 votes for it."],
      ["1 agent liked it.", "2 agents liked it."],
      ["1 agent voted so far.", "2 agents voted so far."]
    ])
  })
})
