import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { databaseAt } from "../../../engine/store/sql/Database.ts"
import { embeddedPostgres } from "../../../engine/store/sql/EmbeddedPostgres.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { makePrepare } from "../../../media/prepare/Prepare.ts"
import { makeId } from "../../../schema/Ids.ts"
import { pause } from "../Children.ts"
import type { KnownSound } from "../ears/HeardAndLogged.ts"
import { type CutProxy, startCutProxy } from "./CutProxy.ts"
import { freePort, type RunningStation, runInFolder, startStation } from "./Station.ts"

/** Twenty tones a second, different for each song and at every moment: a piece of one is found in no other place. */
export const tuneOf = (seed: number, seconds: number): Float32Array<ArrayBuffer> => {
  const out = new Float32Array(seconds * 48_000)
  let state = Math.imul(seed, 0x9e3779b9)
  let [phase, hz] = [0, 0]
  for (let at = 0; at < out.length; at++) {
    if (at % 2_400 === 0) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      hz = 150 + ((state >>> 0) % 500)
    }
    phase += (2 * Math.PI * hz) / 48_000
    out[at] = 0.3 * Math.sin(phase)
  }
  return out
}

/** Two processes of one station, on one Postgres, with one folder of media. */
export interface StationPair {
  readonly names: readonly ["a", "b"]
  readonly databaseUrl: string
  /** The songs of the library. */
  readonly songs: ReadonlyArray<KnownSound>
  /** The process of this name; it may have ended. */
  readonly station: (name: "a" | "b") => RunningStation
  readonly baseOf: (name: "a" | "b") => string
  readonly start: (name: "a" | "b", env?: Record<string, string>) => Promise<RunningStation>
  /** The sources that the process is started from next; null for this version. */
  readonly useVersion: (name: "a" | "b", root: string | null) => void
  /** Waits until the process answers for the station. */
  readonly awaitReady: (name: "a" | "b") => Promise<void>
  /** Waits until the process could take the air without a gap. */
  readonly awaitInStep: (name: "a" | "b") => Promise<void>
  /** The network between the process and the database. */
  readonly networkOf: (name: "a" | "b") => Pick<CutProxy, "cut" | "mend">
  readonly sql: <A, E>(ask: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) => Promise<A>
}

const waitMaxMs = 240_000
export const until = async <A>(what: string, ask: () => Promise<A | undefined>, everyMs = 50): Promise<A> => {
  let met: unknown
  for (const sinceMs = performance.now(); performance.now() - sinceMs < waitMaxMs; await pause(everyMs)) {
    const answer = await ask().catch((error: unknown) => void (met = error))
    if (answer !== undefined) return answer
  }
  throw new Error(`in vain: ${what}`, { cause: met })
}

/** Songs of the library, mastered like all aired sound. */
const plantSongs = (media: string, url: Redacted.Redacted, count: number, seconds: number) =>
  Effect.gen(function* () {
    const prepare = yield* makePrepare(media)
    const assets = yield* Assets
    const sql = yield* SqlClient.SqlClient
    const songs: Array<KnownSound> = []
    for (let n = 1; n <= count; n++) {
      const pcm = tuneOf(n, seconds)
      const asset = yield* prepare.prepare({
        id: makeId("mas", n, randomBytes(10)),
        kind: "music",
        raw: { sampleRateHz: 48_000, channels: [pcm], words: [] },
        role: "HOUSE",
        introEndMs: null,
        segueMs: null,
        synthetic: null
      })
      yield* assets.save(asset)
      yield* sql`
        INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, created_at, updated_at)
        VALUES (${makeId("trk", n, randomBytes(10))}, ${asset.id}, ${`Song ${n}`}, ${`Band ${n}`}, 'jazz', 'song', true, ${seconds}, 'approved', 'house', 'house', now(), now())`
      songs.push({ assetId: asset.id, pcm: pcm.subarray(asset.cue.cueIn) })
    }
    return songs
  }).pipe(Effect.provide(Layer.mergeAll(Assets.layer.pipe(Layer.provideMerge(databaseAt(url))), ffmpegLayer(null))))

/**
 * Runs `use` beside a database with songs; the processes are started by it. `formerRoot`: `a` already runs from the sources of a former version, and has
 * made the database, which this version has migrated since.
 */
export const runOnPair = <A>(
  env: Record<string, string>,
  use: (pair: StationPair) => Promise<A>,
  formerRoot: string | null = null
): Promise<A> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const database = yield* embeddedPostgres(join(folder, "postgres"), "off")
        const url = Redacted.value(database)
        const shared = join(folder, "shared")
        for (const part of ["keys", "media"]) mkdirSync(join(shared, part), { recursive: true })
        const secret = randomBytes(32).toString("hex")
        const dataDirOf = (name: string) => join(folder, name)
        for (const name of ["a", "b"]) {
          mkdirSync(dataDirOf(name))
          // The media and the keys of a station are the same for all of its processes.
          for (const part of ["media", "keys"]) symlinkSync(join(shared, part), join(dataDirOf(name), part))
        }
        const ports = new Map<string, { readonly http: number; readonly peer: number }>()
        for (const name of ["a", "b"])
          ports.set(name, {
            http: yield* Effect.promise(freePort),
            peer: yield* Effect.promise(freePort)
          })
        const networks = new Map<string, CutProxy>()
        for (const name of ["a", "b"])
          networks.set(
            name,
            yield* Effect.acquireRelease(
              Effect.promise(() => startCutProxy(url)),
              (network) => Effect.promise(network.close)
            )
          )
        const running = new Map<string, RunningStation>()
        const roots = new Map<string, string | null>([["a", formerRoot]])
        const station = (name: "a" | "b") => running.get(name)!
        const start: StationPair["start"] = async (name, more = {}) => {
          const { http, peer } = ports.get(name)!
          const started = await startStation({
            dataDir: dataDirOf(name),
            port: http,
            ...(roots.get(name) == null ? {} : { root: roots.get(name)! }),
            env: {
              HOUSE_PROGRAMME: "off",
              HOUSE_READS: "off",
              DATABASE_URL: networks.get(name)!.url,
              CLUSTER_HOST: "127.0.0.1",
              CLUSTER_PORT: String(peer),
              CLUSTER_SECRET: secret,
              ...env,
              ...more
            }
          })
          running.set(name, started)
          return started
        }
        yield* Effect.addFinalizer(() =>
          Effect.promise(() => Promise.all([...running.values()].map((one) => one.stop("SIGKILL"))))
        )
        const awaitReady: StationPair["awaitReady"] = async (name) => {
          await until(`${name} is ready`, async () =>
            (await fetch(`http://127.0.0.1:${ports.get(name)!.http}/readyz`)).ok ? true : undefined
          )
        }
        if (formerRoot !== null) {
          yield* Effect.promise(() => start("a"))
          yield* Effect.promise(() => awaitReady("a"))
        }
        const context = yield* Effect.context<never>()
        const sqlContext = yield* Layer.build(databaseAt(database))
        const songs = yield* plantSongs(shared, database, 8, 30)
        return yield* Effect.promise(() =>
          use({
            names: ["a", "b"],
            databaseUrl: url,
            songs,
            station,
            baseOf: (name) => `http://127.0.0.1:${ports.get(name)!.http}`,
            start,
            useVersion: (name, root) => void roots.set(name, root),
            awaitReady,
            awaitInStep: async (name) => {
              await until(`${name} is in step`, async () =>
                /^longwave_standby_ready 1$/m.test(
                  await (await fetch(`http://127.0.0.1:${ports.get(name)!.http}/metrics`)).text()
                )
                  ? true
                  : undefined
              )
            },
            networkOf: (name) => networks.get(name)!,
            sql: (ask) =>
              Effect.runPromiseWith(context)(
                Effect.provideContext(Effect.flatMap(SqlClient.SqlClient, ask), sqlContext)
              )
          })
        )
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  )
