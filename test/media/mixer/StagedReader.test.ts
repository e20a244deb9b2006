import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { AirPlan, StagedSound } from "../../../schema/air/Air.ts"
import { emergencyIdentsMaxBytes, stagedChunksMax } from "../../../engine/rules/air/limits.ts"
import { OfflineReader } from "../../../media/mixer/OfflineReader.ts"
import { beginsOf, StagedReader } from "../../../media/mixer/StagedReader.ts"
import { endHangingFile, makeHangingFile } from "../../support/media/HangingFile.ts"
import {
  item,
  makeSounds,
  skipsOf,
  plan,
  play,
  rate,
  start,
  startsOf,
  mixerOf,
  findLongestSilence
} from "../../support/media/MixerWorld.ts"

const folder = mkdtempSync(join(tmpdir(), "longwave-reader-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { files, sound } = makeSounds()
/** Ends a wait that hangs; reads may take as long as they need. */
const readMaxMs = 300_000
/** The sound as a file. */
const onDisk = (of: StagedSound): StagedSound => {
  const path = join(folder, `${of.assetId}-${of.lengthSamples}.pcm`)
  const frames = files.get(of.path)!
  writeFileSync(path, new Uint8Array(frames.buffer, frames.byteOffset, frames.byteLength))
  return { ...of, path } as StagedSound
}
const hanging = (n: number): StagedSound => {
  const path = join(folder, `hanging-${n}`)
  makeHangingFile(path)
  return { ...sound(n, 30), path } as StagedSound
}
const release = (...sounds: ReadonlyArray<StagedSound>) => {
  for (const { path } of sounds) endHangingFile(path)
}

describe("StagedReader", () => {
  it("has no unexpected sound, and an expected one as soon as it is read", async () => {
    const reader = new StagedReader()
    const song = onDisk(sound(1, 20))
    expect(reader.read(song, 0, 128)).toBeNull()
    await reader.awaitReady([{ sound: song, from: 0 }], readMaxMs)
    expect(reader.read(song, 47_950, 20)).toEqual(files.get(sound(1, 20).path)!.subarray(47_950 * 2, 47_970 * 2))
    // Across the border of two chunks, too.
    await reader.awaitReady([{ sound: song, from: rate }], readMaxMs)
    expect([...reader.read(song, rate - 64, 128)!]).toEqual([
      ...files.get(sound(1, 20).path)!.subarray((rate - 64) * 2, (rate + 64) * 2)
    ])
  })

  it("returns the available part of a too short file, and nothing of a missing one", async () => {
    const reader = new StagedReader()
    const short = { ...onDisk(sound(2, 1.5)), lengthSamples: 10 * rate } as StagedSound
    const missing = { ...short, path: join(folder, "nowhere") } as StagedSound
    await reader.awaitReady(
      [
        { sound: short, from: rate },
        { sound: missing, from: 0 }
      ],
      readMaxMs
    )
    expect(reader.read(short, 1.5 * rate - 10, 10)).not.toBeNull()
    expect(reader.read(short, 1.5 * rate - 9, 10)).toBeNull()
    expect(reader.read(missing, 0, 1)).toBeNull()
  })

  it("looks again at a file that was too short, and at a missing ident", async () => {
    const reader = new StagedReader()
    const song = onDisk(sound(2, 2.5))
    const ident = { ...onDisk(sound(3, 1)), path: join(folder, "later") } as StagedSound
    truncateSync(song.path, rate * 4)
    reader.hold([ident])
    await reader.awaitReady(
      [
        { sound: song, from: rate },
        { sound: song, from: 2 * rate }
      ],
      readMaxMs
    )
    expect(reader.read(song, 2 * rate, 1)).toBeNull()
    onDisk(sound(2, 2.5))
    renameSync(onDisk(sound(3, 1)).path, ident.path)
    reader.hold([ident])
    await reader.awaitReady(
      [
        { sound: song, from: rate },
        { sound: song, from: 2 * rate }
      ],
      readMaxMs
    )
    expect(reader.read(song, 2.5 * rate - 1, 1)).not.toBeNull()
    await expect.poll(() => reader.read(ident, rate - 1, 1)).not.toBeNull()
  })

  it("keeps its share of memory, the latest requests first", async () => {
    const reader = new StagedReader()
    const song = {
      ...sound(3, 1),
      path: join(folder, "long"),
      lengthSamples: (stagedChunksMax + 20) * rate
    } as StagedSound
    writeFileSync(song.path, "")
    truncateSync(song.path, song.lengthSamples * 4)
    for (let sec = 0; sec < stagedChunksMax + 20; sec += 4)
      await reader.awaitReady(
        [
          { sound: song, from: sec * rate },
          { sound: song, from: (sec + 7) * rate }
        ],
        readMaxMs
      )
    const here = Array.from({ length: stagedChunksMax + 20 }, (_, sec) => reader.read(song, sec * rate, 1) !== null)
    expect(here.filter(Boolean)).toHaveLength(stagedChunksMax)
    expect(here.at(-1)).toBe(true)
  })

  it("keeps idents in memory whatever happens to the disk, as far as there is room", async () => {
    const reader = new StagedReader()
    const ident = onDisk(sound(4, 2))
    const large = { ...ident, path: join(folder, "large"), lengthSamples: emergencyIdentsMaxBytes } as StagedSound
    reader.hold([large, ident])
    await reader.awaitReady(
      [
        { sound: onDisk(sound(5, 1)), from: 0 },
        { sound: onDisk(sound(6, 1)), from: 0 }
      ],
      readMaxMs
    )
    await expect.poll(() => reader.read(ident, 0, 1)).not.toBeNull()
    rmSync(ident.path)
    expect(reader.read(ident, 2 * rate - 128, 128)).not.toBeNull()
    expect(reader.read(large, 0, 1)).toBeNull()
  })

  it("doesn't give up reads that its busy thread has not been told of", async () => {
    const song = onDisk(sound(1, 20))
    const patienceMs = 1_000
    const keepBusy = () => {
      const untilMs = performance.now() + patienceMs + 100
      while (performance.now() < untilMs);
    }
    const reader = new StagedReader()
    const ready = reader.awaitReady([{ sound: song, from: 0 }], patienceMs)
    keepBusy()
    await ready
    expect(reader.read(song, 0, rate)).not.toBeNull()
    // What it expects behind that, too.
    const expected = reader.awaitExpected(patienceMs)
    keepBusy()
    await expected
    expect(reader.read(song, 7 * rate, rate)).not.toBeNull()
  })

  it("doesn't wait for a hanging disk, and plays the fallback", async () => {
    const reader = new StagedReader()
    const hung = [hanging(7), hanging(8)]
    const begins = [item(1, start + rate, hung[0]!), item(2, start + 3 * rate, hung[1]!)]
    const mixer = mixerOf(reader, ...begins)
    await reader.awaitReady(beginsOf(plan(1, begins), start, 0), 50)
    const { events, pcm } = play(mixer, 6)
    // The pipes are still closed, so none of the calls above waited for them.
    expect(skipsOf(events)).toHaveLength(2)
    expect(startsOf(events)).toHaveLength(1)
    expect(findLongestSilence(pcm).sec).toBeLessThan(0.2)
    release(...hung)
  })
})

describe("OfflineReader", () => {
  it("reads on request", () => {
    const song = onDisk(sound(1, 20))
    expect([...new OfflineReader().read(song, 3 * rate - 64, 128)!]).toEqual([
      ...files.get(sound(1, 20).path)!.subarray((3 * rate - 64) * 2, (3 * rate + 64) * 2)
    ])
    expect(new OfflineReader().read({ ...song, path: "/nowhere" } as StagedSound, 0, 1)).toBeNull()
  })
})

describe("the first sounds of a plan", () => {
  it("are the middle of the item on the air, the immediate items, and their beds", () => {
    const voice = sound(2, 10)
    const items = [
      item(1, start - 5 * rate, sound(1, 20)),
      item(2, start + rate, voice, { bed: sound(3, 4) }),
      item(4, start + 30 * rate, sound(4, 4))
    ]
    expect(
      beginsOf(plan(1, items), start, 0).map(({ from, sound: of }) => [Number(of.assetId.slice(-1)), from / rate])
    ).toEqual([
      [1, 5],
      [2, 0],
      [3, 0]
    ])
    // Three seconds are mixed at once: nothing can be read during that.
    const secondsOf =
      (of: AirPlan) =>
      (n: number): ReadonlyArray<number> =>
        beginsOf(of, start, 3 * rate)
          .filter(({ sound: { assetId } }) => Number(assetId.slice(-1)) === n)
          .map(({ from }) => from / rate)
    expect([1, 2, 3, 4].map(secondsOf(plan(1, items)))).toEqual([[5, 6, 7, 8], [0, 1, 2], [0, 1, 2], []])
    // The same for one that begins now, on a station that still catches up with the clock: its items come then, wherever the sound is.
    expect([2, 3, 4].map(secondsOf(plan(1, items.slice(1), "now")))).toEqual([[0, 1, 2, 3], [0, 1, 2, 3], []])
  })
})
