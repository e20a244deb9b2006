import { musicLengthSec } from "../../../engine/rules/music/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { chordKinds, type HeardChord, type HeardKey } from "../transcriber/Chords.ts"
import { type LeadSheet, transcribe } from "../transcriber/LeadSheet.ts"
import { transcribedRateHz } from "../transcriber/Pitches.ts"
import type { TuneNote } from "../transcriber/Tune.ts"
import { playWithBand, type Setting } from "./Composer.ts"
import { type Form, type Section, songForm } from "./Form.ts"
import { ownStyles, styleOf } from "./Genres.ts"
import { bendScale, climb, type Harmony, type Key, scaleOf, settle, tonics } from "./Harmony.ts"
import type { Sung } from "./Melody.ts"
import { Metre } from "./Metre.ts"
import { type Mood, moodOf } from "./Moods.ts"
import type { Score } from "./Score.ts"
import { SeededRandom } from "./SeededRandom.ts"
import type { Style } from "./Style.ts"
import { titleOf } from "./Titles.ts"

/** How something that was heard is played again. */
export interface Arrangement {
  readonly genre: string
  readonly mood: string | null
  readonly seed: number
}

const ringSec = 3

const cutSteps = (steps: string, length: number): string => steps.slice(0, length)
/** A style in another metre: its patterns are cut to the bar. */
const fitMetre = (style: Style, beatsPerBar: 3 | 4): Style => {
  if (style.beatsPerBar <= beatsPerBar) return style
  const length = beatsPerBar * 4
  const groove = (drums: Style["grooves"]["soft"][number]) =>
    Object.fromEntries(Object.entries(drums).map(([drum, steps]) => [drum, cutSteps(steps, length)]))
  return {
    ...style,
    beatsPerBar,
    comps: style.comps.map((comp) => ({
      ...comp,
      steps: comp.steps.map((steps) => cutSteps(steps, length)),
      lastsSteps: Math.min(comp.lastsSteps, length)
    })),
    bass:
      style.bass === null || style.bass.steps === "walk"
        ? style.bass
        : { ...style.bass, steps: style.bass.steps.map((steps) => cutSteps(steps, length)) },
    grooves: { soft: style.grooves.soft.map(groove), full: style.grooves.full.map(groove) }
  }
}

const keyAs = ({ family, tonic }: HeardKey): Key => ({
  tonic: tonics[tonic]!,
  family,
  scale: family === "major" ? "major" : "aeolian"
})

const harmonyOf = ({ kind, root }: HeardChord, key: Key): Harmony => {
  const tones = chordKinds[kind].map((step) => (root + step) % 12)
  return { name: `${tonics[root]!}${kind}`, root, tones, scale: bendScale(scaleOf(key.tonic, key.scale), tones) }
}

/** Sections of eight bars, or four in a short piece, as lively as they were heard. */
const formOf = (sheet: LeadSheet, bars: number, barSec: number): Form => {
  const size = bars >= 32 ? 8 : bars >= 8 ? 4 : 2
  const count = Math.max(1, Math.floor(bars / size))
  const spans = Array.from({ length: count }, (_, index) => {
    const fromBar = index * size
    return { fromBar, bars: index === count - 1 ? bars - fromBar : size }
  })
  const loud = spans.map(({ bars: length, fromBar }) => {
    const levels = sheet.levels.slice(fromBar, fromBar + length)
    return levels.reduce((sum, level) => sum + level, 0) / Math.max(1, levels.length)
  })
  const most = Math.max(...loud)
  const middle = [...loud].sort((a, b) => a - b)[Math.floor(count / 2)]!
  const sections = spans.map((span, index): Section => {
    const first = index === 0
    const last = index === count - 1 && count > 2
    const soft = loud[index]! < most * 0.45
    const energy = first || last || soft ? 2 : loud[index]! >= middle ? 4 : 3
    const name = first ? "intro" : last ? "outro" : soft ? "break" : energy === 4 ? "B" : "A"
    return { ...span, name, energy, share: span.bars, lead: energy === 4 ? "second" : "first" }
  })
  return { sections, bars, barSec }
}

/** The tune where the instrument plays it: moved by octaves as a whole, single notes only at the edges. */
const fitCompass = (
  notes: ReadonlyArray<TuneNote>,
  [low, high]: readonly [number, number]
): ReadonlyArray<TuneNote> => {
  const countOutside = (shift: number) =>
    notes.reduce((sum, { pitch, steps }) => sum + (pitch + shift < low || pitch + shift > high ? steps : 0), 0)
  const shift = [0, 12, -12, 24, -24].reduce((best, by) => (countOutside(by) < countOutside(best) ? by : best), 0)
  return notes.map((note) => {
    let pitch = note.pitch + shift
    while (pitch < low) pitch += 12
    while (pitch > high) pitch -= 12
    return { ...note, pitch }
  })
}

const sungOf = (notes: ReadonlyArray<TuneNote>, stepsPerBar: number): ReadonlyArray<Sung> =>
  notes.map(({ at, level, pitch, steps }) => ({
    bar: Math.floor(at / stepsPerBar),
    step: at % stepsPerBar,
    steps,
    pitch,
    accent: level
  }))

const settingOf = (
  { genre, seed }: Arrangement,
  { form, home, key, mood, style }: Pick<Setting, "style" | "mood" | "key" | "form" | "home">,
  lengthSamples: number
): Setting => {
  const chance = new SeededRandom(seed).branch(`${genre}/arranged`)
  const metre = new Metre(style, form.barSec, chance.branch("hands"))
  return { ask: { form: "song", seed }, style, mood, key, form, home, metre, chance, lengthSamples }
}

/** Plays a sheet in another style: its tempo, its harmonies and its tune, bar by bar, by another band. Null for an unknown genre. */
export const arrange = (sheet: LeadSheet, arrangement: Arrangement): Score | null => {
  const found = styleOf(arrangement.genre)
  if (found === null) return null
  const style = fitMetre(found, sheet.beatsPerBar)
  const barSec = (style.beatsPerBar * 60) / sheet.bpm
  const [least, most] = musicLengthSec.song
  const bars = Math.max(1, Math.min(sheet.chords.length, Math.floor((most - ringSec) / barSec)))
  const key = keyAs(sheet.key)
  const harmonies = sheet.chords.slice(0, bars).map((chord) => harmonyOf(chord, key))
  // The tune keeps to the sheet's bars: a style with shorter ones shifts them together.
  const stepsPerBar = sheet.beatsPerBar * 4
  const notes = fitCompass(
    sheet.tune.filter(({ at }) => at < bars * stepsPerBar),
    style.lead.compass
  )
  const setting = settingOf(
    arrangement,
    { style, mood: moodOf(arrangement.mood), key, form: formOf(sheet, bars, barSec), home: harmonies.at(-1)! },
    Math.round(Math.max(least, bars * barSec + ringSec) * sampleRateHz)
  )
  return playWithBand(setting, titleOf(setting.chance.branch("title")), harmonies, sungOf(notes, stepsPerBar))
}

/** A phrase of whole bars that a song can be built on. */
interface Phrase {
  readonly bars: number
  readonly notes: ReadonlyArray<TuneNote>
}

const phraseBarsMax = 8

/** The heard line from its first note, in bars of the style. */
const melodyOf = (sheet: LeadSheet, stepsPerBar: number): Phrase => {
  const first = sheet.tune[0]?.at ?? 0
  const notes = sheet.tune.map((note) => ({ ...note, at: note.at - first }))
  const end = notes.reduce((last, { at, steps }) => Math.max(last, at + steps), 0)
  const bars = Math.max(1, Math.min(phraseBarsMax, Math.ceil(end / stepsPerBar)))
  return { bars, notes: notes.filter(({ at }) => at < bars * stepsPerBar) }
}

/** The heard strokes as the rhythm of a line that moves by steps: for samples in which nothing sings. */
const rhythmOf = (sheet: LeadSheet, stepsPerBar: number, harmony: Harmony, chance: SeededRandom): Phrase => {
  const first = sheet.begins[0]?.at ?? 0
  const strokes = (sheet.begins.length === 0 ? [0, 4, 8, 12].map((at) => ({ at, strength: 1 })) : sheet.begins).map(
    ({ at, strength }) => ({ at: at - first, strength })
  )
  let pitch = settle(harmony, 70)
  const notes = strokes.map(({ at, strength }, index) => {
    if (index > 0) pitch = climb(harmony, pitch, chance.pick([-2, -1, 1, 2, pitch > 74 ? -1 : 1]))
    const next = strokes[index + 1]?.at ?? at + 4
    return { at, steps: Math.max(1, Math.min(4, next - at)), pitch, level: 0.7 + 0.3 * strength }
  })
  const bars = Math.max(1, Math.min(phraseBarsMax, Math.ceil((strokes.at(-1)!.at + 1) / stepsPerBar)))
  return { bars, notes: notes.filter(({ at }) => at < bars * stepsPerBar) }
}

/** A chord for each bar of a phrase: of the key's own triads the one that holds most of the bar's notes; the first is home. */
const harmonise = ({ bars, notes }: Phrase, key: Key, tonic: number, stepsPerBar: number): ReadonlyArray<Harmony> => {
  const scale = scaleOf(key.tonic, key.scale)
  const own = scale.flatMap((root): ReadonlyArray<HeardChord> =>
    scale.includes((root + 7) % 12) ? [{ root, kind: scale.includes((root + 4) % 12) ? "" : "m" }] : []
  )
  let before = -1
  return Array.from({ length: bars }, (_, bar) => {
    const weights = new Float64Array(12)
    for (const { at, pitch, steps } of notes)
      if (Math.floor(at / stepsPerBar) === bar) weights[pitch % 12] = weights[pitch % 12]! + steps
    const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
    const best = own
      .map((chord) => {
        const held =
          chordKinds[chord.kind].reduce<number>((sum, step) => sum + weights[(chord.root + step) % 12]!, 0) / total
        const place = (chord.root - tonic + 12) % 12
        const usual = place === 0 ? (bar === 0 ? 0.5 : 0.1) : place === 5 || place === 7 || place === 9 ? 0.12 : 0
        return { chord, score: held + usual - (chord.root === before ? 0.25 : 0) }
      })
      .reduce((one, other) => (other.score > one.score ? other : one)).chord
    before = best.root
    return harmonyOf(best, key)
  })
}

/** Noise lies below; a voice, or an instrument with few strings, above. */
const pitchedLeast = 0.3

/** Whether something in the sheet sings; otherwise its rhythm is what can be kept. */
export const hasTune = ({ pitched, tune }: LeadSheet): boolean => tune.length >= 2 && pitched >= pitchedLeast

/**
 * A song on a sample: the line it sings, or the rhythm it strikes, goes through the song as its theme; harmony, band and form are composed around
 * it. Nothing of the sample itself sounds.
 */
export const songOn = (sheet: LeadSheet, arrangement: Arrangement & { readonly durationSec: number }): Score | null => {
  const style = styleOf(arrangement.genre)
  if (style === null) return null
  const chance = new SeededRandom(arrangement.seed).branch(`${arrangement.genre}/song`)
  const mood: Mood = moodOf(arrangement.mood)
  const key = keyAs(sheet.key)
  const home = harmonyOf({ root: sheet.key.tonic, kind: key.family === "major" ? "" : "m" }, key)
  const bpm = sheet.bpm
  const form = songForm(style, bpm, arrangement.durationSec)
  const stepsPerBar = style.beatsPerBar * 4
  const sings = hasTune(sheet)
  const phrase = sings ? melodyOf(sheet, stepsPerBar) : rhythmOf(sheet, stepsPerBar, home, chance.branch("line"))
  const turn = harmonise(phrase, key, sheet.key.tonic, stepsPerBar)
  const harmonies = Array.from({ length: form.bars }, (_, bar) => {
    const section = form.sections.find(({ bars, fromBar }) => bar >= fromBar && bar < fromBar + bars)!
    return turn[(bar - section.fromBar) % turn.length]!
  })
  const notes = fitCompass(phrase.notes, style.lead.compass)
  const tune = form.sections.flatMap(({ bars, fromBar, lead }) =>
    lead === "none"
      ? []
      : Array.from({ length: Math.ceil(bars / phrase.bars) }, (_, round) => round)
          // A sparse section leaves every second round to the band.
          .filter((round) => lead !== "sparse" || round % 2 === 0)
          .flatMap((round) =>
            sungOf(notes, stepsPerBar).map((sung) => ({ ...sung, bar: fromBar + round * phrase.bars + sung.bar }))
          )
          .filter(({ bar }) => bar < fromBar + bars)
  )
  const setting = settingOf(
    arrangement,
    { style, mood, key, form, home },
    Math.round(arrangement.durationSec * sampleRateHz)
  )
  return playWithBand(setting, titleOf(setting.chance.branch("title")), harmonies, tune)
}

/** A sample has a tempo of its own where it lasts so long and so much begins in it; otherwise it takes the style's. */
const tempoLeast = { sec: 3, begins: 6 } as const

/** Plays something heard again: a remix of a piece, or a song on a sample. Null for an unknown genre. */
export const playAgain = (
  samples: Float32Array,
  ask: Arrangement & { readonly as: "remix" | "song"; readonly bpm: number | null; readonly durationSec: number }
): Score | null => {
  const sheet = transcribe(samples, { bpm: ask.bpm })
  if (ask.as === "remix") return arrange(sheet, ask)
  const style = styleOf(ask.genre)
  if (style === null) return null
  const hasTempo = samples.length >= tempoLeast.sec * transcribedRateHz && sheet.begins.length >= tempoLeast.begins
  return songOn(hasTempo ? sheet : transcribe(samples, { bpm: Math.round((style.bpm[0] + style.bpm[1]) / 2) }), ask)
}

/** How far a tempo lies from a style's, in octaves: half and double time count as the same. */
const farFrom = ([low, high]: Style["bpm"], bpm: number): number =>
  Math.min(
    ...[bpm / 2, bpm, bpm * 2].map((tempo) =>
      tempo < low ? Math.log2(low / tempo) : tempo > high ? Math.log2(tempo / high) : 0
    )
  )
const suitable = 5
/** Without a beat nobody would recognise the tempo. */
const beatless = "ambient"

/** Genres whose styles suit a tempo, other than the source's own style; ordered by the seed. */
export const arrangementsFor = ({
  bpm,
  genre,
  seed
}: {
  readonly genre: string
  readonly bpm: number | null
  readonly seed: number
}): ReadonlyArray<string> => {
  const chance = new SeededRandom(seed).branch("arrangements")
  const own = styleOf(genre)
  return ownStyles
    .filter((name) => name !== beatless && styleOf(name) !== own && styleOf(name)!.beatsPerBar === 4)
    .map((name) => ({ name, far: bpm === null ? 0 : farFrom(styleOf(name)!.bpm, bpm), dice: chance.drawUnit() }))
    .sort((one, other) => one.far - other.far || one.dice - other.dice)
    .slice(0, suitable)
    .sort((one, other) => one.dice - other.dice)
    .map(({ name }) => name)
}
