import { Effect, Layer } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { houseSong } from "../engine/rules/music/HouseCatalogue.ts"
import { musicLufs, speechLufs } from "../engine/rules/sound/limits.ts"
import type { RawSound } from "../engine/ports/Speech.ts"
import { Speech } from "../engine/ports/Speech.ts"
import { ffmpegLayer } from "../media/ffmpeg/Ffmpeg.ts"
import { Mixer } from "../media/mixer/Mixer.ts"
import { OfflineReader } from "../media/mixer/OfflineReader.ts"
import { makeMusic } from "../media/music/Music.ts"
import { makePrepare } from "../media/prepare/Prepare.ts"
import { EmbeddedSpeech } from "../media/speech/Speech.ts"
import { AirItem, AirPlan, ItemLabel, StagedSound } from "../schema/air/Air.ts"
import { AssetId } from "../schema/Ids.ts"
import type { SoundKind } from "../schema/Sound.ts"
import { sampleRateHz } from "../schema/time/Samples.ts"
import { ulid } from "./instruments/sounds/ReferenceSounds.ts"
import { integratedLufs, KWeighted, rangeLu, windows } from "./instruments/ears/Loudness.ts"
import { hash, type Report, type Row } from "./instruments/Report.ts"

const plans = {
  whole: { songs: 28, hours: 10, voices: 8, speechDb: [0, -2, 2, 4] },
  small: { songs: 6, hours: 0.5, voices: 4, speechDb: [0, -2, 2] }
} as const

/** On a border of AAC and MP3 frames. */
const startSample = 1_024 * 1_152 * 1_000

const scripts = [
  "Good evening. The harbour is quiet tonight, and the last ferry has left. We stay with you until the morning, with music and a few words in between.",
  "The council has talked about the old lighthouse for three hours. Some want it lit again, others want a library in it, and one member asked why it can't be both. The vote is tomorrow at noon.",
  "A listener asks what one hears when the night is clear. You hear the buoy bell, twice a minute, and a dog on the other shore. Behind it all there is the low tone of the power line, a little below the note G.",
  "This is a short call. More music follows at once.",
  "Here is how to bake bread without a clock. You mix flour, water and salt in the evening. You go to bed. When you wake up, it has grown by half, and you fold it, and wait until the sun stands over the roof of the house on the other side. Then it goes into the oven, and comes out when the kitchen smells of it."
]

interface Sounds {
  readonly songs: ReadonlyArray<StagedSound>
  readonly bed: StagedSound
  readonly speech: ReadonlyArray<StagedSound>
}

/** House songs and spoken items as the station makes, masters and stages them. */
const makeSounds = (folder: string, { songs, voices }: (typeof plans)["whole" | "small"]): Promise<Sounds> =>
  Effect.gen(function* () {
    const music = yield* makeMusic(new URL("../media/music/MusicWorker.ts", import.meta.url), 600, folder)
    const prepare = yield* makePrepare(folder)
    const speech = yield* Speech
    let made = 0
    const stage = Effect.fnUntraced(function* (
      kind: SoundKind,
      raw: RawSound & { readonly introEndMs?: number; readonly segueMs?: number }
    ) {
      const asset = yield* prepare.prepare({
        id: AssetId.make(`mas_${ulid(made++)}`),
        kind,
        raw,
        role: "HOUSE",
        introEndMs: raw.introEndMs ?? null,
        segueMs: raw.segueMs ?? null,
        synthetic: null
      })
      return yield* prepare.stage(asset)
    })
    const compose = (form: "song" | "bed", i: number, lengthSec: number) => {
      const { genre, seed } = houseSong(1, i)
      return Effect.flatMap(
        music.composeWhole({ genre, mood: null, form, durationSec: lengthSec, seed, bpm: null }),
        (raw) => stage(form === "song" ? "music" : "bed", raw)
      )
    }
    const speakers = speech.voices.slice(0, voices)
    return {
      songs: yield* Effect.forEach(
        Array.from({ length: songs }, (_, i) => i),
        (i) => compose("song", i, songs > 6 ? 90 + ((i * 37) % 80) : 60)
      ),
      bed: yield* compose("bed", 3, 45),
      speech: yield* Effect.forEach(speakers, ({ voiceId }, i) =>
        Effect.flatMap(speech.speak({ text: scripts[i % scripts.length]!, voiceId, role: "PRIMARY" }), (raw) =>
          stage("speech", raw)
        )
      )
    }
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(EmbeddedSpeech, ffmpegLayer(null))), Effect.runPromise)

/** Where two items meet, one of which is spoken. */
interface Border {
  readonly atSample: number
  readonly toSpeech: boolean
}

/** Hours of two songs and a spoken item each, every third over a bed. `speechDb` moves speech and its bed against music. */
const programme = ({ bed, songs, speech }: Sounds, hours: number, speechDb: number) => {
  const items: Array<AirItem> = []
  const borders: Array<Border> = []
  let at = startSample
  let [sung, said] = [0, 0]
  for (let n = 0; at < startSample + hours * 3_600 * sampleRateHz; n++) {
    const isSpeech = n % 3 === 2
    const sound = isSpeech ? speech[said++ % speech.length]! : songs[(sung++ * 5) % songs.length]!
    if (n % 3 !== 1) borders.push({ atSample: at, toSpeech: isSpeech })
    items.push(
      new AirItem({
        itemId: `itm_${ulid(n)}`,
        label: new ItemLabel({ title: `Item ${n}`, artist: null, kind: isSpeech ? "segment" : "music" }),
        sound: isSpeech ? new StagedSound({ ...sound, gainDb: speechDb }) : sound,
        startSample: at,
        speech: isSpeech,
        bed: isSpeech && said % 3 === 0 ? new StagedSound({ ...bed, gainDb: speechDb }) : null,
        trace: []
      })
    )
    at += (isSpeech ? sound.cue.cueOut : sound.cue.segue) - sound.cue.cueIn
  }
  return { plan: new AirPlan({ fence: 0, revision: 0, entry: "boundary", items }), borders, endSample: at }
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length
const middle = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** The real mixer's programme, as loudness: of the whole, and on both sides of each border. */
const measure = (sounds: Sounds, hours: number, speechDb: number) => {
  const { borders, endSample, plan } = programme(sounds, hours, speechDb)
  const mixer = new Mixer({ startSample, read: new OfflineReader(), stationName: "Longwave" })
  mixer.plan(plan)
  const block = new Float32Array(4_800 * 2)
  const channels = [new Float32Array(4_800), new Float32Array(4_800)] as const
  const weighted = new KWeighted()
  for (let at = startSample; at < endSample; at += 4_800) {
    mixer.render(block, 4_800)
    for (let i = 0; i < 4_800; i++) {
      channels[0][i] = block[2 * i]!
      channels[1][i] = block[2 * i + 1]!
    }
    weighted.add(channels)
  }
  const shortTerm = windows(weighted.blocks, 30)
  // Ten seconds on each side, without the three in which both sound.
  const levelNear = (second: number) => {
    const from = Math.round(second * 10)
    return middle(shortTerm.slice(Math.max(0, from), Math.max(1, from + 70)))
  }
  const steps = borders
    .filter(({ atSample }) => atSample > startSample + 12 * sampleRateHz && atSample < endSample - 14 * sampleRateHz)
    .map(({ atSample, toSpeech }) => {
      const second = (atSample - startSample) / sampleRateHz
      return { toSpeech, lu: levelNear(second + 3) - levelNear(second - 10) }
    })
  return {
    steps,
    integrated: integratedLufs(weighted.blocks),
    range: rangeLu(weighted.blocks),
    into: mean(steps.filter(({ toSpeech }) => toSpeech).map(({ lu }) => lu)),
    outOf: mean(steps.filter(({ toSpeech }) => !toSpeech).map(({ lu }) => lu))
  }
}

/** Whether speech and music at the same loudness sound even, or speech should be softer or louder: the steps where they meet in hours of programme. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const ask = plans[size]
  const folder = await mkdtemp(join(tmpdir(), "longwave-levels-"))
  try {
    const sounds = await makeSounds(folder, ask)
    const rows: Array<Row> = []
    const uneven = new Map<number, number>()
    for (const speechDb of ask.speechDb) {
      const { integrated, into, outOf, range, steps } = measure(sounds, ask.hours, speechDb)
      const name = `speech at ${speechLufs + speechDb} LUFS, music at ${musicLufs}`
      const row = (what: string, unit: string, value: number) =>
        rows.push({ what: `${name}: ${what}`, unit, values: [value] })
      const rmsLu = Math.sqrt(mean(steps.map(({ lu }) => lu * lu)))
      uneven.set(speechDb, rmsLu)
      row("borders measured", "borders", steps.length)
      row("the whole", "LUFS", integrated)
      row("loudness range", "LU", range)
      row("step into speech, mean", "LU", into)
      row("step out of speech, mean", "LU", outOf)
      row("steps, root mean square", "LU", rmsLu)
      row("steps beyond 4 LU", "%", (100 * steps.filter(({ lu }) => Math.abs(lu) > 4).length) / steps.length)
    }
    return {
      bench: "levels",
      rows,
      computed: hash(rows.map(({ values, what }) => `${what} ${values[0]!.toFixed(1)}`).join("\n")),
      goals: [
        {
          name: "steps between speech and music against the best of the levels tried",
          direction: "at most",
          limit: 1.1,
          value: uneven.size < 2 ? null : uneven.get(0)! / Math.min(...uneven.values())
        }
      ]
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
