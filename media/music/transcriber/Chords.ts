/** Kinds of chords, as semitones above the root. */
export const chordKinds = {
  "": [0, 4, 7],
  m: [0, 3, 7],
  "7": [0, 4, 7, 10],
  maj7: [0, 4, 7, 11],
  m7: [0, 3, 7, 10],
  m7b5: [0, 3, 6, 10]
} as const
type ChordKind = keyof typeof chordKinds

export interface HeardChord {
  /** Pitch class of the root, from C. */
  readonly root: number
  readonly kind: ChordKind
}

export interface HeardKey {
  readonly tonic: number
  readonly family: "major" | "minor"
}

/** What is heard in one beat: pitch classes of the middle and of the bass. */
export interface BeatChroma {
  readonly chroma: Float32Array
  readonly bass: Float32Array
}

// Krumhansl and Kessler's profiles: how well each tone fits a key.
const profiles = {
  major: [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  minor: [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]
} as const

const correlation = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  const n = one.length
  let [meanOne, meanOther] = [0, 0]
  for (let i = 0; i < n; i++) {
    meanOne += one[i]! / n
    meanOther += other[i]! / n
  }
  let [both, squareOne, squareOther] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    both += (one[i]! - meanOne) * (other[i]! - meanOther)
    squareOne += (one[i]! - meanOne) ** 2
    squareOther += (other[i]! - meanOther) ** 2
  }
  return squareOne === 0 || squareOther === 0 ? 0 : both / Math.sqrt(squareOne * squareOther)
}

export const keyOf = (beats: ReadonlyArray<BeatChroma>): HeardKey => {
  const whole = new Float32Array(12)
  for (const { bass, chroma } of beats)
    for (let tone = 0; tone < 12; tone++) whole[tone] = whole[tone]! + chroma[tone]! + 0.5 * bass[tone]!
  let found: HeardKey = { tonic: 0, family: "major" }
  let most = -Infinity
  for (const family of ["major", "minor"] as const)
    for (let tonic = 0; tonic < 12; tonic++) {
      const fit = correlation(
        whole,
        Array.from({ length: 12 }, (_, tone) => profiles[family][(tone - tonic + 12) % 12]!)
      )
      if (fit > most) [found, most] = [{ tonic, family }, fit]
    }
  return found
}

const candidates = Array.from({ length: 12 }, (_, root) =>
  (Object.keys(chordKinds) as ReadonlyArray<ChordKind>).map((kind) => ({
    root,
    kind,
    tones: Float32Array.from({ length: 12 }, (__, tone) =>
      chordKinds[kind].some((step) => (root + step) % 12 === tone) ? 1 : 0
    ),
    // Triads are heard where nothing speaks for more.
    bonus: kind === "" || kind === "m" ? 0.04 : kind === "m7b5" ? -0.04 : 0
  }))
).flat()

const rateFit = ({ bass, chroma }: BeatChroma, { bonus, root, tones }: (typeof candidates)[number]): number => {
  const loudest = Math.max(1e-9, ...bass)
  return correlation(chroma, tones) + bonus + (0.35 * bass[root]!) / loudest
}

/** The chord of each bar: of all sequences the one that fits best, where a change costs a little. */
export const chordsOf = (bars: ReadonlyArray<BeatChroma>): ReadonlyArray<HeardChord> => {
  const change = 0.12
  let scores = candidates.map(() => 0)
  const links: Array<ReadonlyArray<number>> = []
  for (const bar of bars) {
    let best = 0
    scores.forEach((score, index) => {
      if (score > scores[best]!) best = index
    })
    const from = scores.map((score, index) => (scores[best]! - change > score ? best : index))
    links.push(from)
    scores = candidates.map(
      (candidate, index) => scores[from[index]!]! - (from[index] === index ? 0 : change) + rateFit(bar, candidate)
    )
  }
  let at = scores.indexOf(Math.max(...scores))
  const found: Array<HeardChord> = []
  for (let bar = bars.length - 1; bar >= 0; bar--) {
    const { kind, root } = candidates[at]!
    found.unshift({ root, kind })
    at = links[bar]![at]!
  }
  return found
}

const distance = (one: Float32Array, other: Float32Array): number => 1 - Math.max(0, correlation(one, other))

export interface HeardMetre {
  readonly beatsPerBar: 3 | 4
  /** The first beat that begins a bar. */
  readonly firstBeat: number
}

/** Bars begin where harmonies change and the bass enters. Three beats only where they fit clearly better than four. */
export const metreOf = (beats: ReadonlyArray<BeatChroma>, bassOnsets: ReadonlyArray<number>): HeardMetre => {
  const loudest = Math.max(1e-9, ...bassOnsets)
  const marks = beats.map(({ bass, chroma }, beat) =>
    beat === 0
      ? 0
      : distance(chroma, beats[beat - 1]!.chroma) +
        distance(bass, beats[beat - 1]!.bass) +
        (0.5 * bassOnsets[beat]!) / loudest
  )
  let found: HeardMetre = { beatsPerBar: 4, firstBeat: 0 }
  let most = -Infinity
  for (const beatsPerBar of [4, 3] as const)
    for (let firstBeat = 0; firstBeat < beatsPerBar; firstBeat++) {
      let [on, onCount, off, offCount] = [0, 0, 0, 0]
      marks.forEach((mark, beat) => {
        if (beat % beatsPerBar === firstBeat) [on, onCount] = [on + mark, onCount + 1]
        else [off, offCount] = [off + mark, offCount + 1]
      })
      const score = on / Math.max(1, onCount) - off / Math.max(1, offCount) - (beatsPerBar === 3 ? 0.12 : 0)
      if (score > most) [found, most] = [{ beatsPerBar, firstBeat }, score]
    }
  return found
}
