import { Effect, Layer } from "effect"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import type { MusicAsk } from "../../../engine/ports/Music.ts"
import type { RawSound } from "../../../engine/ports/Speech.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import { genres } from "../../../media/music/composer/Genres.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { makeMusic } from "../../../media/music/Music.ts"
import { makePrepare } from "../../../media/prepare/Prepare.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { houseVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import { StagedSound } from "../../../schema/air/Air.ts"
import { AssetId } from "../../../schema/Ids.ts"
import { CuePoints, type SoundKind } from "../../../schema/Sound.ts"

export const crossSec = 4

export const ulid = (n: number) => n.toString().padStart(26, "0")

const spoken =
  "This is the reference programme. Six songs cross into each other, and after every third of them somebody speaks over a bed, as long as an announcement takes."

export interface ReferenceSounds {
  readonly songs: ReadonlyArray<StagedSound>
  readonly voice: StagedSound
  readonly bed: StagedSound
}

/** Sounds of a station, made by its own engines: composed, spoken, mastered, and staged as PCM. */
export const referenceSounds = (folder: string, songsCount: number, songSec: number): Promise<ReferenceSounds> =>
  Effect.gen(function* () {
    const music = yield* makeMusic(new URL("../../../media/music/MusicWorker.ts", import.meta.url), 600, folder)
    const prepare = yield* makePrepare(folder)
    let made = 0
    const stage = Effect.fnUntraced(function* (kind: SoundKind, raw: RawSound) {
      const asset = yield* prepare.prepare({
        id: AssetId.make(`mas_${ulid(made++)}`),
        kind,
        raw,
        role: "HOUSE",
        introEndMs: null,
        segueMs: null,
        synthetic: null
      })
      const { cueIn, cueOut } = asset.cue
      return new StagedSound({
        ...(yield* prepare.stage(asset)),
        cue: new CuePoints({ ...asset.cue, segue: Math.max(cueIn, cueOut - crossSec * sampleRateHz) })
      })
    })
    const song = Effect.fnUntraced(function* (form: MusicAsk["form"], n: number, durationSec: number) {
      return yield* stage(
        form === "song" ? "music" : "bed",
        yield* music.composeWhole({
          genre: genres[n % genres.length]!,
          mood: null,
          form,
          durationSec,
          seed: n + 1,
          bpm: null
        })
      )
    })
    const songs = yield* Effect.forEach(
      Array.from({ length: songsCount }, (_, n) => n),
      (n) => song("song", n, songSec)
    )
    const bed = yield* song("bed", songsCount, Math.min(30, songSec))
    const raw = yield* Effect.flatMap(Speech, ({ speak }) =>
      speak({ text: spoken, voiceId: houseVoiceId, role: "PRIMARY" })
    )
    return { songs, bed, voice: yield* stage("speech", raw) }
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(EmbeddedSpeech, ffmpegLayer(null))), Effect.runPromise)
