import { Effect, Schema } from "effect"
import {
  filmCpuSec,
  filmFps,
  filmLengthToleranceShare,
  filmMaxSec,
  filmMemoryMaxMb,
  filmSideMaxPx,
  filmTimeoutSec,
  imageSideMaxPx
} from "../../engine/rules/agents/limits.ts"
import { probeCpuSec, probeTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { Unusable } from "../../engine/ports/Ingest.ts"
import { runConfined, careful } from "../ffmpeg/Confined.ts"
import type { FfmpegTools } from "../ffmpeg/Ffmpeg.ts"
import { faultOf } from "./ImageCheck.ts"

/** Each read as the format it claims only: a playlist that leads to other files is none of these. */
const demuxers: Readonly<Record<string, string>> = { "video/mp4": "mov", "video/webm": "matroska" }
const Probed = Schema.fromJsonString(
  Schema.Struct({
    streams: Schema.Array(
      Schema.Struct({
        codec_type: Schema.String,
        width: Schema.optionalKey(Schema.Finite),
        height: Schema.optionalKey(Schema.Finite),
        avg_frame_rate: Schema.optionalKey(Schema.String)
      })
    ),
    format: Schema.Struct({ duration: Schema.optionalKey(Schema.String) })
  })
)
interface Film {
  readonly width: number
  readonly height: number
  readonly durationSec: number
  readonly isFast: boolean
}
const probe = Effect.fnUntraced(function* ({ ffprobe }: FfmpegTools, file: string, contentType: string) {
  if (ffprobe === null)
    return yield* new Unusable({
      code: "unsupported",
      detail: "This station can't check films at the moment: its ffprobe is missing."
    })
  const out = yield* Effect.mapError(
    runConfined(
      ffprobe,
      [
        "-v",
        "error",
        ...careful,
        "-f",
        demuxers[contentType]!,
        "-show_entries",
        "stream=codec_type,width,height,avg_frame_rate:format=duration",
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
  const pictures = streams.filter(({ codec_type }) => codec_type === "video")
  const [frames = 0, per = 1] = (pictures[0]?.avg_frame_rate ?? "").split("/").map(Number)
  const film: Film = {
    width: pictures[0]?.width ?? 0,
    height: pictures[0]?.height ?? 0,
    durationSec: Number(format.duration),
    isFast: frames / per > filmFps
  }
  if (film.width < 1 || film.height < 1)
    return yield* new Unusable({ code: "damaged", detail: "There are no moving pictures in it." })
  if (film.width > imageSideMaxPx || film.height > imageSideMaxPx)
    return yield* new Unusable({
      code: "too_large",
      detail: `It has ${film.width} × ${film.height} pixels; a side can have at most ${imageSideMaxPx}.`
    })
  if (!Number.isFinite(film.durationSec) || film.durationSec <= 0)
    return yield* new Unusable({
      code: "no_length",
      detail: "The file doesn't declare its length. Rewrite it with its length, for example with ffmpeg -c copy."
    })
  if (film.durationSec > filmMaxSec)
    return yield* new Unusable({
      code: "too_long",
      detail: `It lasts ${Math.round(film.durationSec)} s; a film may last ${filmMaxSec} s.`
    })
  return film
})
/** Re-encoded frame by frame: H.264 and AAC in MP4, at most 1280 pixels and 30 frames a second, without anything of the original file. */
export const encodeFilm = Effect.fnUntraced(function* (
  tools: FfmpegTools,
  file: string,
  contentType: string,
  film: string,
  poster: string
) {
  const before = yield* probe(tools, file, contentType)
  const side = `min(${filmSideMaxPx}\\,`
  const shape = [
    ...(before.isFast ? [`fps=${filmFps}`] : []),
    `scale=w=${side}iw):h=${side}ih):force_original_aspect_ratio=decrease`,
    "scale=trunc(iw/2)*2:trunc(ih/2)*2",
    "setsar=1",
    "format=yuv420p"
  ].join(",")
  const run = (args: ReadonlyArray<string>) =>
    Effect.mapError(
      runConfined(tools.ffmpeg, ["-v", "error", "-nostdin", ...args], {
        cpuSec: filmCpuSec,
        timeoutSec: filmTimeoutSec,
        memoryMaxMb: filmMemoryMaxMb
      }),
      faultOf
    )
  yield* run([
    ...careful,
    "-threads",
    "1",
    "-f",
    demuxers[contentType]!,
    "-t",
    String(filmMaxSec + 1),
    "-i",
    file,
    "-map",
    "0:v:0",
    "-map",
    "0:a:0?",
    "-sn",
    "-dn",
    "-map_metadata",
    "-1",
    "-map_chapters",
    "-1",
    "-vf",
    shape,
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-crf",
    "25",
    "-threads",
    "1",
    "-c:a",
    "aac",
    "-b:a",
    "128k",
    "-ac",
    "2",
    "-ar",
    "48000",
    "-fflags",
    "+bitexact",
    "-flags:v",
    "+bitexact",
    "-flags:a",
    "+bitexact",
    "-movflags",
    "+faststart",
    "-f",
    "mp4",
    film
  ])
  const after = yield* probe(tools, film, "video/mp4")
  if (Math.abs(after.durationSec - before.durationSec) > Math.max(0.2, before.durationSec * filmLengthToleranceShare)) {
    return yield* new Unusable({
      code: "length_mismatch",
      detail: `It says that it lasts ${before.durationSec.toFixed(1)} s, and ${after.durationSec.toFixed(1)} s are in it.`
    })
  }
  yield* run([
    "-ss",
    String(Math.min(1, after.durationSec / 3)),
    "-i",
    film,
    "-frames:v",
    "1",
    "-f",
    "image2",
    "-c:v",
    "png",
    poster
  ])
  return after
})
