import { Effect, Layer, Result, Semaphore, Stream } from "effect"
import { createHash } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { uploadCpuSec, uploadSec, uploadTimeoutSec } from "../../engine/rules/segments/limits.ts"
import { ingestsAtOnce, mediaJobTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { Unusable } from "../../engine/ports/Ingest.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { MediaStoreUnavailable, Prepare } from "../../engine/ports/Prepare.ts"
import { type Examined, incomingKeyOf, sampleKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import type { AssetId, SubmissionId, UploadId } from "../../schema/Ids.ts"
import type { SoundFacts } from "../../schema/Sound.ts"
import type { UploadPurpose } from "../../schema/segments/Upload.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { differenceOf, type Fingerprint, fingerprintOf, keptOf, printRateHz } from "./Fingerprint.ts"
import { decodeSound, familyOf, probeSound } from "./ForeignSound.ts"
import { develop, sniffFormat } from "../pictures/ImageCheck.ts"
import { measuring, readLoudness } from "../prepare/Measure.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, type DiskFault, mediaPathsOf, workFolder } from "../storage/MediaStore.ts"
import { lookAtFile } from "../prepare/SoundFile.ts"
import { qcOf, refusedQc, unmeasuredQc } from "./UploadChecks.ts"
import { featuresOf } from "./SoundFeatures.ts"
import { tagsOf } from "./SoundTags.ts"
import { wavClaimSec } from "./WavClaim.ts"

type Upload = Parameters<UploadSound["Service"]["examine"]>[0]

/** Allowed content of a container of this kind: a WAV with other content is read by unexpected programs. */
const codecs = { wav: /^pcm_/, mp3: /^mp[123]/ } as const

const floats = ["-c:a", "pcm_f32le", "-f", "f32le"]

/** Difference to the most similar recording; null without any. One at a time, with pauses for other work. */
const findLeastDifference = Effect.fnUntraced(function* (print: Fingerprint, others: ReadonlyArray<Uint8Array>) {
  let least: number | null = null
  for (const other of others) {
    least = Math.min(least ?? 1, differenceOf(print, other))
    yield* Effect.yieldNow
  }
  return least
})

const unavailableFault = ({ code }: DiskFault) =>
  new MediaStoreUnavailable({ detail: `The media store can't be used at the moment (${code}).` })
const masteredAs = {
  speech: { kind: "speech", role: "PRIMARY" },
  music: { kind: "music", role: "HOUSE" }
} as const satisfies Partial<Record<UploadPurpose, unknown>>

/** Recordings as files: one at a time, each in its own folder, like everything from strangers. Decoded sound stays in files. */
export const UploadSoundLive = Layer.effect(
  UploadSound,
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const prepare = yield* Prepare
    const tools = yield* Ffmpeg
    const inTurn = yield* Semaphore.make(ingestsAtOnce)
    const paths = mediaPathsOf(yield* StationConfig)
    // A folder of its own, because others clear theirs at startup.
    const work = { ...paths, work: paths.workOf("uploads") }
    yield* Effect.ignore(disk(() => rm(work.work, { recursive: true, force: true })))

    /** The file's real format and the length its header claims. Fails if the format differs from the announced one. */
    const openUpload = Effect.fnUntraced(function* ({ byteSize, contentType, id }: Upload, file: string) {
      if (!(yield* objects.download(incomingKeyOf(id), file, byteSize)))
        return yield* new Unusable({
          code: "damaged",
          detail: "The sent file is missing, or longer than announced."
        })
      const found = yield* sniffFormat(file)
      const family = familyOf(found)
      if (family === null || family !== familyOf(contentType))
        return yield* new Unusable({
          code: "wrong_type",
          detail: `It was announced as ${contentType} and is ${found ?? "an unknown type"}.`
        })
      const probed = yield* probeSound(tools, file, family)
      if ((family === "wav" || family === "mp3") && !codecs[family].test(probed.codec)) {
        return yield* new Unusable({
          code: "wrong_type",
          detail: `It was announced as ${contentType} and has ${probed.codec || "something else"} in it. Send a WAV with PCM, or an MP3.`
        })
      }
      return { family, probed: family === "wav" ? { ...probed, durationSec: yield* wavClaimSec(file) } : probed }
    })

    /**
     * Both channels as float32, at its own rate if that is not below the programme's: clipping must not be smoothed before it is counted.
     */
    const decodeUpload = Effect.fnUntraced(function* (upload: Upload, folder: string) {
      const [file, path, mono] = [join(folder, "upload"), join(folder, "upload.f32"), join(folder, "mono.f32")]
      const { family, probed } = yield* openUpload(upload, file)
      const rateHz = Math.min(probed.sampleRateHz, sampleRateHz)
      const maxSec = uploadSec[upload.purpose][1] + 1
      const sides = probed.channels === 1 ? ["-af", "pan=stereo|c0=c0|c1=c0"] : ["-ac", String(channelsCount)]
      yield* decodeSound(tools, {
        file,
        family,
        maxSec,
        cpuSec: uploadCpuSec,
        timeoutSec: uploadTimeoutSec,
        fileMaxBytes: (maxSec + 1) * rateHz * channelsCount * 4,
        outputs: [
          [...sides, "-ar", String(rateHz), ...floats, path],
          ["-ac", "1", "-ar", String(printRateHz), ...floats, mono]
        ]
      })
      const sound = { path, sampleRateHz: rateHz, words: [] }
      const found = yield* lookAtFile(sound)
      if (found.lengthSec === 0) return yield* new Unusable({ code: "damaged", detail: "There is no sound in it." })
      return { probed, sound, found, mono, file, print: found.finite ? yield* fingerprintOf(mono) : null }
    })

    /** A job on sound that the station decoded itself. */
    const job = (path: string, rateHz: number, build: Parameters<typeof runMediaJob>[0]) =>
      runMediaJob(
        (command) =>
          build(command.input(path).inputOptions(["-f", "f32le", "-ar", String(rateHz), "-ac", String(channelsCount)])),
        mediaJobTimeoutSec * 4
      ).pipe(
        Effect.provideService(Ffmpeg, tools),
        Effect.mapError(({ detail }) => new MediaStoreUnavailable({ detail }))
      )

    /** Tags and estimates of music; tags win, where they are usable. */
    const factsOf = Effect.fnUntraced(function* (id: string, file: string, mono: string, folder: string) {
      const picture = join(folder, "picture")
      const { cover, ...tags } = yield* tagsOf({ file, cover: picture })
      const features = yield* featuresOf(mono)
      const image = join(folder, "cover.webp")
      // A cover that can't be decoded is none.
      const key = `covers/${id}.webp`
      const isKept =
        cover !== null &&
        Result.isSuccess(
          yield* Effect.result(
            Effect.andThen(
              develop({ file: picture, contentType: cover, image, thumbnail: join(folder, "thumb.webp") }),
              objects.put(key, { path: image }, "image/webp")
            )
          )
        )
      const facts: SoundFacts = {
        ...tags,
        bpm: tags.bpm ?? features.bpm,
        musicalKey: tags.musicalKey ?? features.musicalKey,
        energy: features.energy,
        isInstrumental: tags.lyrics !== null ? false : features.isInstrumental,
        coverKey: isKept ? key : null
      }
      return facts
    })

    const examine = Effect.fnUntraced(
      function* (upload: Upload) {
        if (tools.ffprobe === null)
          return yield* new MediaStoreUnavailable({
            detail: "This station can't check recordings at the moment: its ffprobe is missing."
          })
        const {
          findAlike,
          assetId,
          byteSize,
          contentType,
          id,
          purpose,
          synthetic = null,
          told = () => Effect.void
        } = upload
        const folder = yield* workFolder(work)
        const heard = yield* Effect.result(decodeUpload(upload, folder))
        if (Result.isFailure(heard)) {
          if (heard.failure._tag !== "Unusable") return yield* heard.failure
          return {
            qc: unmeasuredQc(
              heard.failure.code === "wrong_type" ? "container" : "decodes",
              heard.failure.detail,
              contentType
            ),
            durationSec: null,
            fingerprint: null,
            asset: null
          } satisfies Examined
        }
        const { file, found, mono, print, probed, sound } = heard.success
        const durationSec = Math.round(found.lengthSec * 1_000) / 1_000
        yield* told(20)
        const loudness = found.finite
          ? readLoudness(
              yield* job(sound.path, sound.sampleRateHz, (command) =>
                command.audioFilters([measuring]).output("-").outputOptions(["-f", "null"])
              )
            )
          : null
        yield* told(35)
        const different = print === null ? null : yield* findLeastDifference(print, yield* findAlike(durationSec))
        const qc = qcOf(purpose, { contentType, byteSize, probed, found, loudness, different })
        const examined: Examined = { qc, durationSec, fingerprint: print === null ? null : keptOf(print), asset: null }
        if (!qc.passed) return examined
        yield* told(45)
        if (purpose === "sample") {
          const copy = join(folder, "sample.mp3")
          yield* job(sound.path, sound.sampleRateHz, (command) =>
            command
              .output(copy)
              .outputOptions([
                "-map_metadata",
                "-1",
                "-fflags",
                "+bitexact",
                "-flags:a",
                "+bitexact",
                "-ar",
                String(sampleRateHz),
                "-c:a",
                "libmp3lame",
                "-b:a",
                "160k",
                "-f",
                "mp3"
              ])
          )
          yield* objects.put(sampleKeyOf(id), { path: copy }, "audio/mpeg")
          return examined
        }
        const facts = purpose === "music" ? yield* factsOf(id, file, mono, folder) : null
        yield* told(60)
        // An agent's declaration comes later and is written into the files then.
        return yield* prepare
          .prepare({
            id: assetId,
            ...masteredAs[purpose],
            raw: sound,
            introEndMs: null,
            segueMs: null,
            synthetic
          })
          .pipe(
            Effect.map((asset): Examined => ({ ...examined, asset, facts })),
            Effect.catchTag("Unairable", (objection) =>
              Effect.succeed<Examined>({ ...examined, qc: refusedQc(qc, objection) })
            )
          )
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTag("DiskFault", (fault) => Effect.fail(unavailableFault(fault))),
          inTurn.withPermit
        )
    )

    const sha256 = Effect.fnUntraced(function* (key: string) {
      const bytes = yield* objects.read(key, null)
      if (bytes === null) return null
      const hash = createHash("sha256")
      yield* Stream.runForEach(bytes, (chunk) => Effect.sync(() => hash.update(chunk)))
      return hash.digest("hex")
    })

    const fingerprint = Effect.fnUntraced(
      function* (assetId: AssetId) {
        const mono = join(yield* workFolder(work), "mono.f32")
        const isDecoded = yield* runMediaJob(
          (command) =>
            command
              .input(prepare.listeningCopyOf(assetId))
              .output(mono)
              .outputOptions(["-ac", "1", "-ar", String(printRateHz), ...floats]),
          mediaJobTimeoutSec * 4
        ).pipe(
          Effect.provideService(Ffmpeg, tools),
          Effect.as(true),
          // A file that is gone or broken has no fingerprint; a disk that is full may have one later.
          Effect.catchTag("MediaJobFailed", ({ detail, reason }) =>
            reason === "failed" ? Effect.succeed(false) : Effect.fail(new MediaStoreUnavailable({ detail }))
          )
        )
        return isDecoded ? keptOf(yield* fingerprintOf(mono)) : null
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTag("DiskFault", (fault) => Effect.fail(unavailableFault(fault))),
          inTurn.withPermit
        )
    )

    const discard = (id: UploadId | SubmissionId, assetId: AssetId) =>
      Effect.andThen(
        objects.remove([incomingKeyOf(id), sampleKeyOf(id), `covers/${id}.webp`]),
        prepare.discard(assetId)
      )

    return UploadSound.of({ sha256, examine, fingerprint, discard })
  })
)
