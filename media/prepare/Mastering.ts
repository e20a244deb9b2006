import { Effect } from "effect"
import type { FfmpegCommand } from "fluent-ffmpeg"
import { open, stat } from "node:fs/promises"
import {
  masteredLufs,
  masteringAimLu,
  masteringPassesMax,
  mediaJobTimeoutSec,
  programmeLuTolerance,
  truePeakMaxDbtp
} from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { type SoundFile, Unairable } from "../../engine/ports/Prepare.ts"
import type { RawSound, SpeechRole } from "../../engine/ports/Speech.ts"
import type { Loudness, SoundKind } from "../../schema/Sound.ts"
import { measuring, readLoudness, ungatedLufs } from "./Measure.ts"
import { MediaJobFailed, runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk } from "../storage/MediaStore.ts"

/** Writes the samples in blocks from one buffer: a song of five minutes would otherwise be copied whole. */
const interleave = ({ channels }: RawSound, path: string) =>
  disk(async (signal) => {
    const blockFrames = 65_536
    const [left = new Float32Array(), right = left] = channels
    const file = await open(path, "w")
    try {
      const block = new Float32Array(blockFrames * 2)
      for (let from = 0; from < left.length; from += blockFrames) {
        signal.throwIfAborted()
        const frames = Math.min(blockFrames, left.length - from)
        for (let i = 0; i < frames; i++) {
          block[2 * i] = left[from + i]!
          block[2 * i + 1] = right[from + i]!
        }
        await file.appendFile(new Uint8Array(block.buffer, 0, frames * 8))
      }
    } finally {
      await file.close()
    }
  })

/** Oversampled four times to limit peaks between samples. The limit leaves room for resampling. */
const oversampling = 4
const limiterAttackMs = 5
const limiterCeilingDb = -1.83

/**
 * The look-ahead delays the sound by its attack and would cut off its end: silence is appended, and the delay removed at the beginning, so
 * every cue stays in place.
 */
const limiter = (ceilingDb: number): ReadonlyArray<string> => {
  const rate = sampleRateHz * oversampling
  const delay = Math.round((rate * limiterAttackMs) / 1000)
  return [
    `aresample=${rate}`,
    `apad=pad_len=${delay}`,
    `alimiter=level=0:limit=${(10 ** (ceilingDb / 20)).toFixed(5)}:attack=${limiterAttackMs}:release=60`,
    `atrim=start_sample=${delay}`,
    "asetpts=N/SR/TB",
    `aresample=${sampleRateHz}`
  ]
}

/** Shaping before the loudness is set. Only speech of the PRIMARY role is shaped; a voice's room is already in the sound. */
const shapingFilters = (kind: SoundKind, role: SpeechRole | "HOUSE", peak: number): ReadonlyArray<string> =>
  (kind === "speech" || kind === "ident") && role !== "SPEED"
    ? [
        // The compressor works by level, so every voice is levelled first.
        `volume=${(0.7 / peak).toFixed(6)}:precision=float`,
        "highpass=f=65",
        "equalizer=f=260:width_type=q:width=1:gain=-1.5",
        "equalizer=f=3400:width_type=q:width=0.9:gain=2",
        "acompressor=threshold=0.1:ratio=3.5:attack=8:release=140:knee=4"
      ]
    : [`volume=${(0.7 / peak).toFixed(6)}:precision=float`, ...(kind === "speech" ? ["highpass=f=65"] : [])]

const stereo = [
  "-ac",
  "2",
  "-ar",
  String(sampleRateHz),
  "-map_metadata",
  "-1",
  "-flags:a",
  "+bitexact",
  "-fflags",
  "+bitexact"
]

const requireLoudness = (lines: ReadonlyArray<string>): Effect.Effect<Loudness, MediaJobFailed> => {
  const loudness = readLoudness(lines)
  return loudness === null
    ? Effect.fail(
        new MediaJobFailed({ reason: "failed", detail: `ffmpeg gave no loudness:\n${lines.slice(-8).join("\n")}` })
      )
    : Effect.succeed(loudness)
}

const addFilters = (command: FfmpegCommand, filters: ReadonlyArray<string>, format: "f32le" | "s16le", path: string) =>
  command
    .noVideo()
    .audioFilters([...filters, measuring])
    .output(path)
    .outputOptions([...stereo, "-f", format, "-c:a", `pcm_${format}`])

/** A job that takes as long as its sound plays runs on a busy machine. */
const patienceSec = (seconds: number) => Math.max(mediaJobTimeoutSec, seconds)

/** 48 kHz stereo float, shaped, as a file for the next passes. */
const shape = (
  sampleRate: number,
  raw: string,
  kind: SoundKind,
  role: SpeechRole | "HOUSE",
  peak: number,
  path: string,
  seconds: number
) =>
  runMediaJob(
    (command) =>
      addFilters(
        command.input(raw).inputOptions(["-f", "f32le", "-ar", String(sampleRate), "-ac", "2"]),
        [`aresample=${sampleRateHz}`, ...shapingFilters(kind, role, peak)],
        "f32le",
        path
      ),
    patienceSec(seconds)
  ).pipe(Effect.flatMap(requireLoudness))

const level = (shaped: string, gainDb: number, ceilingDb: number | null, path: string, timeoutSec: number) =>
  runMediaJob(
    (command) =>
      addFilters(
        command.input(shaped).inputOptions(["-f", "f32le", "-ar", String(sampleRateHz), "-ac", "2"]),
        [`volume=${gainDb.toFixed(2)}dB:precision=float`, ...(ceilingDb === null ? [] : limiter(ceilingDb))],
        "s16le",
        path
      ),
    timeoutSec
  ).pipe(Effect.flatMap(requireLoudness))

/** A full disk can truncate a file without an error of ffmpeg; a short file would be measured as if it were the sound. */
const requireWhole = Effect.fnUntraced(function* (path: string, seconds: number, frameBytes: number) {
  const { size } = yield* disk(() => stat(path))
  const missingSec = seconds - size / frameBytes / sampleRateHz
  if (missingSec > 0.05)
    return yield* new MediaJobFailed({
      reason: "disk",
      detail: `${missingSec.toFixed(2)} of ${seconds.toFixed(2)} s were not written.`
    })
})

/** Below the absolute gate there is no loudness to set. */
const audible = (loudness: Loudness): Effect.Effect<void, Unairable> =>
  loudness.integratedLufs > ungatedLufs
    ? Effect.void
    : Effect.fail(
        new Unairable({ code: "silent", detail: "The sound is below the absolute gate of loudness measurement." })
      )

/** Brings shaped sound to its loudness, from a first guess of the gain and earlier measurements. */
export const levelSound = Effect.fnUntraced(function* (ask: {
  readonly shaped: string
  readonly kind: SoundKind
  readonly seconds: number
  readonly gainDb: number
  readonly before: Loudness | null
  readonly pcm: string
}) {
  const { before, pcm, seconds, shaped } = ask
  const aimLufs = masteredLufs[ask.kind]
  if (before !== null) yield* audible(before)
  const timeoutSec = patienceSec(seconds)
  let gainDb = ask.gainDb
  let ceilingDb = before !== null && before.truePeakDbtp + gainDb > limiterCeilingDb + 0.5 ? limiterCeilingDb : null
  let former: { readonly gainDb: number; readonly lufs: number } | null = null
  for (let pass = 1; pass <= masteringPassesMax; pass++) {
    const after = yield* level(shaped, gainDb, ceilingDb, pcm, timeoutSec)
    yield* audible(after)
    yield* requireWhole(pcm, seconds, 4)
    const missingLu = aimLufs - after.integratedLufs
    const overDb = after.truePeakDbtp - truePeakMaxDbtp
    const good =
      Math.abs(missingLu) <= (pass === masteringPassesMax ? programmeLuTolerance : masteringAimLu) && overDb <= 0
    if (good) return after
    if (overDb > 0) ceilingDb = (ceilingDb ?? limiterCeilingDb + overDb) - overDb - 0.1
    // The more the limiter works, the less a further dB adds: the last step's result tells how much.
    const arriving: number =
      former === null || former.gainDb === gainDb ? 1 : (after.integratedLufs - former.lufs) / (gainDb - former.gainDb)
    former = { gainDb, lufs: after.integratedLufs }
    gainDb += missingLu / Math.max(0.2, Math.min(1, arriving))
  }
  return yield* new Unairable({
    code: "clipped",
    detail: `The sound is all peaks: it can't be brought to ${aimLufs} LUFS without distortion.`
  })
})

/**
 * Writes the sound to `pcm` as 48 kHz stereo s16le at the loudness of its kind with no true peak above −1 dBTP, and answers its measurements. Static gain,
 * then a limiter only where a peak needs it; a further pass restores the loudness that the limiter took. Two-pass loudnorm would be
 * shorter, but on clips under three seconds it misses by 20 LU and reports success.
 */
export const master = Effect.fnUntraced(function* (ask: {
  readonly raw: RawSound | SoundFile
  readonly kind: SoundKind
  readonly role: SpeechRole | "HOUSE"
  /** Findings of an earlier look at it. */
  readonly peak: number
  readonly lengthSec: number
  /** Paths for the original and the shaped sound, owned by the caller. */
  readonly interleaved: string
  readonly shaped: string
  readonly pcm: string
}) {
  const { lengthSec: seconds, raw } = ask
  if ("channels" in raw) yield* interleave(raw, ask.interleaved)
  const before = yield* shape(
    raw.sampleRateHz,
    "channels" in raw ? ask.interleaved : raw.path,
    ask.kind,
    ask.role,
    ask.peak,
    ask.shaped,
    seconds
  )
  yield* requireWhole(ask.shaped, seconds, 8)
  return yield* levelSound({
    shaped: ask.shaped,
    kind: ask.kind,
    seconds,
    gainDb: masteredLufs[ask.kind] - before.integratedLufs,
    before,
    pcm: ask.pcm
  })
})
