import { createHash } from "node:crypto"

/** Chance that is always the same for the same words. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  readonly drawUnit: () => number
  readonly drawBetween: (from: number, to: number) => number
  readonly drawWhole: (from: number, to: number) => number
  readonly pickOne: <A>(of: ReadonlyArray<A>) => A
}

export const seededRandom = (...words: ReadonlyArray<string | null>): SeededRandom => {
  let state = createHash("sha256").update(JSON.stringify(words)).digest().readUInt32LE(0)
  // mulberry32
  const drawUnit = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const drawBetween = (from: number, to: number) => from + drawUnit() * (to - from)
  return {
    drawUnit,
    drawBetween,
    drawWhole: (from, to) => Math.floor(drawBetween(from, to + 1)),
    pickOne: (of) => of[Math.floor(drawUnit() * of.length)]!
  }
}

/** A length as it is written into a drawing: two places are finer than a pixel. */
export const coordinateText = (value: number): string => String(Math.round(value * 100) / 100)

export const points = (all: ReadonlyArray<readonly [number, number]>): string =>
  all.map(([x, y]) => `${coordinateText(x)},${coordinateText(y)}`).join(" ")
