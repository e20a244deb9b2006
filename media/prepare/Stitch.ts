import { Effect, Layer, Semaphore } from "effect"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { panelMaxSec, stitchesAtOnce } from "../../engine/rules/panels/limits.ts"
import { speechMinSec } from "../../engine/rules/voices/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { MediaStoreUnavailable, Unairable } from "../../engine/ports/Prepare.ts"
import { Stitch, type StitchPiece } from "../../engine/ports/Stitch.ts"
import { markOfMix } from "../../schema/Synthetic.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { keep } from "./StoredAsset.ts"
import { levelSound } from "./Mastering.ts"
import { disk, hashFile, type MediaPaths, mediaPaths, mediaPathsOf, workFolder } from "../storage/MediaStore.ts"
import { decodeMaster } from "./StagedSounds.ts"

/** A second at a time: no more than that of all pieces is in memory. */
const blockFrames = sampleRateHz
const frameBytes = channelsCount * 2

/** Adds the stretch of a piece between two samples to a block, with linear gain. */
const add = (block: Float32Array, blockFrom: number, pcm: Int16Array, piece: StitchPiece, from: number, to: number) => {
  const points = piece.gains
  const [first, last] = [points[0] ?? [0, 1], points.at(-1) ?? [0, 1]]
  let next = points.findIndex(([at]) => at > from)
  for (let at = from; at < to;) {
    const [a, b] = next < 0 ? [last, last] : next === 0 ? [first, first] : [points[next - 1]!, points[next]!]
    const until = next < 0 ? to : Math.min(to, b[0])
    const slope = next <= 0 || b[0] === a[0] ? 0 : (b[1] - a[1]) / (b[0] - a[0])
    for (let i = at; i < until; i++) {
      const gain = (slope === 0 ? a[1] : a[1] + slope * (i - a[0])) / 32_768
      const [into, out] = [(piece.atSample + i - blockFrom) * channelsCount, (i - from) * channelsCount]
      block[into] = block[into]! + pcm[out]! * gain
      block[into + 1] = block[into + 1]! + pcm[out + 1]! * gain
    }
    at = Math.max(at, until)
    if (next >= 0 && at >= b[0]) {
      next++
      if (next >= points.length) next = -1
    }
  }
}

/** Reads exactly this much, and fails if the file ends sooner. */
const readFully = async (file: FileHandle, bytes: Uint8Array, at: number) => {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, at + done)
    if (bytesRead === 0) throw new Error(`${bytes.length - done} bytes are missing.`)
    done += bytesRead
  }
}

/** Words of every piece at their new times; words in cut parts are removed. */
const wordsOf = (pieces: ReadonlyArray<StitchPiece>) =>
  pieces.flatMap(({ asset, atSample, fromSample, samples }) => {
    const ms = 1_000 / sampleRateHz
    const [fromMs, toMs, shiftMs] = [fromSample * ms, (fromSample + samples) * ms, (atSample - fromSample) * ms]
    return asset.words
      .filter(({ endMs, startMs }) => endMs > fromMs && startMs < toMs)
      .map(({ endMs, startMs, text }) => ({
        text,
        startMs: Math.round(Math.max(startMs, fromMs) + shiftMs),
        endMs: Math.round(Math.min(endMs, toMs) + shiftMs)
      }))
  })

/** Pieces are decoded one by one and deleted after use: an hour of speech needs a second of memory and its own length on disk. */
const stitchIn = Effect.fnUntraced(function* (paths: MediaPaths) {
  const tools = yield* Ffmpeg
  const own = { ...paths, work: paths.workOf("stitching") }
  const inTurn = yield* Semaphore.make(stitchesAtOnce)
  // Leftovers of a crash.
  yield* Effect.ignore(disk(() => rm(own.work, { recursive: true, force: true })))

  /** As a file with the samples of the asset's first decoding. */
  const decodePiece = Effect.fnUntraced(function* ({ asset }: StitchPiece, path: string) {
    yield* decodeMaster(paths.masterOf(asset.id), path)
    if ((yield* hashFile(path)).sha256 !== asset.pcmSha256)
      return yield* new MediaStoreUnavailable({ detail: `The master of ${asset.id} differs from its stored hash.` })
    return yield* Effect.acquireRelease(
      disk(() => open(path, "r")),
      (file) => Effect.ignore(disk(() => file.close()))
    )
  })

  const mix = Effect.fnUntraced(function* (
    pieces: ReadonlyArray<StitchPiece>,
    samples: number,
    folder: string,
    path: string
  ) {
    const out = yield* Effect.acquireRelease(
      disk(() => open(path, "w")),
      (file) => Effect.ignore(disk(() => file.close()))
    )
    const block = new Float32Array(blockFrames * channelsCount)
    const pcm = new Int16Array(blockFrames * channelsCount)
    let waiting = pieces
      .map((piece, index) => ({ piece, index }))
      .toSorted((a, b) => a.piece.atSample - b.piece.atSample)
    let sounding: ReadonlyArray<{ readonly piece: StitchPiece; readonly file: FileHandle; readonly path: string }> = []
    for (let from = 0; from < samples; from += blockFrames) {
      const to = Math.min(samples, from + blockFrames)
      for (const { index, piece } of waiting.filter(({ piece }) => piece.atSample < to)) {
        const at = join(folder, `${index}.pcm`)
        sounding = [...sounding, { piece, path: at, file: yield* decodePiece(piece, at) }]
      }
      waiting = waiting.filter(({ piece }) => piece.atSample >= to)
      const now = sounding
      yield* disk(async (signal) => {
        signal.throwIfAborted()
        block.fill(0)
        for (const { file, piece } of now) {
          const [first, last] = [Math.max(0, from - piece.atSample), Math.min(piece.samples, to - piece.atSample)]
          const part = pcm.subarray(0, (last - first) * channelsCount)
          await readFully(
            file,
            new Uint8Array(part.buffer, 0, part.byteLength),
            (piece.fromSample + first) * frameBytes
          )
          add(block, from, part, piece, first, last)
        }
        await out.appendFile(new Uint8Array(block.buffer, 0, (to - from) * channelsCount * 4))
        for (const { file, path, piece } of now) {
          if (piece.atSample + piece.samples > to) continue
          await file.close()
          await rm(path, { force: true })
        }
      })
      sounding = sounding.filter(({ piece }) => piece.atSample + piece.samples > to)
    }
  }, Effect.scoped)

  const stitch = Effect.fnUntraced(
    function* ({ id, pieces, samples }: Parameters<Stitch["Service"]["stitch"]>[0]) {
      const seconds = samples / sampleRateHz
      if (seconds > panelMaxSec)
        return yield* new Unairable({
          code: "too_long",
          detail: `It would last ${Math.round(seconds)} s; ${panelMaxSec} s is the most.`
        })
      if (seconds < speechMinSec)
        return yield* new Unairable({ code: "too_short", detail: "There are no sounds to join." })
      const folder = yield* workFolder(own)
      const [mixed, pcm] = [join(folder, "mixed.f32"), join(folder, "sound.pcm")]
      yield* mix(pieces, samples, folder, mixed)
      // Each voice has the programme's loudness, so the whole is near it.
      const loudness = yield* levelSound({ shaped: mixed, kind: "speech", seconds, gainDb: 0, before: null, pcm })
      yield* disk(() => rm(mixed))
      return yield* keep({
        id,
        kind: "speech",
        pcm,
        folder,
        paths: own,
        loudness,
        expectedSamples: samples,
        introEndMs: null,
        segueMs: null,
        words: wordsOf(pieces),
        synthetic: markOfMix(pieces.map(({ asset }) => asset.synthetic))
      })
    },
    (effect) =>
      effect.pipe(
        Effect.scoped,
        Effect.catchTags({
          DiskFault: ({ code, detail }) => Effect.fail(new MediaStoreUnavailable({ detail: `${code}: ${detail}` })),
          MediaJobFailed: ({ detail }) => Effect.fail(new MediaStoreUnavailable({ detail }))
        }),
        inTurn.withPermit,
        Effect.provideService(Ffmpeg, tools)
      )
  )

  return Stitch.of({ stitch })
})

/** In this data folder. */
export const makeStitch = (dataDir: string) => stitchIn(mediaPaths(dataDir))

export const StitchLive: Layer.Layer<Stitch, never, Ffmpeg | StationConfig> = Layer.effect(
  Stitch,
  Effect.flatMap(StationConfig, (config) => stitchIn(mediaPathsOf(config)))
)
