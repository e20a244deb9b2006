import { Effect, Schema } from "effect"
import { filmLengthToleranceShare, filmMemoryMaxMb } from "../../engine/rules/agents/limits.ts"
import { probeCpuSec, probeTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { Unusable } from "../../engine/ports/Ingest.ts"
import { runConfined, careful } from "../ffmpeg/Confined.ts"
import type { FfmpegTools } from "../ffmpeg/Ffmpeg.ts"
import { faultOf } from "../pictures/ImageCheck.ts"

/** Formats of recorders and phones, each read as itself only. A playlist that leads to other files is none of these. */
const demuxers = { webm: "matroska", ogg: "ogg", mp4: "mov", mp3: "mp3", wav: "wav", flac: "flac" } as const
export type SoundFamily = keyof typeof demuxers
const families: ReadonlyArray<readonly [RegExp, SoundFamily]> = [
  [/^(audio|video)\/(webm|x-matroska|matroska)$/, "webm"],
  [/^(audio|video|application)\/(ogg|opus)$/, "ogg"],
  [/^(audio|video)\/(mp4|x-m4a|m4a|aac-mp4|quicktime)$/, "mp4"],
  [/^audio\/(mpeg|mp3)$/, "mp3"],
  [/^audio\/(wav|x-wav|wave|vnd\.wave)$/, "wav"]
]
export const familyOf = (contentType: string | null): SoundFamily | null => {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase()
  return families.find(([pattern]) => pattern.test(type))?.[1] ?? null
}
const Probed = Schema.fromJsonString(
  Schema.Struct({
    streams: Schema.Array(
      Schema.Struct({
        codec_type: Schema.String,
        codec_name: Schema.optionalKey(Schema.String),
        sample_rate: Schema.optionalKey(Schema.String),
        channels: Schema.optionalKey(Schema.Finite),
        bit_rate: Schema.optionalKey(Schema.String),
        duration: Schema.optionalKey(Schema.String)
      })
    ),
    format: Schema.Struct({ duration: Schema.optionalKey(Schema.String), bit_rate: Schema.optionalKey(Schema.String) })
  })
)
/** A file's own claims. None of them has to be true. */
export interface ProbedSound {
  readonly codec: string
  readonly sampleRateHz: number
  readonly channels: number
  readonly bitrateKbps: number | null
  /** Browsers stream a recording and don't go back to write its length. */
  readonly durationSec: number | null
}
const parsePositive = (text: string | undefined): number | null =>
  Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : null
export const probeSound = Effect.fnUntraced(function* ({ ffprobe }: FfmpegTools, file: string, family: SoundFamily) {
  if (ffprobe === null)
    return yield* new Unusable({
      code: "unsupported",
      detail: "This station can't check recordings at the moment: its ffprobe is missing."
    })
  const out = yield* Effect.mapError(
    runConfined(
      ffprobe,
      [
        "-v",
        "error",
        ...careful,
        "-f",
        demuxers[family],
        "-show_entries",
        "stream=codec_type,codec_name,sample_rate,channels,bit_rate,duration:format=duration,bit_rate",
        "-of",
        "json",
        file
      ],
      { cpuSec: probeCpuSec, timeoutSec: probeTimeoutSec, memoryMaxMb: filmMemoryMaxMb }
    ),
    faultOf
  )
  const { format, streams } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Probed)(out.toString("utf8")),
    () => new Unusable({ code: "damaged", detail: "It can't be read." })
  )
  const sound = streams.find(({ codec_type }) => codec_type === "audio")
  const [sampleRateHz, channels] = [Number(sound?.sample_rate ?? 0), sound?.channels ?? 0]
  if (sound === undefined) return yield* new Unusable({ code: "damaged", detail: "There is no sound in it." })
  if (!(sampleRateHz >= 8_000 && sampleRateHz <= 192_000 && channels >= 1 && channels <= 8)) {
    return yield* new Unusable({
      code: "unsupported",
      detail: `It has ${channels} channels of ${sampleRateHz} Hz; the station reads 1 to 8 of 8 to 192 kHz.`
    })
  }
  const bits = parsePositive(sound.bit_rate) ?? parsePositive(format.bit_rate)
  return {
    codec: sound.codec_name ?? "",
    sampleRateHz,
    channels,
    bitrateKbps: bits === null ? null : Math.round(bits / 1_000),
    durationSec: parsePositive(sound.duration) ?? parsePositive(format.duration)
  } satisfies ProbedSound
})
/** Decodes the first sound of a file, at most `maxSec` from its beginning; each output says which part goes where. */
export const decodeSound = (
  { ffmpeg }: FfmpegTools,
  ask: {
    readonly file: string
    readonly family: SoundFamily
    readonly maxSec: number
    readonly outputs: ReadonlyArray<ReadonlyArray<string>>
    readonly cpuSec: number
    readonly timeoutSec: number
    readonly fileMaxBytes?: number
  }
) =>
  Effect.mapError(
    runConfined(
      ffmpeg,
      [
        "-v",
        "error",
        "-nostdin",
        ...careful,
        "-threads",
        "1",
        "-f",
        demuxers[ask.family],
        "-t",
        String(ask.maxSec),
        "-i",
        ask.file,
        ...ask.outputs.flatMap((output) => [
          "-map",
          "0:a:0",
          "-vn",
          "-sn",
          "-dn",
          "-map_metadata",
          "-1",
          "-map_chapters",
          "-1",
          "-fflags",
          "+bitexact",
          "-flags:a",
          "+bitexact",
          "-t",
          String(ask.maxSec),
          ...output
        ])
      ],
      {
        cpuSec: ask.cpuSec,
        timeoutSec: ask.timeoutSec,
        memoryMaxMb: filmMemoryMaxMb,
        ...(ask.fileMaxBytes === undefined ? {} : { fileMaxBytes: ask.fileMaxBytes })
      }
    ),
    faultOf
  )
/** Whether a file lies about its length, or is cut off. */
export const isOtherLength = (claimedSec: number | null, durationSec: number): boolean =>
  claimedSec !== null && Math.abs(claimedSec - durationSec) > Math.max(0.5, claimedSec * filmLengthToleranceShare)
