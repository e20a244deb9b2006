import { sampleRateHz } from "../../../schema/time/Samples.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { climb, harmoniesOf, pitchAbove, voiceChord } from "./Harmony.ts"
import type { Harmony, Key } from "./Harmony.ts"
import type { Mood } from "./Moods.ts"
import { makeSeat } from "./Score.ts"
import type { Score, Stroke } from "./Score.ts"
import type { Style } from "./Style.ts"
import type { Note } from "./Voice.ts"

/** A call sign: a run that rises through two harmonies, the chord it was after, and what rings. */
export const stingNotes = (
  style: Style,
  key: Key,
  home: Harmony,
  mood: Mood,
  lengthSamples: number,
  chance: SeededRandom
): Pick<Score, "loops" | "sections" | "introEnd" | "segue" | "parts" | "drumming" | "dust"> => {
  const dice = chance.branch("sting")
  const lengthSec = lengthSamples / sampleRateHz
  const runSec = Math.min(1.6, lengthSec * 0.32)
  const count = 5 + dice.drawBelow(4)
  const away = harmoniesOf(key.tonic, key.scale, [
    key.family === "major" ? dice.pick(["IVadd9", "V7sus4", "bVII"]) : dice.pick(["bVI", "bVII", "IVm7"])
  ])[0]!
  const landing = Math.round(runSec * sampleRateHz)
  const ringSamples = Math.round((lengthSec - runSec) * 0.55 * sampleRateHz)
  const [low, high] = style.lead.compass
  const bright = Math.min(1, Math.max(0, 0.6 + mood.bright))
  let pitch = pitchAbove(away.root, low - 5)
  const run: Array<Note> = Array.from({ length: count }, (_, index) => {
    const note = {
      at: Math.round((landing * index) / count),
      length: Math.round((landing / count) * 1.1),
      pitch,
      level: 0.5 + (0.4 * index) / count,
      bright
    }
    pitch = Math.min(high, climb(away, pitch, dice.isUnder(0.35) ? 2 : 1))
    return note
  })
  const chord = (
    size: number,
    from: number,
    to: number,
    at: number,
    length: number,
    level: number
  ): ReadonlyArray<Note> =>
    voiceChord(home, null, from, to, size).map((tone, index) => ({
      at: at + index * 240,
      length,
      pitch: tone,
      level,
      bright
    }))
  const under = voiceChord(away, null, 50, 72, 3).map((tone) => ({
    at: 0,
    length: landing,
    pitch: tone,
    level: 0.35,
    bright: bright * 0.7
  }))
  const strokes: Array<Stroke> = style.grooves.full.some(
    (groove) => groove.snare !== undefined || groove.clap !== undefined
  )
    ? [
        ...[0.5, 0.75, 0.875].map((share): Stroke => ({
          at: Math.round(landing * share),
          drum: "snare",
          level: 0.35 + share * 0.3
        })),
        { at: landing, drum: "kick", level: 0.9 },
        { at: landing, drum: "crash", level: 0.7 }
      ]
    : [{ at: landing, drum: "kick", level: 0.5 }]
  const accompaniment = style.comps[0]!
  return {
    loops: false,
    sections: [{ name: "sting", from: 0, to: lengthSamples }],
    introEnd: 0,
    segue: landing + Math.round(ringSamples * 0.6),
    parts: [
      {
        ...makeSeat(style.lead),
        name: "run",
        patch: dice.pick(style.lead.patches),
        notes: [
          ...run,
          { at: landing, length: ringSamples, pitch: pitchAbove(home.root, pitch - 5), level: 0.9, bright }
        ]
      },
      {
        ...makeSeat({ ...accompaniment, duck: 0 }),
        name: "chord",
        patch: accompaniment.patch,
        notes: [...under, ...chord(4, 52, 74, landing, ringSamples, 0.7)]
      },
      {
        ...makeSeat({ reverb: 0.5 }),
        name: "shine",
        patch: "bell",
        notes: chord(3, 70, 88, landing, ringSamples, 0.35)
      },
      {
        ...makeSeat({ level: 0.9 }),
        name: "bass",
        patch: style.bass?.patch ?? "cello",
        notes: [{ at: landing, length: ringSamples, pitch: pitchAbove(home.root, 33), level: 0.9, bright }]
      }
    ],
    drumming: { ...makeSeat({ ...style.drumSeat, reverb: 0.2 }), kit: style.kit, strokes },
    dust: 0
  }
}
