import { Clock, Effect, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, readdir, rename, rm, stat, statfs } from "node:fs/promises"
import { join } from "node:path"
import {
  masteredLufs,
  mediaJobsMax,
  programmeLuTolerance,
  stagedMaxBytes,
  stagedReserveBytes
} from "../../engine/rules/sound/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { NotStaged } from "../../engine/ports/Prepare.ts"
import { StagedSound } from "../../schema/air/Air.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { airGainDb, type Asset } from "../../schema/Sound.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, hashFile, workFolder } from "../storage/MediaStore.ts"
import type { MediaPaths } from "../storage/MediaStore.ts"

const frameBytes = channelsCount * 2
const suffix = ".pcm"
const unfinished = ".part-"

/** Decodes a FLAC master to the bytes the mixer reads. */
export const decodeMaster = (from: string, to: string) =>
  runMediaJob((command) =>
    command
      .input(from)
      .noVideo()
      .output(to)
      .outputOptions(["-f", "s16le", "-c:a", "pcm_s16le", "-ar", String(sampleRateHz), "-ac", String(channelsCount)])
  )

/** Proof that a staged file was verified: its size and time are unchanged. */
interface Proof {
  readonly sha256: string
  readonly bytes: number
  readonly mtimeMs: number
}

const refuse = (id: AssetId, reason: NotStaged["reason"]) => new NotStaged({ assetId: id, reason })

/** Decodes masters to PCM on local disk ahead of time, so that nothing is decoded at the border of two items. */
export const makeStaging = Effect.fnUntraced(function* (
  paths: MediaPaths,
  maxBytes = stagedMaxBytes - stagedReserveBytes
) {
  const proofs = new Map<AssetId, Proof>()
  const lastUseMs = new Map<string, number>()
  const atOnce = yield* Semaphore.make(mediaJobsMax)
  // Half-decoded leftovers of a crash.
  yield* Effect.ignore(
    disk(async () => {
      for (const name of await readdir(paths.staged))
        if (name.includes(unfinished)) await rm(join(paths.staged, name), { force: true })
    })
  )

  const sound = (asset: Asset) =>
    new StagedSound({
      assetId: asset.id,
      path: paths.stagedOf(asset.id),
      lengthSamples: asset.lengthSamples,
      pcmSha256: asset.pcmSha256,
      cue: asset.cue,
      envelope: asset.envelope,
      gainDb: airGainDb(asset.loudness.integratedLufs, masteredLufs[asset.kind], programmeLuTolerance)
    })

  const remember = Effect.fnUntraced(function* (id: AssetId, sha256: string) {
    const { size, mtimeMs } = yield* disk(() => stat(paths.stagedOf(id)))
    proofs.set(id, { sha256, bytes: size, mtimeMs })
  })

  /** True if the right bytes are already there: by proof, or by comparing each of them. */
  const isAlreadyThere = Effect.fnUntraced(
    function* (asset: Asset) {
      const path = paths.stagedOf(asset.id)
      const found = yield* disk(() => stat(path)).pipe(Effect.orElseSucceed(() => null))
      if (found === null || found.size !== asset.lengthSamples * frameBytes) return false
      const proof = proofs.get(asset.id)
      if (
        proof !== undefined &&
        proof.sha256 === asset.pcmSha256 &&
        proof.bytes === found.size &&
        proof.mtimeMs === found.mtimeMs
      )
        return true
      const { sha256 } = yield* hashFile(path)
      if (sha256 !== asset.pcmSha256) return false
      yield* remember(asset.id, sha256)
      return true
    },
    Effect.orElseSucceed(() => false)
  )

  const decode = Effect.fnUntraced(function* (asset: Asset) {
    const from = paths.masterOf(asset.id)
    const size = yield* disk(() => stat(from)).pipe(
      Effect.map((found) => found.size),
      Effect.mapError(({ code }) => refuse(asset.id, code === "ENOENT" ? "missing" : "disk"))
    )
    if (size === 0) return yield* refuse(asset.id, "truncated")
    // Staged files may be on another disk, so the finished file is moved within it.
    const to = join(paths.staged, `${asset.id}${unfinished}${randomBytes(6).toString("hex")}`)
    yield* Effect.gen(function* () {
      yield* disk(() => mkdir(paths.staged, { recursive: true }))
      yield* decodeMaster(from, to)
      const { sha256, bytes } = yield* hashFile(to)
      const missing = asset.lengthSamples * frameBytes - bytes
      if (missing > 0) {
        const { bavail, bsize } = yield* disk(() => statfs(paths.staged))
        return yield* refuse(asset.id, bavail * bsize < missing ? "disk" : "truncated")
      }
      if (sha256 !== asset.pcmSha256) return yield* refuse(asset.id, "wrong_hash")
      yield* disk(() => rename(to, paths.stagedOf(asset.id)))
      yield* remember(asset.id, sha256)
    }).pipe(
      Effect.catchTags({
        DiskFault: () => Effect.fail(refuse(asset.id, "disk")),
        // A master that can't be decoded was cut off or overwritten, unless the disk reports otherwise.
        MediaJobFailed: ({ reason }) => Effect.fail(refuse(asset.id, reason === "failed" ? "truncated" : "disk"))
      }),
      Effect.ensuring(Effect.ignore(disk(() => rm(to, { force: true }))))
    )
  }, atOnce.withPermit)

  const stage = Effect.fnUntraced(function* (asset: Asset) {
    lastUseMs.set(`${asset.id}${suffix}`, yield* Clock.currentTimeMillis)
    if (!(yield* isAlreadyThere(asset))) yield* decode(asset)
    return sound(asset)
  })

  const purge = Effect.fnUntraced(
    function* (keep: ReadonlySet<AssetId>) {
      const files = yield* disk(async () => {
        const names = (await readdir(paths.staged)).filter((name) => name.endsWith(suffix))
        return Promise.all(
          names.map(async (name) => {
            const { size, mtimeMs } = await stat(join(paths.staged, name))
            return { name, size, usedMs: Math.max(lastUseMs.get(name) ?? 0, mtimeMs) }
          })
        )
      })
      let bytes = files.reduce((sum, { size }) => sum + size, 0)
      let removed = 0
      for (const { name, size } of files.sort((a, b) => a.usedMs - b.usedMs)) {
        if (bytes <= maxBytes) break
        const id = name.slice(0, -suffix.length) as AssetId
        if (keep.has(id)) continue
        yield* disk(() => rm(join(paths.staged, name), { force: true }))
        proofs.delete(id)
        lastUseMs.delete(name)
        bytes -= size
        removed++
      }
      return removed
    },
    Effect.orElseSucceed(() => 0)
  )

  return { stage, sound, purge }
})

/** Decodes a master again and compares hashes: only a verified asset is kept. */
export const hashOfMaster = Effect.fnUntraced(function* (paths: MediaPaths, master: string) {
  const folder = yield* workFolder(paths)
  const pcm = join(folder, "check.pcm")
  yield* decodeMaster(master, pcm)
  return (yield* hashFile(pcm)).sha256
}, Effect.scoped)
