import { expect, it } from "vitest"
import { pcmRingSec } from "../../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { PcmRing } from "../../../media/encode/PcmRing.ts"
import { sweep } from "../../support/media/Sound.ts"

const start = 1_343_634_398_725

it("keeps the last seconds, across its seam, for every thread with its memory", () => {
  const ring = new PcmRing()
  ring.begin(start)
  for (let at = 0; at < (pcmRingSec + 7) * sampleRateHz; at += 4_801) ring.write(sweep(start + at, start + at + 4_801))
  const other = new PcmRing(ring.memory)
  expect(other.writtenTo - other.oldest).toBe(pcmRingSec * sampleRateHz)
  expect(other.read(other.oldest, other.writtenTo)).toEqual(sweep(other.oldest, other.writtenTo))
})

it("returns silence before and after the written range", () => {
  const ring = new PcmRing()
  ring.begin(start)
  ring.write(sweep(start, start + 100))
  const heard = ring.read(start - 10, start + 110)
  expect(heard.subarray(0, 20).every((value) => value === 0)).toBe(true)
  expect(heard.subarray(20, 220)).toEqual(sweep(start, start + 100))
  expect(heard.subarray(220).every((value) => value === 0)).toBe(true)
})

it("gives views of its sound, across its seam and before its beginning, equal to copies", () => {
  const ring = new PcmRing()
  ring.begin(start)
  const same = (from: number, to: number) =>
    expect(Buffer.concat(ring.pieces(from, to))).toEqual(Buffer.from(ring.read(from, to).buffer))
  ring.write(sweep(start, start + 100))
  same(start - 10, start + 100)
  for (let at = 100; at < (pcmRingSec + 7) * sampleRateHz; at += 4_801)
    ring.write(sweep(start + at, start + at + 4_801))
  same(ring.oldest, ring.writtenTo)
  expect(ring.pieces(ring.writtenTo, ring.writtenTo)).toEqual([])
})

it("shows when its writer was last alive", () => {
  const ring = new PcmRing()
  ring.beat(123_456.789)
  expect(new PcmRing(ring.memory).beatMs).toBeCloseTo(123_456.789, 3)
})
