import { initSegment, join } from "../../../media/encode/Fmp4.ts"
import { partSamples } from "../../../media/encode/PartPacker.ts"
import { renditions } from "../../../media/encode/Rendition.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { decodeMono } from "./Decode.ts"
import type { ReceivedPart } from "./LowLatencyEar.ts"

/** A row of the as-run log. */
export interface LoggedRow {
  readonly itemId: string | null
  readonly assetId: string | null
  readonly outcome: string
  readonly firstSample: number
  readonly lastSample: number
}

/** A sound that can be told from all others at every moment: mono, from the sample at which an item of it begins. */
export interface KnownSound {
  readonly assetId: string
  readonly pcm: Float32Array
}

/** A stretch in which the log says something else than was heard. */
export interface Disagreement {
  readonly firstSample: number
  readonly samples: number
  readonly logged: string
  readonly heard: string
}

const windowSamples = sampleRateHz / 10
/** Sounds fade into each other, and are cut with a fade. */
const fadeSamples = sampleRateHz / 4
const chunkParts = 120
/** Of one sound alone, or of the best mixture of two that fade into each other. */
const sameMin = 0.9
/** Of a sound that is part of a mixture. */
const mixedMin = 0.5

/** Similarity of a piece and a sound at a position, −1 to 1. */
export const likeness = (piece: Float32Array, sound: Float32Array, at: number): number => {
  if (at < 0 || at + piece.length > sound.length) return 0
  let [dot, own, other] = [0, 0, 0]
  for (let i = 0; i < piece.length; i++) {
    const [a, b] = [piece[i]!, sound[at + i]!]
    dot += a * b
    own += a * a
    other += b * b
  }
  return own === 0 || other === 0 ? 0 : dot / Math.sqrt(own * other)
}

const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!
  return sum
}

/**
 * Similarity of a piece and the mixture of these sounds that is most like it, 0 to 1. Two sounds that fade into each other may cancel each other out in
 * part: then neither is like the piece.
 */
const likenessOfMixture = (piece: Float32Array, sounds: ReadonlyArray<Float32Array>): number => {
  const own = dot(piece, piece)
  let explained = 0
  const directions: Array<Float32Array> = []
  for (const sound of sounds) {
    const rest = new Float32Array(piece.length)
    rest.set(sound)
    for (const direction of directions) {
      const share = dot(rest, direction)
      for (let i = 0; i < rest.length; i++) rest[i]! -= share * direction[i]!
    }
    const size = Math.sqrt(dot(rest, rest))
    // Silence, or a sound that the others already contain.
    if (size < 1e-3) continue
    for (let i = 0; i < rest.length; i++) rest[i]! /= size
    directions.push(rest)
    explained += dot(piece, rest) ** 2
  }
  return own === 0 ? 0 : Math.sqrt(explained / own)
}

/** Sound that a player received without a gap. */
export interface HeardStretch {
  readonly firstSample: number
  readonly pcm: Float32Array
}

/** Decodes what lies between missing parts. The first part of each stretch only warms up the decoder. */
export async function* decodeStretches(parts: ReadonlyArray<ReceivedPart>): AsyncGenerator<HeardStretch> {
  const init = initSegment(renditions.aac128.bitrateKbps)
  const follows = (at: number) => at < parts.length && parts[at]!.number === parts[at - 1]!.number + 1
  for (let from = 0; from < parts.length - 1;) {
    let to = from + 1
    while (follows(to) && to - from < chunkParts) to++
    if (to - from > 1) {
      const pcm = await decodeMono(join([init, ...parts.slice(from, to).map(({ bytes }) => new Uint8Array(bytes))]))
      yield { firstSample: (parts[from]!.number + 1) * partSamples, pcm: pcm.subarray(partSamples) }
    }
    // The next stretch warms up with the last part of this one.
    from = follows(to) ? to - 1 : to
  }
}

/**
 * Compares what a player heard with the rows of the log, up to a sample. Windows at the borders of sounds don't count, and a sound that isn't known is
 * only told from those that are.
 */
export const compareWithLog = async (
  stretches: AsyncIterable<HeardStretch> | Iterable<HeardStretch>,
  rows: ReadonlyArray<LoggedRow>,
  sounds: ReadonlyArray<KnownSound>,
  beforeSample: number
): Promise<{ readonly comparedSamples: number; readonly disagreements: ReadonlyArray<Disagreement> }> => {
  const soundOf = new Map(sounds.map((sound) => [sound.assetId, sound.pcm]))
  const begins = new Map<string, number>()
  for (const { firstSample, itemId } of rows)
    if (itemId !== null) begins.set(itemId, Math.min(firstSample, begins.get(itemId) ?? firstSample))
  const items = [...new Map(rows.flatMap((row) => (row.itemId === null ? [] : [[row.itemId, row] as const]))).values()]
  const nameOf = (row: LoggedRow) => row.itemId ?? row.outcome
  const disagreements: Array<Disagreement> = []
  let comparedSamples = 0
  const note = (firstSample: number, logged: string, heard: string) => {
    const last = disagreements.at(-1)
    const goesOn = last?.logged === logged && last.heard === heard && last.firstSample + last.samples === firstSample
    if (goesOn) disagreements[disagreements.length - 1] = { ...last, samples: last.samples + windowSamples }
    else disagreements.push({ firstSample, samples: windowSamples, logged, heard })
  }
  for await (const { firstSample: startSample, pcm } of stretches) {
    for (let at = 0; at + windowSamples <= pcm.length; at += windowSamples) {
      const [from, to] = [startSample + at, startSample + at + windowSamples]
      if (to > beforeSample) break
      const isBorder = rows.some(({ firstSample, lastSample }) =>
        [firstSample, lastSample + 1].some((border) => border > from - fadeSamples && border < to + fadeSamples)
      )
      if (isBorder) continue
      comparedSamples += windowSamples
      const piece = pcm.subarray(at, at + windowSamples)
      const likenessOf = ({ assetId, itemId }: LoggedRow) => {
        const sound = soundOf.get(assetId ?? "")
        return sound === undefined || itemId === null ? 0 : likeness(piece, sound, from - begins.get(itemId)!)
      }
      const logged = rows.filter((row) => row.firstSample <= from && row.lastSample >= to - 1)
      const heard = items.filter((item) => likenessOf(item) >= (logged.length > 1 ? mixedMin : sameMin))
      const known = logged.flatMap(({ assetId, itemId }) => {
        const sound = soundOf.get(assetId ?? "")
        if (sound === undefined || itemId === null) return []
        const place = from - begins.get(itemId)!
        return [sound.subarray(place, place + windowSamples)]
      })
      // An ident hides the song below it, which is softer there.
      const isHidden = known.length < logged.length
      const isRight =
        logged.length > 0 &&
        logged.every(({ outcome }) => outcome !== "off_air") &&
        heard.every(({ itemId }) => logged.some((row) => row.itemId === itemId)) &&
        (isHidden || (logged.length > 1 ? likenessOfMixture(piece, known) >= sameMin : heard.length > 0))
      if (!isRight)
        note(from, logged.map(nameOf).join(" and ") || "nothing", heard.map(nameOf).join(" and ") || "no song")
    }
  }
  return { comparedSamples, disagreements }
}
