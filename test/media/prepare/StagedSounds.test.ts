import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  symlink,
  truncate,
  utimes,
  writeFile
} from "node:fs/promises"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { diskObjects } from "../../../media/storage/DiskObjects.ts"
import { mediaDisk, unlimited } from "../../../media/storage/MediaDisk.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import type { AssetId } from "../../../schema/Ids.ts"
import { Asset, Loudness, type SoundKind } from "../../../schema/Sound.ts"
import { assetId, prepareIn, synthesize, temporaryFolder } from "../../support/media/Media.ts"
import { removeDisk, smallDisk, turnDisk } from "../../support/runtime/SmallDisk.ts"
import { speakAndStage, WholeChain } from "../../support/media/WholeChain.ts"

const later = <A>(work: () => Promise<A>) => Effect.promise(work)
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const chime = synthesize(1, (t) => 0.4 * Math.exp(-3 * t) * Math.sin(2 * Math.PI * 660 * t), 44_100, 2)

const shop = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const store = yield* prepareIn(folder, 400_000)
  const make = (id = assetId()) =>
    store.prepare({ id, kind: "sting", raw: chime, role: "HOUSE", introEndMs: null, segueMs: null, synthetic: null })
  return { folder, store, make, paths: mediaPaths(folder) }
})

describe("staging", () => {
  it.live("writes exactly the mastered bytes", () =>
    Effect.gen(function* () {
      const { make, store } = yield* shop
      const asset = yield* make()
      const sound = yield* store.stage(asset)
      const bytes = yield* later(() => readFile(sound.path))
      expect(sha256(bytes)).toBe(asset.pcmSha256)
      expect(bytes.length).toBe(asset.lengthSamples * 4)
      expect(sound).toMatchObject({
        assetId: asset.id,
        lengthSamples: 48_000,
        pcmSha256: asset.pcmSha256,
        cue: asset.cue,
        gainDb: 0
      })
      // The same sound prepared again is another asset with the same bytes.
      expect((yield* make()).pcmSha256).toBe(asset.pcmSha256)
    }).pipe(Effect.scoped)
  )

  it.live("airs speech that was mastered to music's loudness at that of speech, from the same bytes", () =>
    Effect.gen(function* () {
      const { make, store } = yield* shop
      const chime = yield* make()
      const at = (kind: SoundKind, integratedLufs: number) =>
        Effect.map(
          store.stage(new Asset({ ...chime, kind, loudness: new Loudness({ ...chime.loudness, integratedLufs }) })),
          ({ gainDb, pcmSha256 }) => [gainDb, pcmSha256 === chime.pcmSha256]
        )
      expect(yield* at("speech", -16.2)).toEqual([-1.8, true])
      expect(yield* at("ident", -15.6)).toEqual([-2.4, true])
      expect(yield* at("speech", -17.6)).toEqual([0, true])
      // Never louder: its peaks were limited at this level.
      expect(yield* at("speech", -20)).toEqual([0, true])
      expect(yield* at("music", -16.3)).toEqual([0, true])
    }).pipe(Effect.scoped)
  )

  it.live("does nothing twice, and checks again after a change", () =>
    Effect.gen(function* () {
      const { folder, make, store } = yield* shop
      const asset = yield* make()
      const { path } = yield* store.stage(asset)
      const before = yield* later(() => stat(path))
      yield* Effect.all([store.stage(asset), store.stage(asset), store.stage(asset)], { concurrency: 3 })
      expect((yield* later(() => stat(path))).mtimeMs).toBe(before.mtimeMs)
      // Another process, or a restarted one, takes the files there after hashing them.
      const again = yield* prepareIn(folder)
      yield* again.stage(asset)
      expect((yield* later(() => stat(path))).ino).toBe(before.ino)
      yield* later(() => writeFile(path, Buffer.alloc(before.size, 7)))
      expect(sha256(yield* later(() => readFile(path)))).not.toBe(asset.pcmSha256)
      yield* store.stage(asset)
      expect(sha256(yield* later(() => readFile(path)))).toBe(asset.pcmSha256)
      expect((yield* later(() => readdir(join(folder, "staged")))).length).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("names the reason of a failure (F8)", () =>
    Effect.gen(function* () {
      const { make, paths, store } = yield* shop
      const [asset, other] = [
        yield* make(),
        yield* store.prepare({
          id: assetId(),
          kind: "sting",
          raw: synthesize(1, (t) => 0.3 * Math.sin(2 * Math.PI * 500 * t)),
          role: "HOUSE",
          introEndMs: null,
          segueMs: null,
          synthetic: null
        })
      ]
      const flac = paths.masterOf(asset.id)
      const reason = Effect.map(Effect.flip(store.stage(asset)), (refused) => refused.reason)
      const whole = yield* later(() => readFile(flac))
      yield* later(() => copyFile(paths.masterOf(other.id), flac))
      expect(yield* reason).toBe("wrong_hash")
      yield* later(() => writeFile(flac, whole.subarray(0, whole.length - 2000)))
      expect(yield* reason).toBe("truncated")
      yield* later(() => truncate(flac, 0))
      expect(yield* reason).toBe("truncated")
      yield* later(() => writeFile(flac, "this is no FLAC at all"))
      expect(yield* reason).toBe("truncated")
      yield* later(() => rm(flac))
      expect(yield* reason).toBe("missing")
      expect(yield* later(() => readdir(paths.staged).catch(() => []))).toEqual([])
      yield* later(() => writeFile(flac, whole))
      yield* store.stage(asset)
    }).pipe(Effect.scoped)
  )

  it.live("names a failing disk, and recovers with it (F7)", () =>
    Effect.gen(function* () {
      const { make, paths, store } = yield* shop
      const asset = yield* make()
      yield* later(() => writeFile(paths.staged, "in the way"))
      expect((yield* Effect.flip(store.stage(asset))).reason).toBe("disk")
      yield* later(() => rm(paths.staged))
      yield* store.stage(asset)
    }).pipe(Effect.scoped)
  )

  it.live("removes the longest unused first, and never a protected one", () =>
    Effect.gen(function* () {
      const { make, paths, store } = yield* shop
      const assets = yield* Effect.forEach([1, 2, 3, 4], () => make())
      for (const [index, asset] of assets.entries()) {
        const { path } = yield* store.stage(asset)
        // The folder is limited to 400 kB and each sound has 192 kB.
        yield* later(() => utimes(path, 1_000 + index, 1_000 + index))
      }
      const fresh = yield* prepareIn(join(paths.staged, ".."), 400_000)
      expect(yield* fresh.purgeStaged(new Set([assets[0]!.id]))).toBe(2)
      expect(assets.map(({ id }) => existsSync(paths.stagedOf(id)))).toEqual([true, false, false, true])
      expect(yield* fresh.purgeStaged(new Set())).toBe(0)
      expect(yield* fresh.purgeStaged(new Set<AssetId>(assets.map(({ id }) => id)))).toBe(0)
      yield* Effect.forEach(assets, fresh.stage)
      expect(yield* fresh.purgeStaged(new Set<AssetId>(assets.map(({ id }) => id)))).toBe(0)
    }).pipe(Effect.scoped)
  )
})

it.layer(WholeChain, { excludeTestServices: true })("a spoken line, staged", (it) => {
  it.effect("has its words at their times", () =>
    Effect.gen(function* () {
      const { asset, sound } = yield* speakAndStage("The harbour. [pause 1s] The light.")
      const bytes = yield* later(() => readFile(sound.path))
      expect(sha256(bytes)).toBe(asset.pcmSha256)
      const levelAt = (fromMs: number, toMs: number) => {
        let sum = 0
        for (let i = fromMs * 48; i < toMs * 48; i++) sum += (bytes.readInt16LE(i * 4) / 32_768) ** 2
        return 10 * Math.log10(sum / ((toMs - fromMs) * 48) + 1e-12)
      }
      for (const { startMs, endMs } of asset.words) expect(levelAt(startMs, endMs)).toBeGreaterThan(-35)
      const [, harbour, the] = asset.words
      expect(the!.startMs - harbour!.endMs).toBeGreaterThanOrEqual(990)
      expect(levelAt(harbour!.endMs + 100, the!.startMs - 50)).toBeLessThan(-60)
    })
  )
})

describe("a disk that turns read-only (F7)", () => {
  it.live("keeps staged sounds on the air, refuses clearly, and continues once it is writable", (context) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      if (!smallDisk(folder, 2)) return context.skip("no tmpfs can be mounted here")
      const turn = (access: "ro" | "rw") => Effect.sync(() => turnDisk(folder, access))
      yield* Effect.gen(function* () {
        const store = yield* prepareIn(folder)
        const paths = mediaPaths(folder)
        const objects = diskObjects(paths.media, yield* mediaDisk(paths.media, unlimited))
        const make = () =>
          store.prepare({
            id: assetId(),
            kind: "sting",
            raw: chime,
            role: "HOUSE",
            introEndMs: null,
            segueMs: null,
            synthetic: null
          })
        const receive = (key: string) => objects.receive(key, Stream.make(Buffer.from("harbour")), 7)
        const [staged, waiting] = [yield* make(), yield* make()]
        yield* store.stage(staged)
        yield* receive("uploads/a")
        yield* turn("ro")
        expect(yield* Effect.flip(make())).toMatchObject({ _tag: "MediaStoreUnavailable" })
        expect(yield* Effect.flip(receive("uploads/b"))).toMatchObject({
          _tag: "ObjectsUnavailable",
          detail: expect.stringContaining("EROFS")
        })
        expect(yield* Effect.flip(objects.remove(["uploads/a"]))).toMatchObject({ _tag: "ObjectsUnavailable" })
        expect((yield* Effect.flip(store.stage(waiting))).reason).toBe("disk")
        const sound = yield* store.stage(staged)
        expect(sha256(yield* later(() => readFile(sound.path)))).toBe(staged.pcmSha256)
        expect(yield* objects.size("uploads/a")).toBe(7)
        yield* turn("rw")
        yield* make()
        yield* store.stage(waiting)
        yield* receive("uploads/b")
        expect((yield* later(() => readdir(join(paths.media, "uploads")))).sort()).toEqual(["a", "b"])
        expect(yield* later(() => readdir(paths.work))).toEqual([])
      }).pipe(Effect.ensuring(Effect.sync(() => removeDisk(folder))))
    }).pipe(Effect.scoped)
  )
})

describe("an unreadable disk (F7)", () => {
  // Reading the first page of a process's memory fails with EIO, as a broken disk does.
  const broken = "/proc/self/mem"

  it.live.skipIf(!existsSync(broken))("gives no sound, and recovers with the file (EIO)", () =>
    Effect.gen(function* () {
      const { make, paths, store } = yield* shop
      const asset = yield* make()
      const objects = diskObjects(paths.media, yield* mediaDisk(paths.media, unlimited))
      yield* store.stage(asset)
      const [pcm, key] = [paths.stagedOf(asset.id), `${asset.id}.mp3`]
      yield* later(async () => {
        await rm(pcm)
        await symlink(broken, pcm)
      })
      // Decoded again from its master.
      const sound = yield* store.stage(asset)
      expect(sha256(yield* later(() => readFile(sound.path)))).toBe(asset.pcmSha256)
      yield* later(async () => {
        await rename(join(paths.media, key), join(paths.media, "aside"))
        await symlink(broken, join(paths.media, key))
      })
      const read = Effect.flatMap(objects.read(key, null), (bytes) => Stream.runDrain(bytes!))
      expect(yield* Effect.flip(read)).toMatchObject({
        _tag: "ObjectsUnavailable",
        detail: expect.stringContaining("EIO")
      })
      yield* later(() => rename(join(paths.media, "aside"), join(paths.media, key)))
      yield* read
    }).pipe(Effect.scoped)
  )
})

describe("a full disk (F7)", () => {
  it.live(
    "refuses what doesn't fit, keeps no part of it, and continues when there is room",
    (context) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        if (!smallDisk(folder, 2)) return context.skip("no tmpfs can be mounted here")
        yield* Effect.gen(function* () {
          const store = yield* prepareIn(folder)
          const paths = mediaPaths(folder)
          const ask = (seconds: number) =>
            ({
              id: assetId(),
              kind: "music",
              role: "HOUSE",
              introEndMs: null,
              segueMs: null,
              synthetic: null,
              raw: synthesize(
                seconds,
                (t, i) => 0.2 * Math.sin(2 * Math.PI * 440 * t) + 0.1 * Math.sin(i * i),
                48_000,
                2
              )
            }) as const
          expect(yield* Effect.flip(store.prepare(ask(20)))).toMatchObject({ _tag: "MediaStoreUnavailable" })
          expect(yield* later(() => readdir(paths.media))).toEqual([".work"])
          expect(yield* later(() => readdir(paths.work))).toEqual([])
          const asset = yield* store.prepare(ask(1.5))
          yield* later(() => mkdir(join(folder, "ballast")))
          yield* later(() =>
            statfs(folder).then(({ bavail, bsize }) =>
              writeFile(join(folder, "ballast", "a"), Buffer.alloc(bavail * bsize - 100_000))
            )
          )
          expect((yield* Effect.flip(store.stage(asset))).reason).toBe("disk")
          yield* later(() => rm(join(folder, "ballast"), { recursive: true }))
          yield* store.stage(asset)
        }).pipe(Effect.ensuring(Effect.sync(() => removeDisk(folder))))
      }).pipe(Effect.scoped),
    300_000
  )
})
