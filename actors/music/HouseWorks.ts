import { Clock, Effect } from "effect"
import type { TrackId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { Voice } from "../../schema/voices/Voice.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Airable } from "../../schema/air/Rundown.ts"
import { Track } from "../../schema/music/Track.ts"
import { type Composition, Music } from "../../engine/ports/Music.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { houseId, type HouseWork, chooseSongAhead } from "../../engine/rules/music/HouseCatalogue.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { HousePiecesWriter } from "../../engine/store/music/HousePieces.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"

/** The track of a piece that the station composed. A bed's track only gives it a name and isn't in the rotation. */
export const houseTrack = (
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

/** The voice of the station: its reserved voices in turn, else any that no agent can claim. */
export const houseSpeaker = (all: Speech["Service"]["voices"], turn: number): Voice => {
  const voices = all
    .filter((voice) => voice.reserved)
    .concat(all.filter((voice) => !voice.reserved && !voice.claimable))
  const speakers = voices.length > 0 ? voices : all
  return speakers[turn % speakers.length]!
}

/** Its sound; of music also what is known from its composition. */
const render = Effect.fnUntraced(function* (work: HouseWork, seed: number) {
  const music = yield* Music
  const prepare = yield* Prepare
  const speech = yield* Speech
  const id = houseId("mas", seed, work.name)
  if (work._tag === "Say") {
    const voice = houseSpeaker(speech.voices, work.voice)
    const raw = yield* speech.speak({ text: work.text, voiceId: voice.voiceId, role: "PRIMARY" })
    const asset = yield* prepare.prepare({
      id,
      kind: work.role === "ident" ? "ident" : "speech",
      raw,
      role: "HOUSE",
      introEndMs: null,
      segueMs: null,
      synthetic: markOf({ _tag: "Spoken", by: raw.by, handle: null })
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

/** Makes one work of the house and stores it. Making it again under its name changes nothing. */
export const makeHouseWork = Effect.fnUntraced(function* (work: HouseWork, seed: number) {
  const pieces = yield* HousePiecesWriter
  const { asset, composition } = yield* render(work, seed)
  yield* (yield* Assets).save(asset)
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
    const track = work.form === "sting" ? null : houseTrack(seed, work, asset, composition!, now)
    if (track !== null) yield* (yield* TracksWriter).save(track)
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
        // An aired bed doesn't count as a play of its track.
        trackId: work.form === "song" ? track!.id : null,
        genre: work.genre
      })
    })
  }
  return asset
})

/** Composes one more song for a plan that misses `gapSec` of music. "wait": the house makes its own songs first. "enough": it may compose no more. */
export const composeSongAhead = Effect.fnUntraced(function* (missing: {
  readonly gapSec: number
  readonly genres: ReadonlyArray<string>
}) {
  const { houseSeed } = yield* StationConfig
  const song = chooseSongAhead(houseSeed, yield* (yield* HousePiecesWriter).names, missing)
  if (song === null) return "enough"
  if (song === "wait") return "wait"
  yield* makeHouseWork(song, houseSeed)
  return "composed"
})
