import { afterEach, describe, expect, it } from "vitest"
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  aacFrameSamples,
  discontinuitiesMax,
  journalRetryMs,
  partFrames,
  segmentFrames,
  windowSegmentsMin
} from "../../../engine/rules/air/limits.ts"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { readLastWindow, wholeOf } from "../../../media/live/JournalFiles.ts"
import { broadcastStart } from "../../../media/live/BroadcastStart.ts"
import {
  type Discontinuity,
  discontinuitiesFile,
  hourOf,
  Journal,
  markDiscontinuity,
  segmentFile
} from "../../../media/live/Journal.ts"
import { type Part, PartPacker, silentFrame } from "../../../media/encode/PartPacker.ts"
import { mediaPlaylist } from "../../../media/live/Playlist.ts"
import { msAt } from "../../../media/clock/StationClock.ts"
import { HlsValidator, parse } from "../../support/media/HlsValidator.ts"

const firstMsn = 6_834_083

let folder = ""
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  folder = ""
})

const partsFrom = (variant: "aac128" | "aac64", frame: number, frames: number): Array<Part> => {
  const parts: Array<Part> = []
  new PartPacker(variant, frame, (part) => parts.push(part)).feed(
    frame,
    Array.from({ length: frames }, () => silentFrame)
  )
  return parts
}

const keep = async (
  frames: number,
  options: Partial<ConstructorParameters<typeof Journal>[0]> = {},
  from = firstMsn * segmentFrames
) => {
  folder ||= await mkdtemp(join(tmpdir(), "longwave-journal-"))
  const journal = new Journal({ path: folder, monoMs: () => 0, onStopped: () => {}, ...options })
  for (const variant of ["aac128", "aac64"] as const) {
    for (const part of partsFrom(variant, from, frames)) {
      journal.part(part)
      await journal.settle()
    }
  }
  return journal
}

const timeAt = (frame: number) => ({ wallMs: () => msAt(frame * aacFrameSamples), monoMs: () => 0 })

describe("Journal", () => {
  it("restores the last window, the open segment included", async () => {
    await keep(segmentFrames * 3 + partFrames * 5)
    const { segments } = readLastWindow(folder, "aac128")
    expect(segments.map((segment) => [segment.msn, segment.parts.length, segment.whole !== null])).toEqual([
      [firstMsn, 12, true],
      [firstMsn + 1, 12, true],
      [firstMsn + 2, 12, true],
      [firstMsn + 3, 5, false]
    ])
    expect(Buffer.from(wholeOf(await readFile(segmentFile(folder, "aac64", firstMsn)), firstMsn)!)).toEqual(
      Buffer.concat(partsFrom("aac64", firstMsn * segmentFrames, segmentFrames).map((part) => part.bytes))
    )
  })

  it("leaves out a torn part, and marks a torn segment in the middle as a gap", async () => {
    await keep(segmentFrames * 3 + partFrames * 5)
    const open = segmentFile(folder, "aac128", firstMsn + 3)
    await truncate(open, (await readFile(open)).length - 10)
    await truncate(segmentFile(folder, "aac128", firstMsn + 1), 1_000)
    expect(readLastWindow(folder, "aac128").segments.map((segment) => [segment.parts.length, segment.gap])).toEqual([
      [12, false],
      [0, true],
      [12, false],
      [4, false]
    ])
  })

  it("lets the next owner complete a torn segment", async () => {
    const frames = segmentFrames + partFrames * 5
    await keep(frames)
    const open = segmentFile(folder, "aac128", firstMsn + 1)
    await truncate(open, (await readFile(open)).length - 10)
    const { startFrame } = broadcastStart(folder, timeAt(firstMsn * segmentFrames + frames))
    expect(startFrame).toBe(firstMsn * segmentFrames + frames - partFrames)
    await keep(firstMsn * segmentFrames + 2 * segmentFrames - startFrame, {}, startFrame)
    expect(wholeOf(await readFile(open), firstMsn + 1)).not.toBeNull()
  })

  it("continues where it stopped after a short outage, and with the next segment's number after a long one", async () => {
    const frames = segmentFrames * 3 + partFrames * 5
    await keep(frames)
    const end = firstMsn * segmentFrames + frames
    expect(broadcastStart(folder, timeAt(end + 10 * 47)).startFrame).toBe(end)
    const later = broadcastStart(folder, timeAt(end + 20 * segmentFrames + 7))
    expect(later.startFrame % segmentFrames).toBe(0)
    expect(later.startFrame).toBe(
      Math.floor((end + 20 * segmentFrames) / segmentFrames) * segmentFrames - segmentFrames
    )
  })

  it.each([18, 30, 300])("lists nothing older after %i s, and never goes back at another start", async (offSec) => {
    await keep(segmentFrames * 14 + partFrames * 5)
    const end = firstMsn * segmentFrames + segmentFrames * 14 + partFrames * 5
    const validator = new HlsValidator(windowSegmentsMin)
    const found: Array<string> = []
    const texts: Array<string> = []
    /** Starts at this frame, and runs until it has broadcast that many frames; returns what it offers. */
    const run = async (atFrame: number, frames: number) => {
      const start = broadcastStart(folder, timeAt(atFrame))
      const cuts: Array<Discontinuity> = []
      const host = new AirHost(start, "Longwave", {
        event: () => {},
        onMp3: () => {},
        onJournal: () => {},
        onCut: (cut) => cuts.push(cut),
        part: () => {}
      })
      const window = host.windows.get("aac128")!
      const look = () => {
        const text = mediaPlaylist(window, [], false)
        if (text === null) return
        texts.push(text)
        found.push(
          ...validator.observe(text, (uri) => {
            const [, kind, msn, , part] = /^([sp])(\d+)(\.(\d+))?\.m4s$/.exec(uri)!
            return (
              (kind === "s" ? window.find(Number(msn))?.whole : window.find(Number(msn))?.parts[Number(part)]) ?? null
            )
          })
        )
      }
      look()
      await keep(frames, {}, start.startFrame)
      for (const part of partsFrom("aac128", start.startFrame, frames)) {
        host.receive({ _tag: "Part", part })
        look()
      }
      for (const cut of cuts) await markDiscontinuity(folder, cut)
      return start.startFrame + frames
    }
    const before = await run(end, 0)
    expect(parse(texts.at(-1)!).segments).toHaveLength(13)
    const seen = texts.length
    const after = await run(before + Math.round((offSec * 48_000) / 1_024), 2 * segmentFrames)
    const lists = texts.slice(seen).map(parse)
    const first = lists[0]!.mediaSequence
    expect(first).toBeGreaterThan(firstMsn + 14)
    expect(
      lists.every(
        ({ segments }) => segments[0]!.msn === first && segments[0]!.discontinuity && segments.every(({ gap }) => !gap)
      )
    ).toBe(true)
    await run(after, segmentFrames)
    expect(found).toEqual([])
    expect(parse(texts.at(-1)!).mediaSequence).toBe(first)
  })

  it("doesn't go back with the wall clock", async () => {
    const frames = segmentFrames * 3
    await keep(frames)
    const end = firstMsn * segmentFrames + frames
    const { clock, startFrame } = broadcastStart(folder, timeAt(end - 3_600 * 47))
    expect(startFrame).toBe(end)
    expect(Math.abs(clock.nowSample() - end * aacFrameSamples)).toBeLessThan(48_000)
  })

  it("begins with whole segments without a journal", () => {
    const { startFrame, windows } = broadcastStart(null, timeAt(firstMsn * segmentFrames + 100))
    expect(startFrame).toBe((firstMsn - 1) * segmentFrames)
    expect([...windows.values()].map((window) => window.next)).toEqual([null, null])
  })

  it("stops on a full disk, reports it once, and continues with the next whole segment", async () => {
    const said: Array<string | null> = []
    let full = false
    let monoMs = 0
    folder = await mkdtemp(join(tmpdir(), "longwave-journal-"))
    const journal = new Journal({
      path: folder,
      monoMs: () => monoMs,
      onStopped: (reason) => said.push(reason),
      append: (file, bytes) =>
        full ? Promise.reject(new Error("ENOSPC: no space left on device")) : appendFile(file, bytes)
    })
    for (const part of partsFrom("aac128", firstMsn * segmentFrames, segmentFrames * 6)) {
      full = part.msn === firstMsn + 1 || part.msn === firstMsn + 2
      if (part.part === 6 && part.msn === firstMsn + 3) monoMs += journalRetryMs
      journal.part(part)
      await journal.settle()
    }
    expect(said).toEqual(["ENOSPC: no space left on device", null])
    expect(readLastWindow(folder, "aac128").segments.map((segment) => segment.whole !== null)).toEqual([
      true,
      false,
      false,
      false,
      true,
      true
    ])
  })

  it("keeps one day", async () => {
    await keep(partFrames)
    await keep(partFrames, {}, Math.ceil(((hourOf(firstMsn) + 26) * 3_600) / 4.096) * segmentFrames)
    expect(await readdir(folder)).toEqual([String(hourOf(firstMsn) + 26)])
  })

  it("forgets old discontinuities, and keeps their number", async () => {
    await keep(segmentFrames)
    const cut = (total: number) => `${JSON.stringify({ variant: "aac128", msn: firstMsn - 9_000 + total, total })}\n`
    await writeFile(
      discontinuitiesFile(folder),
      Array.from({ length: discontinuitiesMax + 1 }, (_, at) => cut(at + 1)).join("")
    )
    broadcastStart(folder, timeAt((firstMsn + 1) * segmentFrames))
    expect((await readFile(discontinuitiesFile(folder), "utf8")).split("\n").length - 1).toBe(discontinuitiesMax / 2)
    expect(readLastWindow(folder, "aac128").discontinuitySequence).toBe(discontinuitiesMax + 1)
  })

  it("continues the count of discontinuities", async () => {
    await keep(segmentFrames * 2)
    await writeFile(
      discontinuitiesFile(folder),
      [3, 4].map((total) => JSON.stringify({ variant: "aac128", msn: firstMsn - 4 + total, total })).join("\n") +
        '\n{"torn'
    )
    const { discontinuitySequence, segments } = readLastWindow(folder, "aac128")
    expect([discontinuitySequence, segments.map((segment) => segment.discontinuity)]).toEqual([3, [true, false]])
  })
})
