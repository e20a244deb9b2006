import { musicBpmMax, musicBpmMin, musicTempoBpm } from "../../../engine/rules/music/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import type { MusicAsk, Outline } from "../../../engine/ports/Music.ts"
import { bassBar } from "./Bassline.ts"
import { SeededRandom } from "./SeededRandom.ts"
import { Accompanist } from "./Comping.ts"
import { Drummer } from "./Drummer.ts"
import { bedForm, energyAt, songForm } from "./Form.ts"
import type { Form, Section } from "./Form.ts"
import { styleOf } from "./Genres.ts"
import { chroma, harmoniesOf, period, scaleOf, tonics } from "./Harmony.ts"
import type { Harmony, Key } from "./Harmony.ts"
import { Theme } from "./Melody.ts"
import type { Sung } from "./Melody.ts"
import { Metre } from "./Metre.ts"
import { moodOf } from "./Moods.ts"
import type { Mood } from "./Moods.ts"
import { makeSeat } from "./Score.ts"
import type { Part, Score } from "./Score.ts"
import { stingNotes } from "./Sting.ts"
import type { Style } from "./Style.ts"
import { titleOf } from "./Titles.ts"
import type { Note } from "./Voice.ts"

const brightnessOf = (mood: Mood, energy: number): number =>
  Math.min(1, Math.max(0, 0.5 + mood.bright + (energy - 2.5) * 0.09))

/** Harmonies of the whole piece, a bar each: sections of the same name share a turn, so that they are heard as the same. */
const harmonise = (style: Style, key: Key, form: Form, home: Harmony, chance: SeededRandom): ReadonlyArray<Harmony> => {
  const turns = style.turns[key.family]
  const main = chance.drawBelow(turns.length)
  const other = turns.length > 1 ? (main + 1 + chance.drawBelow(turns.length - 1)) % turns.length : main
  return form.sections.flatMap((section) => {
    const turn = turns[section.lead === "second" || section.name === "break" ? other : main]!
    return period(harmoniesOf(key.tonic, key.scale, turn.split(" ")), section.bars, style.barsPerChord, chance, home)
  })
}

/** Everything about a piece that the players have to know. */
export interface Setting {
  readonly ask: Pick<MusicAsk, "form" | "seed">
  readonly style: Style
  readonly mood: Mood
  readonly key: Key
  readonly form: Form
  readonly home: Harmony
  readonly metre: Metre
  readonly chance: SeededRandom
  readonly lengthSamples: number
}

const accompany = (
  { ask, style, mood, form, home, metre, chance, lengthSamples }: Setting,
  harmonies: ReadonlyArray<Harmony>
): ReadonlyArray<Part> => {
  const loops = ask.form === "bed"
  const stepsLeft = (lengthSamples - metre.exactSample(form.bars, 0)) / metre.stepSamples
  return style.comps.map((comp, index) => {
    const dice = chance.branch(`comp${index}`)
    const player = new Accompanist(comp, metre, dice)
    const patterns = new Map(form.sections.map(({ name }) => [name, dice.pick(comp.steps)]))
    for (const section of form.sections) {
      let freshFrom = -1
      for (let bar = section.fromBar; bar < section.fromBar + section.bars; bar++) {
        const energy = energyAt(section, bar)
        if (comp.from > energy) continue
        const harmony = harmonies[bar]!
        const fresh = freshFrom < 0 || harmonies[freshFrom]!.name !== harmony.name || bar - freshFrom >= 4
        let stays = 1
        while (
          stays < 4 &&
          bar + stays < section.fromBar + section.bars &&
          harmonies[bar + stays]!.name === harmony.name
        )
          stays++
        if (fresh) freshFrom = bar
        // A break opens towards what follows it.
        const opening = section.name === "break" ? (0.35 * (bar - section.fromBar)) / section.bars : 0
        player.play(patterns.get(section.name)!, {
          bar,
          harmony,
          stays,
          fresh,
          bright: Math.min(1, brightnessOf(mood, energy) + opening),
          gain: energy <= 1 ? 1.6 : energy === 2 ? 1.15 : 1
        })
      }
    }
    if (!loops && comp.from <= 3) player.close(form.bars, home, stepsLeft * 0.75, brightnessOf(mood, 1))
    return { ...makeSeat(comp), name: `comp${index}`, patch: comp.patch, notes: player.notes }
  })
}

const standBelow = (
  { ask, style, mood, form, home, metre, chance, lengthSamples }: Setting,
  harmonies: ReadonlyArray<Harmony>
): ReadonlyArray<Part> => {
  const { bass } = style
  if (bass === null) return []
  const dice = chance.branch("bass")
  const notes: Array<Note> = []
  const patterns = bass.steps === "walk" ? [""] : bass.steps
  const first = dice.drawBelow(patterns.length)
  let pitch = bass.floor + 6
  const put = (bar: number, step: number, steps: number, at: number, level: number, energy: number) => {
    pitch = at
    notes.push({
      at: metre.playedSample(bar, step),
      length: Math.max(1_200, metre.samples(steps * 0.95)),
      pitch: at,
      level,
      bright: brightnessOf(mood, energy)
    })
  }
  for (const section of form.sections) {
    const pattern = patterns[(first + (section.lead === "second" ? 1 : 0)) % patterns.length]!
    for (let bar = section.fromBar; bar < section.fromBar + section.bars; bar++) {
      const energy = energyAt(section, bar)
      if (energy < bass.from) continue
      const next = harmonies[bar + 1] ?? (ask.form === "bed" ? harmonies[0]! : home)
      for (const { step, steps, pitch: at, accent } of bassBar(
        bass,
        pattern,
        pitch,
        style.beatsPerBar,
        harmonies[bar]!,
        next,
        dice
      ))
        put(bar, step, steps, at, accent, energy)
    }
  }
  if (ask.form === "song") {
    const root = bass.floor + ((((home.root - bass.floor) % 12) + 12) % 12)
    put(form.bars, 0, ((lengthSamples - metre.exactSample(form.bars, 0)) / metre.stepSamples) * 0.6, root, 0.85, 1)
  }
  return [{ ...makeSeat(bass), name: "bass", patch: bass.patch, notes }]
}

const sing = (
  { style, mood, form, metre, chance, key }: Setting,
  harmonies: ReadonlyArray<Harmony>,
  tune: ReadonlyArray<Sung> | null
): ReadonlyArray<Part> => {
  const dice = chance.branch("lead")
  const { lead } = style
  const patch = dice.pick(lead.patches)
  const part = (notes: ReadonlyArray<Note>): ReadonlyArray<Part> => [{ ...makeSeat(lead), name: "lead", patch, notes }]
  if (tune !== null)
    return part(
      tune.map(({ accent, bar, pitch, step, steps }) => ({
        at: metre.playedSample(bar, step),
        length: Math.max(2_000, metre.samples(steps * 0.95)),
        pitch,
        level: accent,
        bright: brightnessOf(mood, 3)
      }))
    )
  const themes = {
    first: new Theme(lead, metre.stepsPerBar, 0, mood.busy, dice),
    second: new Theme(lead, metre.stepsPerBar, 1, mood.busy, dice)
  }
  // A scale of the mood colours the tune where the harmony leaves room for it.
  const moodScale = mood.scale === null ? null : scaleOf(key.tonic, mood.scale)
  const notes: Array<Note> = []
  for (const section of form.sections) {
    if (section.lead === "none") continue
    const coloured = harmonies.slice(section.fromBar, section.fromBar + section.bars).map((harmony) => {
      const kept =
        moodScale === null
          ? []
          : harmony.scale.filter((tone) => moodScale.includes(tone) || harmony.tones.includes(tone))
      return kept.length >= 5 ? { ...harmony, scale: kept } : harmony
    })
    const theme = section.lead === "second" ? themes.second : themes.first
    for (const sung of theme.sing(coloured, section.fromBar, section.lead === "sparse", dice)) {
      const at = metre.playedSample(sung.bar, sung.step)
      notes.push({
        // Nothing of the tune is heard before its section begins: a presenter may talk up to there.
        at: Math.max(at, Math.ceil(metre.exactSample(section.fromBar, 0))),
        length: Math.max(2_000, metre.samples(sung.steps * 0.92)),
        pitch: sung.pitch,
        level: sung.accent * dice.drawBetween(0.88, 1),
        bright: brightnessOf(mood, section.energy + 0.5)
      })
    }
  }
  return part(notes)
}

const drum = ({ ask, style, form, metre, chance }: Setting): Drummer => {
  const drummer = new Drummer(style.grooves, style.fills, metre, chance.branch("drums"))
  form.sections.forEach((section: Section, index) => {
    for (let bar = section.fromBar; bar < section.fromBar + section.bars; bar++) {
      const last = bar === section.fromBar + section.bars - 1
      drummer.play(
        bar,
        energyAt(section, bar),
        section.lead === "second" ? 1 : 0,
        (bar - section.fromBar) * 2 >= section.bars,
        last && ask.form === "song" && index < form.sections.length - 1
      )
    }
    if (index > 0 && section.energy >= 3 && style.fills) drummer.strike(section.fromBar, 0, "crash", 0.8)
  })
  if (ask.form === "song" && style.fills) {
    drummer.strike(form.bars, 0, "kick", 0.8)
    drummer.strike(form.bars, 0, "crash", 0.7)
  }
  return drummer
}

const gainOf = (db: number): number => 10 ** (db / 20)

/** How loud a bar is played: sections of little energy are softer, so that the full ones are felt. */
const swellOf = (style: Style, form: Form): ReadonlyArray<number> =>
  form.sections.flatMap((section) =>
    Array.from({ length: section.bars }, (_, bar) =>
      gainOf(((energyAt(section, section.fromBar + bar) - 4) / 3) * (style.swellDb ?? 5))
    )
  )

const wholeOf = ({ ask, form, key, lengthSamples, metre, mood, style }: Setting, title: string) => ({
  title,
  bpm: Math.round(((style.beatsPerBar * 60) / form.barSec) * 10) / 10,
  musicalKey: `${key.tonic} ${key.family}`,
  seed: ask.seed,
  lengthSamples,
  duckRecoverySec: style.duckRecoverySec,
  room: {
    decaySec: style.room.decaySec * mood.wet,
    damping: Math.min(0.9, Math.max(0.1, style.room.damping - mood.bright * 0.4))
  },
  echo: { delaySamples: style.echo.steps * metre.stepSamples, feedback: style.echo.feedback },
  tilt: { hz: style.tilt?.hz ?? 1_000, low: gainOf(-(style.tilt?.lowDb ?? 0)), high: gainOf(style.tilt?.highDb ?? 0) }
})

/** Has the band of the style play harmonies, a bar each, and a tune; without one it invents its own. */
export const playWithBand = (
  setting: Setting,
  title: string,
  harmonies: ReadonlyArray<Harmony>,
  tune: ReadonlyArray<Sung> | null
): Score => {
  const { ask, form, lengthSamples, metre, style } = setting
  const song = ask.form === "song"
  const drummer = drum(setting)
  const sampleOfBar = (bar: number) => Math.round(metre.exactSample(bar, 0))
  const ends = form.sections.map(({ fromBar, bars }, index) =>
    index === form.sections.length - 1 ? lengthSamples : sampleOfBar(fromBar + bars)
  )
  // A given tune brings the dynamics of its source.
  const swell = song && tune === null ? swellOf(style, form) : null
  const barSamples = metre.exactSample(1, 0)
  const swellNotes = <Struck extends { readonly at: number; readonly level: number }>(struck: ReadonlyArray<Struck>) =>
    swell === null
      ? struck
      : struck.map((one) => ({
          ...one,
          // A stroke just ahead of its bar belongs to it.
          level: one.level * swell[Math.min(swell.length - 1, Math.floor((one.at + 1_000) / barSamples))]!
        }))
  const tuneBar = tune === null ? form.sections[1]?.fromBar : (tune[0]?.bar ?? form.bars)
  return {
    ...wholeOf(setting, title),
    loops: ask.form === "bed",
    sections: form.sections.map(({ name, fromBar }, index) => ({
      name: song ? name : "bed",
      from: sampleOfBar(fromBar),
      to: ends[index]!
    })),
    introEnd: song ? sampleOfBar(tuneBar!) : lengthSamples,
    segue: song ? sampleOfBar(form.bars) : lengthSamples,
    parts: [
      ...accompany(setting, harmonies),
      ...standBelow(setting, harmonies),
      ...(song ? sing(setting, harmonies, tune) : [])
    ].map((part) => ({ ...part, notes: swellNotes(part.notes) })),
    drumming: { ...makeSeat(style.drumSeat), kit: style.kit, strokes: swellNotes(drummer.strokes) },
    dust: style.dust
  }
}

/** Decides everything about a piece: the same ask gives the same score. Null where the genre is unknown. */
export const compose = (ask: MusicAsk): Score | null => {
  const style = styleOf(ask.genre)
  if (style === null) return null
  const mood = moodOf(ask.mood)
  // Genres that share a style are still different pieces.
  const chance = new SeededRandom(ask.seed).branch(`${ask.genre}/${ask.form}`)
  const drawn = mood.family ?? (chance.isUnder(style.minorChance) ? "minor" : "major")
  const [asked, askedFamily] = ask.musicalKey?.split(" ") ?? []
  const family = askedFamily === "major" || askedFamily === "minor" ? askedFamily : drawn
  const drawnTonic = chance.pick(tonics)
  const tonic = asked === undefined ? drawnTonic : (tonics.find((one) => chroma(one) === chroma(asked)) ?? drawnTonic)
  const key: Key = { tonic, family, scale: style.scale[family] }
  const free = chance.drawBetween(...style.bpm) * mood.tempo
  const bpm =
    ask.bpm === null
      ? Math.min(musicBpmMax, Math.max(musicBpmMin, Math.round(free)))
      : Math.min(musicTempoBpm[1], Math.max(musicTempoBpm[0], ask.bpm))
  const home = harmoniesOf(key.tonic, key.scale, [family === "major" ? "Iadd9" : "Im"])[0]!
  const song = ask.form === "song"
  const form = song
    ? songForm(style, bpm, ask.durationSec)
    : bedForm(style, bpm, ask.durationSec, ask.bpm !== null && ask.form === "bed")
  const metre = new Metre(style, form.barSec, chance.branch("hands"))
  const lengthSamples = Math.round(
    ask.form === "bed" ? metre.exactSample(form.bars, 0) : ask.durationSec * sampleRateHz
  )
  const setting: Setting = { ask, style, mood, key, form, home, metre, chance, lengthSamples }
  const title = titleOf(chance.branch("title"))
  if (ask.form === "sting")
    return { ...wholeOf(setting, title), ...stingNotes(style, key, home, mood, lengthSamples, chance) }
  return playWithBand(setting, title, harmonise(style, key, form, home, chance.branch("harmony")), null)
}

/** The sections of a piece in bars, without a sound. */
export const outlineOf = (ask: MusicAsk): Outline | null => {
  const score = compose(ask)
  if (score === null) return null
  const { bpm, lengthSamples, musicalKey, sections, title } = score
  const style = styleOf(ask.genre)!
  const barSamples = (style.beatsPerBar * 60 * sampleRateHz) / bpm
  return {
    title,
    bpm,
    musicalKey,
    sections: sections.map(({ from, name, to }) => ({
      section: name,
      bars: Math.max(1, Math.round((to - from) / barSamples))
    })),
    durationSec: lengthSamples / sampleRateHz
  }
}
