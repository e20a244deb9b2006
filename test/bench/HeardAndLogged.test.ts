import { expect, it } from "vitest"
import { compareWithLog, type LoggedRow } from "../../bench/instruments/ears/HeardAndLogged.ts"

const second = 48_000
const tone = (hz: number, sec: number) =>
  Float32Array.from({ length: sec * second }, (_, at) =>
    Math.sin((2 * Math.PI * hz * at) / second + (hz * at * at) / 1e10)
  )
const songs = [
  { assetId: "one", pcm: tone(300, 10) },
  { assetId: "two", pcm: tone(440, 10) }
]
const row = (itemId: string | null, fromSec: number, toSec: number, outcome = "complete"): LoggedRow => ({
  itemId,
  assetId: itemId === null ? null : itemId.split("-")[0]!,
  outcome,
  firstSample: fromSec * second,
  lastSample: toSec * second - 1
})
/** The first song, then the second, received from the first second on. */
const heard = (() => {
  const pcm = new Float32Array(20 * second)
  pcm.set(songs[0]!.pcm, 0)
  pcm.set(songs[1]!.pcm, 10 * second)
  return [{ firstSample: second, pcm: pcm.subarray(second) }]
})()
const differences = async (rows: ReadonlyArray<LoggedRow>, beforeSec = 20) => {
  const { comparedSamples, disagreements } = await compareWithLog(heard, rows, songs, beforeSec * second)
  expect(comparedSamples).toBeGreaterThan(3 * second)
  return disagreements.map(({ firstSample, heard, logged, samples }) => [
    Math.round(firstSample / second),
    Math.round(samples / second),
    logged,
    heard
  ])
}

it("tells where the as-run log says something else than a player heard", async () => {
  const [one, two] = [row("one-a", 0, 10), row("two-a", 10, 20)]
  expect(await differences([one, two])).toEqual([])
  // Two rows of one item.
  expect(await differences([row("one-a", 0, 4), row("one-a", 4, 10), two])).toEqual([])
  expect(await differences([one, row(null, 10, 14, "off_air"), { ...two, firstSample: 14 * second }], 13)).toEqual([
    [10, 3, "off_air", "no song"]
  ])
  expect(await differences([row("one-a", 0, 6, "cut"), row(null, 6, 10, "emergency"), two])).toEqual([
    [6, 3, "emergency", "one-a"]
  ])
  expect(await differences([one, row("one-b", 10, 20)])).toEqual([[10, 9, "one-b", "no song"]])
  expect(await differences([one, row("two-a", 10, 13), row("two-a", 16, 20)])).toEqual([[13, 2, "nothing", "two-a"]])
  // An ident that isn't one of the songs.
  expect(await differences([one, row("ident-a", 10, 20)])).toEqual([])
})

it("knows two songs in a fade from one to the other, even where they cancel each other out", async () => {
  const wave = (phase: number) =>
    Float32Array.from({ length: 10 * second }, (_, at) => Math.sin((2 * Math.PI * 300 * at) / second + phase))
  const known = [
    { assetId: "one", pcm: wave(0) },
    { assetId: "two", pcm: wave(2.7) },
    { assetId: "three", pcm: tone(440, 10) }
  ]
  const fadeTo = (next: Float32Array) => {
    const pcm = known[0]!.pcm.slice(0, 8 * second)
    for (let at = 4 * second; at < pcm.length; at++) {
      const turn = ((Math.PI / 2) * (at - 4 * second)) / (4 * second)
      pcm[at] = pcm[at]! * Math.cos(turn) + next[at - 4 * second]! * Math.sin(turn)
    }
    return [{ firstSample: 0, pcm }]
  }
  const rows = [row("one-a", 0, 8), row("two-a", 4, 12)]
  const compare = async (next: Float32Array) =>
    (await compareWithLog(fadeTo(next), rows, known, 8 * second)).disagreements.length
  expect(await compare(known[1]!.pcm)).toBe(0)
  expect(await compare(known[2]!.pcm)).toBeGreaterThan(0)
})

it("asks for no song below an ident, which is louder, and tells of one that is not logged", async () => {
  const ident = tone(700, 2)
  const heardBelow = (song: Float32Array) => {
    const pcm = song.slice()
    for (let at = 4 * second; at < 6 * second; at++) pcm[at] = 0.2 * pcm[at]! + ident[at - 4 * second]!
    return [{ firstSample: 0, pcm }]
  }
  const rows = [row("one-a", 0, 10), row("ident-a", 4, 6)]
  expect((await compareWithLog(heardBelow(songs[0]!.pcm), rows, songs, 10 * second)).disagreements).toEqual([])
  const other = [row("two-a", 0, 4), row("ident-a", 4, 6), row("two-a", 6, 10)]
  const found = await compareWithLog([{ firstSample: 0, pcm: songs[1]!.pcm }], other, songs, 10 * second)
  expect(found.disagreements.map(({ heard, logged }) => [logged, heard])).toEqual([["ident-a", "two-a"]])
})
