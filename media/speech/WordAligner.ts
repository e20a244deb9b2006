import { frameMs, pauseDb, type Spectrogram } from "./Spectrogram.ts"

/** What a sound holds of a sentence, found by laying a reference with known word times over it. */
export interface Alignment {
  /** Place of each word in the sound; null for one that isn't in it. */
  readonly words: ReadonlyArray<{ readonly startMs: number; readonly endMs: number } | null>
  /** Words that are spoken twice, alone or with their neighbours. */
  readonly repeated: ReadonlyArray<number>
  /** Sound that belongs to no word, in ms. */
  readonly strangeMs: number
  /** Mean distance of sound and reference: about 1 for the same words by another voice, 1.4 for any two sounds. */
  readonly distance: number
  /** Time of the words in the sound against that in the reference. */
  readonly tempo: number
}

/** Costs in distances of a frame: a frame on a pause, one that stands still or hurries, a word left out or said again, and alien sound. */
const costs = {
  pause: 1.6,
  stand: 0.12,
  hurry: 0.12,
  rush: 0.4,
  skip: 5,
  repeat: 4,
  /** For each further word that is left out with the first. */
  further: 1.5,
  strange: 1.45,
  enterStrange: 6
}

/** Longest run of words that is left out or said again in one piece; longer ones are several. */
const wordsMax = 12
const [jumpSkip, jumpRepeat, jumpBack] = [200, 201, 202]

/**
 * The cheapest way through the reference for the frames of a sound, one after the other (Viterbi). A way may leave out a word, say one or
 * two again, or stay at a word boundary with sound that belongs to none, each at a price.
 */
export const alignWords = (reference: Spectrogram, startsMs: ReadonlyArray<number>, sound: Spectrogram): Alignment => {
  const [n, m, width, count] = [reference.frames, sound.frames, reference.width, startsMs.length]
  const nothing = { words: startsMs.map(() => null), repeated: [], strangeMs: 0, distance: Infinity, tempo: 0 }
  if (n === 0 || m === 0 || count === 0) return nothing
  // Word k is frames first[k] to first[k + 1] - 1; each has at least one.
  const first = startsMs.map((ms, k) => (k === 0 ? 0 : Math.min(n - (count - k), Math.round(ms / frameMs))))
  for (let k = 1; k < count; k++) first[k] = Math.max(first[k]!, first[k - 1]! + 1)
  if (first.at(-1)! >= n) return nothing
  first.push(n)
  const wordAt = new Int32Array(n)
  for (let k = 0; k < count; k++) wordAt.fill(k, first[k]!, first[k + 1]!)

  const from = new Uint8Array(n * m)
  const arg = new Int16Array(count * m)
  let [before, now] = [new Float32Array(n).fill(Infinity), new Float32Array(n)]
  // Between the words, before the first and after the last: sound that belongs to none.
  let [outBefore, outNow] = [new Float32Array(count + 1).fill(Infinity), new Float32Array(count + 1)]
  const outFrom = new Uint8Array((count + 1) * m)
  const costAt = (i: number, j: number) => {
    const isPause = reference.levelDb[i]! < pauseDb
    if (isPause !== sound.levelDb[j]! < pauseDb) return costs.pause
    if (isPause) return 0
    let sum = 0
    for (let k = 0; k < width; k++) {
      const difference = reference.rows[i * width + k]! - sound.rows[j * width + k]!
      sum += difference * difference
    }
    return Math.sqrt(sum / width)
  }
  for (let j = 0; j < m; j++) {
    const isPause = sound.levelDb[j]! < pauseDb
    for (let k = 0; k <= count; k++) {
      const enter =
        (j === 0 ? (k === 0 ? 0 : Infinity) : k > 0 ? before[first[k]! - 1]! : Infinity) + costs.enterStrange
      const stay = outBefore[k]!
      outNow[k] = Math.min(enter, stay) + (isPause ? 0.3 : costs.strange)
      outFrom[k * m + j] = enter < stay ? 1 : 0
    }
    for (let i = 0; i < n; i++) {
      const k = wordAt[i]!
      let best = j === 0 && i === 0 ? 0 : Infinity
      let move = 0
      if (j > 0) {
        // The sound goes on by a frame, the reference by none to three.
        best = before[i]! + costs.stand
        if (i > 0 && before[i - 1]! < best) [best, move] = [before[i - 1]!, 1]
        if (i > 1 && before[i - 2]! + costs.hurry < best) [best, move] = [before[i - 2]! + costs.hurry, 2]
        if (i > 2 && before[i - 3]! + costs.rush < best) [best, move] = [before[i - 3]! + costs.rush, 3]
      }
      if (i === first[k]) {
        let jump = -1
        // Words from `left` to k - 1 are not in the sound.
        for (let left = Math.max(0, k - wordsMax); left < k; left++) {
          const fromEnd = left > 0 ? (j > 0 ? before[first[left]! - 1]! : Infinity) : j === 0 ? 0 : Infinity
          const skipped = fromEnd + costs.skip + costs.further * (k - 1 - left)
          if (skipped < best) [best, move, jump] = [skipped, jumpSkip, left]
        }
        if (j > 0) {
          // Words from k to `last` are said, and now again.
          for (let last = k; last < Math.min(count, k + wordsMax); last++) {
            const again = before[first[last + 1]! - 1]! + costs.repeat
            if (again < best) [best, move, jump] = [again, jumpRepeat, last]
          }
          if (outBefore[k]! < best) [best, move] = [outBefore[k]!, jumpBack]
        }
        arg[k * m + j] = jump
      }
      now[i] = best + costAt(i, j)
      from[i * m + j] = move
    }
    ;[before, now] = [now, before]
    ;[outBefore, outNow] = [outNow, outBefore]
  }

  // The last word, an earlier one if the last are missing, or alien sound at the end.
  const ends = [
    ...Array.from({ length: count }, (_, k) => ({
      cost: before[first[k + 1]! - 1]! + (k === count - 1 ? 0 : costs.skip + costs.further * (count - 2 - k)),
      out: false,
      i: first[k + 1]! - 1
    })),
    { cost: outBefore[count]!, out: true, i: count }
  ].toSorted((one, other) => one.cost - other.cost)
  let { i, out } = ends[0]!
  const begins = new Int32Array(count).fill(-1)
  const stops = new Int32Array(count).fill(-1)
  const held = new Int32Array(count)
  const repeated = new Set<number>()
  let strangeMs = 0
  for (let j = m - 1; j >= 0; j--) {
    if (out) {
      if (sound.levelDb[j]! >= pauseDb) strangeMs += frameMs
      if (outFrom[i * m + j] === 1) {
        if (j === 0) break
        ;[out, i] = [false, first[i]! - 1]
      }
      continue
    }
    const k = wordAt[i]!
    begins[k] = j
    held[k]!++
    if (stops[k] === -1) stops[k] = j + 1
    const move = from[i * m + j]!
    if (j === 0) break
    if (move <= 3) i -= move
    else if (move === jumpSkip) i = first[arg[k * m + j]!]! - 1
    else if (move === jumpRepeat) {
      const last = arg[k * m + j]!
      for (let word = k; word <= last; word++) repeated.add(word)
      i = first[last + 1]! - 1
    } else if (move === jumpBack) [out, i] = [true, k]
  }
  // A word that sounds unlike the reference may seem left out, but not its time: the words beside it have it.
  const referenceFrames = (k: number) => (k < 0 || k >= count ? 0 : first[k + 1]! - first[k]!)
  const rates = startsMs.flatMap((_, k) => (held[k]! > 0 && !repeated.has(k) ? [held[k]! / referenceFrames(k)] : []))
  const tempo = rates.toSorted((one, other) => one - other)[rates.length >> 1] ?? 1
  const all = held.reduce((sum, frames) => sum + frames, 0)
  /** The words left out together with word k, and whether their time is gone too: from the sentence, and from beside them. */
  const isGone = (k: number) => {
    let [from, to] = [k, k]
    while (from > 0 && begins[from - 1] === -1) from--
    while (to < count - 1 && begins[to + 1] === -1) to++
    let gone = 0
    for (let word = from; word <= to; word++) gone += referenceFrames(word)
    return (
      all < tempo * (n - 0.5 * gone) &&
      (held[from - 1] ?? 0) + (held[to + 1] ?? 0) <
        tempo * (referenceFrames(from - 1) + referenceFrames(to + 1) + 0.6 * gone)
    )
  }
  const isAgain = (k: number) =>
    all > tempo * (n + 0.5 * referenceFrames(k)) && held[k]! > 1.5 * tempo * referenceFrames(k)
  return {
    tempo: all / n,
    words: startsMs.map((_, k) => {
      if (begins[k] !== -1) return { startMs: begins[k]! * frameMs, endMs: stops[k]! * frameMs }
      if (isGone(k)) return null
      const middleMs = (k === 0 ? 0 : (stops[k - 1] ?? 0)) * frameMs
      return { startMs: middleMs, endMs: middleMs }
    }),
    repeated: [...repeated].filter(isAgain).toSorted((one, other) => one - other),
    strangeMs,
    distance: ends[0]!.cost / m
  }
}
