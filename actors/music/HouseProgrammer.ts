import { Clock, Effect, Ref, Stream } from "effect"
import type { StagedSound } from "../../schema/air/Air.ts"
import type { AssetId, TrackId } from "../../schema/Ids.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Airable } from "../../schema/air/Rundown.ts"
import type { Asset } from "../../schema/Sound.ts"
import { Track } from "../../schema/music/Track.ts"
import { emergencySoundsMax, houseRetryMs, houseTriesMax } from "../../engine/rules/music/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import { type Composition, Music } from "../../engine/ports/Music.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { wallOf } from "../../engine/rules/time/WeekSchedule.ts"
import { houseId, type HouseWork, houseWorks } from "../../engine/rules/music/HouseCatalogue.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { HousePiecesWriter } from "../../engine/store/music/HousePieces.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"

export interface HouseOptions {
  readonly stationName: string
  readonly zone: string
  readonly seed: number
  /** Sets the sounds that must stay staged for the emergency library. */
  readonly pinned: (ids: ReadonlySet<AssetId>) => Effect.Effect<void>
  /** Called for each finished piece. */
  readonly made: (progress: {
    readonly name: string
    readonly done: number
    readonly total: number
  }) => Effect.Effect<void>
}

/** The track of a piece that the station composed. Beds have one to be named by, and are in no rotation. */
const trackOf = (
  seed: number,
  { artist, form, genre, name }: HouseWork & { readonly _tag: "Compose" },
  { id, lengthSamples }: Pick<Asset, "id" | "lengthSamples">,
  {
    bpm,
    musicalKey,
    title
  }: Pick<Composition, "title"> & { readonly [K in "bpm" | "musicalKey"]: Composition[K] | null },
  nowMs: number
) =>
  new Track({
    id: houseId("trk", seed, name) as TrackId,
    assetId: id,
    title,
    artist,
    genre,
    mood: null,
    category: form === "bed" ? "bed" : "instrumental",
    description: null,
    isInstrumental: true,
    lyrics: null,
    language: null,
    durationSec: lengthSamples / sampleRateHz,
    bpm,
    musicalKey,
    approvalStatus: "approved",
    approvalReason: null,
    remixable: true,
    source: "house",
    agentId: null,
    rotationClass: form === "bed" ? "bed" : "house",
    weight: 1,
    playCount: 0,
    lastPlayedAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs
  })

/**
 * Makes the station's beds, idents, hour calls, fillers and basic rotation, one at a time in the background. Continues after a restart;
 * failed pieces are retried later and block no others.
 */
export const houseProgrammer = Effect.fn("HouseProgrammer")(function* (options: HouseOptions) {
  const { seed, stationName, zone } = options
  const air = yield* Air
  const assets = yield* Assets
  const music = yield* Music
  const pieces = yield* HousePiecesWriter
  const prepare = yield* Prepare
  const speech = yield* Speech
  const tracks = yield* TracksWriter

  const emergency = yield* Ref.make<ReadonlyArray<StagedSound>>([])
  const voices = speech.voices
    .filter((voice) => voice.reserved)
    .concat(speech.voices.filter((voice) => !voice.reserved && !voice.claimable))
  const speakers = voices.length > 0 ? voices : speech.voices

  /** Adds one of the first pieces to the emergency library. */
  const keepForEmergency = Effect.fnUntraced(function* (asset: Asset) {
    const sounds = yield* Ref.get(emergency)
    if (sounds.length >= emergencySoundsMax || sounds.some((sound) => sound.assetId === asset.id)) return
    yield* prepare.stage(asset).pipe(
      Effect.flatMap((sound) => Ref.updateAndGet(emergency, (all) => [...all, sound])),
      Effect.tap((all) => options.pinned(new Set(all.map(({ assetId }) => assetId)))),
      Effect.flatMap(air.emergencyLibrary),
      Effect.catchTag("NotStaged", (error) =>
        Effect.logWarning(`house: ${asset.id} can't be kept for emergencies: ${error.reason}`)
      )
    )
  })

  yield* air.events.pipe(
    Stream.filter(({ _tag }) => _tag === "ChainRestarted"),
    Stream.runForEach(() => Effect.flatMap(Ref.get(emergency), air.emergencyLibrary)),
    Effect.forkScoped
  )

  const render = Effect.fnUntraced(function* (work: HouseWork) {
    const id = houseId("mas", seed, work.name)
    if (work._tag === "Say") {
      const voice = speakers[work.voice % speakers.length]!
      const raw = yield* speech.speak({ text: work.text, voiceId: voice.voiceId, role: "PRIMARY" })
      const asset = yield* prepare.prepare({
        id,
        kind: work.role === "ident" ? "ident" : "speech",
        raw,
        role: "HOUSE",
        introEndMs: null,
        segueMs: null,
        synthetic: markOf({ _tag: "Spoken", by: speech.generator, handle: null })
      })
      return { asset, composition: null }
    }
    const composition = yield* music.composeWhole({
      genre: work.genre,
      mood: null,
      form: work.form,
      durationSec: work.durationSec,
      seed: work.seed,
      bpm: null
    })
    const asset = yield* prepare.prepare({
      id,
      kind: work.form === "song" ? "music" : work.form,
      raw: composition,
      role: "HOUSE",
      introEndMs: composition.introEndMs,
      segueMs: composition.segueMs,
      synthetic: markOf({ _tag: "Composed" })
    })
    return { asset, composition }
  })

  const make = Effect.fnUntraced(function* (work: HouseWork) {
    const { asset, composition } = yield* render(work)
    yield* assets.save(asset)
    const plain = {
      assetId: asset.id,
      cue: asset.cue,
      segmentId: null,
      agentId: null,
      topic: null,
      validFromMs: null,
      validUntilMs: null
    }
    if (work._tag === "Say") {
      const bedAssetId = work.bed === null ? null : houseId("mas", seed, work.bed)
      const airable = new Airable({
        ...plain,
        role: work.role,
        title: work.title,
        artist: null,
        speech: true,
        bedAssetId,
        trackId: null,
        genre: null
      })
      yield* pieces.save({ name: work.name, hour: work.hour, airable })
    } else {
      const now = yield* Clock.currentTimeMillis
      const title = composition!.title
      const track = work.form === "sting" ? null : trackOf(seed, work, asset, composition!, now)
      if (track !== null) yield* tracks.save(track)
      // A sting only airs under an ident.
      yield* pieces.save({
        name: work.name,
        hour: null,
        airable: new Airable({
          ...plain,
          role: work.form === "bed" ? "bed" : "music",
          title,
          artist: work.artist,
          speech: false,
          bedAssetId: null,
          // A bed on the air is no play of its track.
          trackId: work.form === "song" ? track!.id : null,
          genre: work.genre
        })
      })
    }
    if (work._tag === "Say" ? work.role === "ident" : work.form !== "sting") yield* keepForEmergency(asset)
  })

  const hour = Math.floor(wallOf(zone, yield* Clock.currentTimeMillis) / 3_600_000) % 24
  const works = houseWorks(seed, stationName, hour)
  const made = yield* pieces.names
  const before = works.filter((work) => made.has(work.name))
  for (const asset of yield* assets.findMany(
    before
      .filter((work) => (work._tag === "Say" ? work.role === "ident" : work.form !== "sting"))
      .slice(0, emergencySoundsMax)
      .map((work) => houseId("mas", seed, work.name))
  ))
    yield* keepForEmergency(asset)

  // Beds that an earlier version made have no track yet.
  const beds = new Map((yield* pieces.byRole("bed")).map(({ airable, name }) => [name, airable] as const))
  for (const work of before) {
    const piece = beds.get(work.name)
    if (work._tag === "Say" || piece === undefined) continue
    const [asset] = yield* assets.findMany([piece.assetId])
    const described = { title: piece.title, bpm: null, musicalKey: null }
    if (asset !== undefined) yield* tracks.save(trackOf(seed, work, asset, described, yield* Clock.currentTimeMillis))
  }

  let done = before.length
  let open = works.filter((work) => !made.has(work.name))
  if (open.length > 0) yield* Effect.logInfo(`house: ${open.length} of ${works.length} pieces to make`)
  for (let tries = 1; open.length > 0 && tries <= houseTriesMax; tries++) {
    const failed: Array<HouseWork> = []
    for (const work of open) {
      const exit = yield* Effect.exit(make(work))
      if (exit._tag === "Failure") {
        if (exit.cause.reasons.some((reason) => reason._tag === "Interrupt")) return yield* Effect.interrupt
        failed.push(work)
        yield* Effect.logWarning(`house: ${work.name} failed, to be tried again`, exit.cause)
        continue
      }
      done++
      yield* Effect.logInfo(`house: made ${work.name} (${done} of ${works.length})`)
      yield* options.made({ name: work.name, done, total: works.length })
    }
    open = failed
    if (open.length > 0) yield* Effect.sleep(houseRetryMs * tries)
  }
  return { made: done, failed: open.map((work) => work.name) }
})
