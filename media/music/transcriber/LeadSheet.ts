import { beatsOf, onsetFrameSec, onsetsOf, paceOf, tempoOf } from "./Beats.ts"
import { type BeatChroma, chordsOf, type HeardChord, type HeardKey, keyOf, metreOf } from "./Chords.ts"
import { foldPitches, pitchesBetween, pitchesCount, type Pitchgram, pitchgramOf, transcribedRateHz } from "./Pitches.ts"
import { type TuneNote, tuneOf } from "./Tune.ts"

/** A piece as a musician writes it down after listening: tempo, key, a chord a bar, the tune, and how loud each bar is. */
export interface LeadSheet {
  readonly bpm: number
  readonly beatsPerBar: 3 | 4
  readonly key: HeardKey
  readonly chords: ReadonlyArray<HeardChord>
  readonly tune: ReadonlyArray<TuneNote>
  /** Loudness of each bar, 1 the loudest. */
  readonly levels: ReadonlyArray<number>
  /** How far its sound is made of few pitches rather than of noise: about 0.1 for noise, more than 0.5 for one voice. */
  readonly pitched: number
  /** Sixteenths on which something begins, with its strength. */
  readonly begins: ReadonlyArray<{ readonly at: number; readonly strength: number }>
  /** Where its first bar lies in the sound. */
  readonly fromSec: number
}

export interface Known {
  readonly bpm: number | null
}

const pitchLow = 48
const pitchHigh = 84
const bassHigh = 52

const chromaBetween = (pitchgram: Pitchgram, fromSec: number, toSec: number): BeatChroma => {
  const pitches = pitchesBetween(pitchgram, fromSec, toSec)
  return { chroma: foldPitches(pitches, pitchLow, pitchHigh), bass: foldPitches(pitches, 0, bassHigh) }
}

const peakNear = (onsets: Float32Array, sec: number, reachSec: number): number => {
  const [from, to] = [Math.round((sec - reachSec) / onsetFrameSec), Math.round((sec + reachSec) / onsetFrameSec)]
  let most = 0
  for (let at = Math.max(0, from); at <= Math.min(onsets.length - 1, to); at++) most = Math.max(most, onsets[at]!)
  return most
}

const levelsOf = (samples: Float32Array, edges: ReadonlyArray<number>): ReadonlyArray<number> => {
  const loudness = edges.slice(0, -1).map((fromSec, bar) => {
    const [from, to] = [Math.max(0, fromSec * transcribedRateHz), edges[bar + 1]! * transcribedRateHz].map(Math.round)
    let sum = 0
    for (let i = from!; i < Math.min(samples.length, to!); i++) sum += samples[i]! ** 2
    return Math.sqrt(sum / Math.max(1, to! - from!))
  })
  const loudest = Math.max(1e-9, ...loudness)
  return loudness.map((level) => level / loudest)
}

const voicesCounted = 4
/** Share of the loudest few pitches in all that is heard. */
const pitchedShare = (steps: ReadonlyArray<Float32Array>): number => {
  let [few, all] = [0, 0]
  for (const pitches of steps) {
    const sorted = [...pitches].sort((a, b) => b - a)
    few += sorted.slice(0, voicesCounted).reduce((sum, size) => sum + size, 0)
    all += sorted.reduce((sum, size) => sum + size, 0)
  }
  return all === 0 ? 0 : few / all
}

/** Writes down mono sound at `transcribedRateHz`. The same sound gives the same sheet. */
export const transcribe = (samples: Float32Array, known: Known): LeadSheet => {
  const onsets = onsetsOf(samples)
  const heard = tempoOf(onsets.whole, known.bpm)
  const beats = beatsOf(onsets.whole, heard)
  const bpm = paceOf(beats, heard)
  const pitchgram = pitchgramOf(samples)
  const beatSec = 60 / bpm
  const endOf = (beat: number) => beats[beat + 1] ?? beats[beat]! + beatSec
  const chromas = beats.map((fromSec, beat) => chromaBetween(pitchgram, fromSec, endOf(beat)))
  const { beatsPerBar, firstBeat } = metreOf(
    chromas,
    beats.map((sec) => peakNear(onsets.bass, sec, beatSec / 8))
  )
  const bars = Math.max(1, Math.floor((beats.length - firstBeat) / beatsPerBar))
  const beatAt = (beat: number) => beats[beat] ?? beats.at(-1)! + (beat - beats.length + 1) * beatSec
  const edges = Array.from({ length: bars + 1 }, (_, bar) => beatAt(firstBeat + bar * beatsPerBar))
  const stepEdges = Array.from({ length: bars * beatsPerBar * 4 + 1 }, (_, step) => {
    const beat = firstBeat + Math.floor(step / 4)
    const from = beatAt(beat)
    return from + ((beatAt(beat + 1) - from) * (step % 4)) / 4
  })
  const strengths = stepEdges.slice(0, -1).map((sec) => peakNear(onsets.whole, sec, beatSec / 9))
  const steps = stepEdges.slice(0, -1).map((fromSec, step) => pitchesBetween(pitchgram, fromSec, stepEdges[step + 1]!))
  return {
    bpm,
    beatsPerBar,
    key: keyOf(chromas),
    chords: chordsOf(edges.slice(0, -1).map((fromSec, bar) => chromaBetween(pitchgram, fromSec, edges[bar + 1]!))),
    tune: tuneOf(steps, strengths),
    levels: levelsOf(samples, edges),
    pitched: pitchedShare(steps),
    begins: strengths.flatMap((strength, at) => (strength >= 1.5 ? [{ at, strength: Math.min(1, strength / 5) }] : [])),
    fromSec: edges[0]!
  }
}

/** Twelve pitch classes for each beat of `beatSec`, for comparing pieces. */
export const chromaEvery = (samples: Float32Array, beatSec: number, fromSec = 0): ReadonlyArray<Float32Array> => {
  const pitchgram = pitchgramOf(samples)
  const count = Math.floor((samples.length / transcribedRateHz - fromSec) / beatSec)
  return Array.from({ length: Math.max(0, count) }, (_, beat) =>
    foldPitches(
      pitchesBetween(pitchgram, fromSec + beat * beatSec, fromSec + (beat + 1) * beatSec),
      36,
      36 + pitchesCount
    )
  )
}
