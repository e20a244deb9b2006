import { Context, Effect, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import { Ingest } from "../../../engine/ports/Ingest.ts"
import { Outbound } from "../../../engine/ports/Outbound.ts"
import { type ByteRange, ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { MediaStoreUnavailable } from "../../../engine/ports/Prepare.ts"
import { incomingKeyOf, sampleKeyOf, UploadSound } from "../../../engine/ports/UploadSound.ts"
import { Qc, type QcCode } from "../../../schema/segments/Upload.ts"
import { Asset, type SoundFacts } from "../../../schema/Sound.ts"

/** Scripted results of the examination, and its requests. */
export class UploadScript extends Context.Service<
  UploadScript,
  {
    readonly examined: Array<string>
    readonly discarded: Array<string>
    /** Fingerprints of mastered sounds. */
    readonly prints: Map<string, Uint8Array>
    /** Tags and estimates of the next recordings. */
    facts: SoundFacts | null
    fault: "none" | "hangs" | "disk_full"
  }
>()("test/UploadScript") {
  static readonly layer = Layer.sync(UploadScript, () =>
    UploadScript.of({ examined: [], discarded: [], prints: new Map(), facts: null, fault: "none" })
  )
}

const qcOf = (failed: QcCode | null): Qc =>
  Qc.make({
    passed: failed === null,
    checks: [
      {
        code: failed ?? "decodes",
        passed: failed === null,
        measured: null,
        limit: null,
        detail: failed === null ? "It decodes." : "It does not."
      }
    ],
    loudnessLufs: -18,
    truePeakDbtp: -2,
    sampleRateHz: 44_100,
    channels: 2,
    bitrateKbps: 128,
    silenceSec: 0,
    clippedPct: 0
  })

/** What a recording with these bytes sounds like: only its beginning counts. */
export const printOf = (bytes: string | Uint8Array) =>
  createHash("sha256").update(Buffer.from(bytes).subarray(0, 60)).digest()

/** Recordings of 30 s that sound as their first 60 bytes say: those beginning with `bad` or `ID3bad` pass no check. */
export const ScriptedUploads = Layer.effect(
  UploadSound,
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const script = yield* UploadScript
    const bytesAt = Effect.fnUntraced(function* (key: string, range: ByteRange | null = null) {
      const found = yield* objects.read(key, range)
      return found === null ? null : Buffer.concat(yield* Stream.runCollect(found))
    })
    return UploadSound.of({
      sha256: (key) =>
        Effect.map(bytesAt(key), (bytes) => (bytes === null ? null : createHash("sha256").update(bytes).digest("hex"))),
      examine: Effect.fnUntraced(function* ({ findAlike, assetId, id, purpose, synthetic = null }) {
        script.examined.push(id)
        if (script.fault === "hangs") return yield* Effect.never
        if (script.fault === "disk_full") return yield* new MediaStoreUnavailable({ detail: "ENOSPC" })
        const bytes = (yield* bytesAt(incomingKeyOf(id)))!
        const fingerprint = printOf(bytes)
        if (/^(ID3)?bad/.test(bytes.subarray(0, 6).toString()))
          return { qc: qcOf("inner_silence"), durationSec: 30, fingerprint: null, asset: null }
        if (bytes.subarray(0, 7).toString() === "ID3shrt")
          return { qc: qcOf("duration"), durationSec: 5, fingerprint: null, asset: null }
        if ((yield* findAlike(30)).some((other) => fingerprint.equals(other)))
          return { qc: qcOf("copy"), durationSec: 30, fingerprint, asset: null }
        if (purpose === "sample") yield* objects.put(sampleKeyOf(id), { bytes }, "audio/mpeg")
        const samples = 30 * 48_000
        const asset =
          purpose === "sample"
            ? null
            : Asset.make({
                id: assetId,
                kind: purpose,
                lengthSamples: samples,
                pcmSha256: "0".repeat(64),
                loudness: { integratedLufs: -16, truePeakDbtp: -1.5, rangeLu: 3 },
                cue: { cueIn: 0, introEnd: 0, segue: samples, cueOut: samples },
                envelope: new Uint8Array([1, 2, 3]),
                peaks: [],
                words: [],
                synthetic
              })
        return { qc: qcOf(null), durationSec: 30, fingerprint, asset, facts: script.facts }
      }),
      fingerprint: (assetId) => Effect.succeed(script.prints.get(assetId) ?? null),
      discard: (id) =>
        Effect.andThen(
          Effect.sync(() => void script.discarded.push(id)),
          objects.remove([incomingKeyOf(id), sampleKeyOf(id)])
        )
    })
  })
)

/** A world without uploads. */
export const NoUploads = Layer.mergeAll(Layer.mock(ObjectStore)({}), Layer.mock(UploadSound)({}))

const dieOnFetch = () => Effect.die(new Error("nothing is fetched in this world"))
/** For a world whose agents upload no tracks. */
export const NoFetches = Layer.mergeAll(
  Layer.succeed(Outbound, Outbound.of({ check: dieOnFetch, ask: dieOnFetch, fetch: dieOnFetch })),
  Layer.succeed(Ingest, Ingest.of({ ingest: dieOnFetch }))
)
