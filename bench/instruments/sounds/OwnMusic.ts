import { Effect } from "effect"
import { makeMusic } from "../../../media/music/Music.ts"
import { runFfmpeg } from "../ears/Decode.ts"

/** An MP3 as an agent or a listener brings it, with tags: music that the station doesn't have. */
export const makeMp3 = (
  folder: string,
  {
    durationSec,
    genre,
    seed,
    title
  }: { readonly durationSec: number; readonly genre: string; readonly seed: number; readonly title: string }
): Promise<Uint8Array> =>
  Effect.gen(function* () {
    const music = yield* makeMusic(new URL("../../../media/music/MusicWorker.ts", import.meta.url), 600, folder)
    const { channels, sampleRateHz } = yield* music.composeWhole({
      genre,
      mood: null,
      form: "song",
      durationSec,
      seed,
      bpm: null
    })
    const [left, right] = [channels[0]!, channels.at(-1)!]
    const pcm = new Float32Array(left.length * 2)
    for (let i = 0; i < left.length; i++) {
      pcm[2 * i] = left[i]!
      pcm[2 * i + 1] = right[i]!
    }
    return yield* Effect.promise(() =>
      runFfmpeg(
        new Uint8Array(pcm.buffer),
        ["-f", "f32le", "-ar", String(sampleRateHz), "-ac", "2"],
        ["-c:a", "libmp3lame", "-b:a", "192k", "-metadata", `title=${title}`, "-f", "mp3"]
      )
    )
  }).pipe(Effect.scoped, Effect.runPromise)
