import { createHash } from "node:crypto"

/** Chance that is always the same for the same words. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  readonly next: () => number
  readonly between: (from: number, to: number) => number
  readonly whole: (from: number, to: number) => number
  readonly one: <A>(of: ReadonlyArray<A>) => A
}

export const seededRandom = (...words: ReadonlyArray<string | null>): SeededRandom => {
  let state = createHash("sha256").update(JSON.stringify(words)).digest().readUInt32LE(0)
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (from: number, to: number) => from + next() * (to - from)
  return {
    next,
    between,
    whole: (from, to) => Math.floor(between(from, to + 1)),
    one: (of) => of[Math.floor(next() * of.length)]!
  }
}

/** A length as it is written into a drawing: two places are finer than a pixel. */
export const at = (value: number): string => String(Math.round(value * 100) / 100)

export const points = (all: ReadonlyArray<readonly [number, number]>): string =>
  all.map(([x, y]) => `${at(x)},${at(y)}`).join(" ")
