import { Effect, Layer, Schema, Semaphore } from "effect"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../engine/Config.ts"
import { callInMaxBytes, callInMaxSec, callInMinSec, callInsAtOnce, callInSlackSec, drawingCpuSec, filmLengthToleranceShare, filmMemoryMaxMb, mediaJobTimeoutSec, probeTimeoutSec, sampleRateHz } from "../engine/Limits.ts"
import { callKeyOf, CallSound } from "../engine/ports/CallSound.ts"
import { Unusable } from "../engine/ports/Ingest.ts"
import { ObjectStore, ObjectsUnavailable } from "../engine/ports/ObjectStore.ts"
import { MediaStoreUnavailable, Prepare, Unairable } from "../engine/ports/Prepare.ts"
import { confined } from "./Confined.ts"
import { Ffmpeg, type FfmpegTools } from "./Ffmpeg.ts"
import { faultOf, sniffed } from "./ImageCheck.ts"
import { runMediaJob } from "./MediaJob.ts"
import { disk, type DiskFault, mediaPaths, workFolder } from "./MediaStore.ts"

/** What recorders and phones make, and how it is read: as what it is and as nothing else. A playlist that leads to other files is none of these. */
const demuxers: Readonly<Record<string, string>> = { webm: "matroska", ogg: "ogg", mp4: "mov", mp3: "mp3", wav: "wav", flac: "flac" }
const families: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(audio|video)\/(webm|x-matroska|matroska)$/, "webm"], [/^(audio|video|application)\/(ogg|opus)$/, "ogg"], [/^(audio|video)\/(mp4|x-m4a|m4a|aac-mp4|quicktime)$/, "mp4"],
  [/^audio\/(mpeg|mp3)$/, "mp3"], [/^audio\/(wav|x-wav|wave|vnd\.wave)$/, "wav"]
]
const familyOf = (contentType: string | null): string | null => {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase()
  return families.find(([pattern]) => pattern.test(type))?.[1] ?? null
}
const saysNothing = (contentType: string | null) => contentType === null || /^$|^(application\/octet-stream|text\/plain)\b/i.test(contentType)

const careful = ["-protocol_whitelist", "file,pipe", "-max_alloc", "100000000"]

const Probed = Schema.fromJsonString(Schema.Struct({
  streams: Schema.Array(Schema.Struct({ codec_type: Schema.String, sample_rate: Schema.optionalKey(Schema.String), channels: Schema.optionalKey(Schema.Finite) })),
  format: Schema.Struct({ duration: Schema.optionalKey(Schema.String) })
}))

const probed = Effect.fnUntraced(function*({ ffprobe }: FfmpegTools, file: string, family: string) {
  if (ffprobe === null) return yield* new Unusable({ code: "unsupported", detail: "This station can't check recordings at the moment: its ffprobe is missing." })
  const out = yield* Effect.mapError(confined(ffprobe, ["-v", "error", ...careful, "-f", demuxers[family]!, "-show_entries", "stream=codec_type,sample_rate,channels:format=duration", "-of", "json", file],
    { cpuSec: probeTimeoutSec, timeoutSec: probeTimeoutSec, memoryMaxMb: filmMemoryMaxMb }), faultOf)
  const { format, streams } = yield* Effect.mapError(Schema.decodeUnknownEffect(Probed)(out.toString("utf8")), () => new Unusable({ code: "damaged", detail: "It can't be read." }))
  const sound = streams.find(({ codec_type }) => codec_type === "audio")
  const [rate, channels, durationSec] = [Number(sound?.sample_rate ?? 0), sound?.channels ?? 0, Number(format.duration)]
  if (sound === undefined) return yield* new Unusable({ code: "damaged", detail: "There is no sound in it." })
  if (!(rate >= 8_000 && rate <= 192_000 && channels >= 1 && channels <= 8)) return yield* new Unusable({ code: "unsupported", detail: `It has ${channels} channels of ${rate} Hz; the station reads 1 to 8 of 8 to 192 kHz.` })
  // Browsers write a recording as it comes, and don't go back to say how long it became.
  return Number.isFinite(durationSec) && durationSec > 0 ? durationSec : null
})

const tooLong = (sec: number) => new Unusable({ code: "too_long", detail: `It lasts ${sec > callInMaxSec * 2 ? "much longer than" : `${sec.toFixed(1)} s:`} ${callInMaxSec} s are all there are.` })

const unavailable = ({ code }: DiskFault) => new ObjectsUnavailable({ detail: `The media store can't be used at the moment (${code}).` })

/** Calls as files: one at a time, each in a folder of its own, as everything that strangers send. */
export const CallSoundLive = Layer.effect(CallSound, Effect.gen(function*() {
  const { dataDir } = yield* StationConfig
  const objects = yield* ObjectStore
  const prepare = yield* Prepare
  const tools = yield* Ffmpeg
  const inTurn = yield* Semaphore.make(callInsAtOnce)
  const paths = mediaPaths(dataDir)
  const work = { ...paths, work: join(paths.media, ".calls") }
  // What a crash left behind: uploads that nobody has judged, and what was made of them so far.
  yield* Effect.ignore(disk(async () => {
    await rm(work.work, { recursive: true, force: true })
    await rm(join(paths.media, "calls", "incoming"), { recursive: true, force: true })
  }))

  const take = Effect.fnUntraced(function*({ contentType, id, uploadKey }: Parameters<CallSound["Service"]["take"]>[0]) {
    const folder = yield* workFolder(work)
    const [file, copy] = [join(folder, "upload"), join(folder, "call.flac")]
    if (!(yield* objects.download(uploadKey, file, callInMaxBytes))) return yield* new Unusable({ code: "damaged", detail: "The recording did not arrive whole." })
    const found = yield* sniffed(file)
    const family = familyOf(found)
    if (family === null) return yield* new Unusable({ code: "wrong_type", detail: `It is ${found ?? "nothing that is known"}. Send WebM, Ogg, MP4, MP3 or WAV.` })
    if (!saysNothing(contentType) && familyOf(contentType) !== family) return yield* new Unusable({ code: "wrong_type", detail: `It was announced as ${contentType} and is ${found}.` })
    const claimedSec = yield* probed(tools, file, family)
    if (claimedSec !== null && claimedSec > callInMaxSec + callInSlackSec) return yield* tooLong(claimedSec)
    yield* Effect.mapError(confined(tools.ffmpeg, [
      "-v", "error", "-nostdin", ...careful, "-threads", "1", "-f", demuxers[family]!, "-t", String(callInMaxSec + 1), "-i", file, "-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1",
      "-ac", "1", "-ar", String(sampleRateHz), "-fflags", "+bitexact", "-flags:a", "+bitexact", "-t", String(callInMaxSec + 1), "-c:a", "flac", "-sample_fmt", "s16", "-f", "flac", copy
    ], { cpuSec: drawingCpuSec, timeoutSec: mediaJobTimeoutSec, memoryMaxMb: filmMemoryMaxMb }), faultOf)
    const durationSec = (yield* probed(tools, copy, "flac")) ?? 0
    if (durationSec > callInMaxSec + callInSlackSec) return yield* tooLong(durationSec)
    if (durationSec < callInMinSec) return yield* new Unusable({ code: "too_short", detail: `There is less than ${callInMinSec} s of sound in it.` })
    if (claimedSec !== null && Math.abs(claimedSec - durationSec) > Math.max(0.5, claimedSec * filmLengthToleranceShare)) {
      return yield* new Unusable({ code: "length_mismatch", detail: `It says that it lasts ${claimedSec.toFixed(1)} s, and ${durationSec.toFixed(1)} s are in it.` })
    }
    yield* objects.put(callKeyOf(id), { path: copy }, "audio/flac")
    return Math.min(callInMaxSec, Math.round(durationSec * 1_000) / 1_000)
  }, (effect) => effect.pipe(Effect.scoped, Effect.catchTag("DiskFault", (fault) => Effect.fail(unavailable(fault))), inTurn.withPermit))

  const master = Effect.fnUntraced(function*(id: Parameters<CallSound["Service"]["master"]>[0], assetId: Parameters<CallSound["Service"]["master"]>[1]) {
    const folder = yield* workFolder(work)
    const [copy, samples] = [join(folder, "call.flac"), join(folder, "call.f32")]
    if (!(yield* objects.download(callKeyOf(id), copy, callInMaxBytes * 2))) return yield* new Unairable({ code: "undecodable", detail: "The recording is gone." })
    yield* runMediaJob((command) => command.input(copy).noVideo().output(samples).outputOptions(["-ac", "1", "-ar", String(sampleRateHz), "-f", "f32le", "-c:a", "pcm_f32le"]))
    const bytes = yield* disk(() => readFile(samples))
    const voice = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4))
    return yield* prepare.prepare({ id: assetId, kind: "speech", raw: { sampleRateHz, channels: [voice], words: [] }, role: "PRIMARY", introEndMs: null, segueMs: null })
  }, (effect) => effect.pipe(
    Effect.scoped,
    Effect.catchTags({
      DiskFault: (fault) => Effect.fail(unavailable(fault)),
      MediaJobFailed: ({ detail, reason }) => Effect.fail(reason === "failed" ? new Unairable({ code: "undecodable", detail }) : new MediaStoreUnavailable({ detail }))
    }),
    Effect.provideService(Ffmpeg, tools)
  ))

  return CallSound.of({
    take, master,
    discard: (id, assetId) => Effect.andThen(objects.remove([callKeyOf(id)]), assetId === null ? Effect.void : Effect.mapError(
      disk(async () => {
        for (const path of [paths.masterOf(assetId), paths.copyOf(assetId), paths.stagedOf(assetId)]) await rm(path, { force: true })
      }), ({ code, detail }) => new MediaStoreUnavailable({ detail: `${code}: ${detail}` })))
  })
}))
