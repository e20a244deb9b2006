import { musicPeakMax } from "../../../engine/rules/music/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { SeededRandom } from "./SeededRandom.ts"
import { drumPans, strokesOf } from "./DrumKit.ts"
import { voiceOf } from "./Patches.ts"
import { PingPong, Reverb } from "./Reverb.ts"
import type { Part, Score, Seat } from "./Score.ts"
import type { Voice } from "./Voice.ts"

const blockSamples = 2_048
/** What rings on after a loop and is folded onto its beginning. */
const ringSec = 6
const fadeOutSec = 1.2

export class NotANumber extends Error {}

interface Player {
  readonly seat: Seat
  readonly start: (until: number) => void
  readonly add: (left: Float32Array, right: Float32Array, from: number, count: number) => boolean
}

const playerOf = (part: Part, dice: SeededRandom): Player => {
  const notes = [...part.notes].sort((a, b) => a.at - b.at)
  let sounding: Array<{ readonly voice: Voice; readonly at: number }> = []
  let next = 0
  return {
    seat: part,
    start: (until) => {
      for (; next < notes.length && notes[next]!.at < until; next++) {
        const note = notes[next]!
        sounding.push({ voice: voiceOf(part.patch, note, Math.floor(dice.drawUnit() * 0x7fff_ffff)), at: note.at })
      }
    },
    add: (left, right, from, count) => {
      const heard = sounding.length > 0
      sounding = sounding.filter(({ voice, at }) => voice.add(left, right, Math.max(0, at - from), count))
      return heard
    }
  }
}

const drumsOf = (score: Score, dice: SeededRandom): Player => {
  const { drumming } = score
  const kit = strokesOf(drumming.kit, score.seed)
  const strokes = [...drumming.strokes].sort((a, b) => a.at - b.at)
  let sounding: Array<{
    readonly sound: Float32Array
    readonly at: number
    readonly left: number
    readonly right: number
  }> = []
  let next = 0
  return {
    seat: drumming,
    start: (until) => {
      for (; next < strokes.length && strokes[next]!.at < until; next++) {
        const { at, drum, level } = strokes[next]!
        const pan = drumPans[drum]
        const takes = kit[drum]
        sounding.push({
          sound: takes[dice.drawBelow(takes.length)]!,
          at,
          left: level * Math.min(1, 1 - pan),
          right: level * Math.min(1, 1 + pan)
        })
      }
    },
    add: (left, right, from, count) => {
      const heard = sounding.length > 0
      sounding = sounding.filter(({ sound, at, left: toLeft, right: toRight }) => {
        const end = Math.min(count, at + sound.length - from)
        for (let i = Math.max(0, at - from); i < end; i++) {
          const sample = sound[i + from - at]!
          left[i] = left[i]! + sample * toLeft
          right[i] = right[i]! + sample * toRight
        }
        return at + sound.length > from + count
      })
      return heard
    }
  }
}

/** The dip after each kick: down within two milliseconds, back along a curve. */
const duckingOf = (score: Score) => {
  const kicks = score.drumming.strokes
    .filter(({ drum }) => drum === "kick")
    .map(({ at }) => at)
    .sort((a, b) => a - b)
  const recovery = 1 / (score.duckRecoverySec * sampleRateHz)
  let next = 0
  let last = -Infinity
  let dip = 0
  return (dips: Float32Array, from: number): void => {
    for (let i = 0; i < dips.length; i++) {
      if (next < kicks.length && kicks[next]! <= from + i) last = kicks[next++]!
      const left = Math.max(0, 1 - (from + i - last) * recovery)
      dip += 0.011 * (left * left - dip)
      dips[i] = dip
    }
  }
}

/** Crackle and a breath of hiss, faded at both ends so that it may loop. */
const scatterDust = (score: Score, left: Float32Array, right: Float32Array, dice: SeededRandom): void => {
  const fade = Math.min(4_800, score.lengthSamples / 4)
  let hiss = 0
  let crackle = 0
  for (let i = 0; i < score.lengthSamples; i++) {
    const edge = Math.min(1, i / fade, (score.lengthSamples - i) / fade)
    const roll = dice.drawUnit()
    if (roll < 0.00022) crackle = (roll / 0.00022 - 0.5) * 0.09
    crackle *= -0.62
    hiss += 0.3 * ((roll - 0.5) * 0.006 - hiss)
    const dust = score.dust * edge * (hiss + crackle)
    left[i] = left[i]! + dust
    right[i] = right[i]! + dust * 0.85
  }
}

/** Rumble away, the spectrum tilted, corners rounded, peaks at the level that leaves mastering its room. */
export const finish = (score: Score, channels: ReadonlyArray<Float32Array>): void => {
  const pole = Math.exp((-2 * Math.PI * 22) / sampleRateHz)
  const { high, hz, low } = score.tilt
  const share = 1 - Math.exp((-2 * Math.PI * hz) / sampleRateHz)
  let peak = 1e-9
  for (const channel of channels) {
    let before = 0
    let out = 0
    let below = 0
    // A loop is filtered as if it had gone round before.
    for (let i = score.loops ? Math.max(0, channel.length - sampleRateHz) : channel.length; i < channel.length; i++) {
      out = pole * (out + channel[i]! - before)
      before = channel[i]!
      below += share * (out - below)
    }
    for (let i = 0; i < channel.length; i++) {
      const x = channel[i]!
      out = pole * (out + x - before)
      before = x
      below += share * (out - below)
      const tilted = high * out + (low - high) * below
      channel[i] = tilted
      const size = Math.abs(tilted)
      if (!(size < 64)) throw new NotANumber(`Sample ${i} is ${tilted}.`)
      if (size > peak) peak = size
    }
  }
  const drive = 1.5 / peak
  const scale = musicPeakMax / Math.tanh(1.5)
  const fade = Math.min(score.lengthSamples, fadeOutSec * sampleRateHz)
  for (const channel of channels) {
    for (let i = 0; i < channel.length; i++) {
      const left = channel.length - 1 - i
      const gain = score.loops || left >= fade ? 1 : (left / fade) ** 2
      channel[i] = Math.tanh(channel[i]! * drive) * scale * gain
    }
  }
}

/** All parts in their seats and their room, before the level of the whole is set. */
export const mix = (
  score: Score,
  progress: (share: number) => void
): readonly [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>] => {
  const dice = new SeededRandom(score.seed).branch("render")
  const total = score.lengthSamples + (score.loops ? ringSec * sampleRateHz : 0)
  const players = [
    ...score.parts.map((part) => playerOf(part, dice.branch(part.name))),
    drumsOf(score, dice.branch("drums"))
  ]
  const reverb = new Reverb(score.room)
  const echo = new PingPong(score.echo)
  const ducking = duckingOf(score)
  const channels = [new Float32Array(total), new Float32Array(total)] as const
  const block = () => new Float32Array(blockSamples)
  const [busLeft, busRight, roomLeft, roomRight, echoLeft, echoRight, dips] = [
    block(),
    block(),
    block(),
    block(),
    block(),
    block(),
    block()
  ]
  let told = 0
  for (let from = 0; from < total; from += blockSamples) {
    const count = Math.min(blockSamples, total - from)
    const left = channels[0].subarray(from, from + count)
    const right = channels[1].subarray(from, from + count)
    for (const send of [roomLeft, roomRight, echoLeft, echoRight]) send.fill(0)
    ducking(dips, from)
    for (const { seat, start, add } of players) {
      start(from + count)
      busLeft.fill(0)
      busRight.fill(0)
      if (!add(busLeft, busRight, from, count)) continue
      const toLeft = seat.level * Math.min(1, 1 - seat.pan)
      const toRight = seat.level * Math.min(1, 1 + seat.pan)
      for (let i = 0; i < count; i++) {
        const gain = 1 - seat.duck * dips[i]!
        const l = busLeft[i]! * toLeft * gain
        const r = busRight[i]! * toRight * gain
        left[i] = left[i]! + l
        right[i] = right[i]! + r
        roomLeft[i] = roomLeft[i]! + l * seat.reverb
        roomRight[i] = roomRight[i]! + r * seat.reverb
        echoLeft[i] = echoLeft[i]! + l * seat.echo
        echoRight[i] = echoRight[i]! + r * seat.echo
      }
    }
    echo.add(echoLeft, echoRight, left, right, count)
    for (let i = 0; i < count; i++) {
      // Repeats stand in the room too.
      roomLeft[i] = roomLeft[i]! + echoRight[i]! * 0.2
      roomRight[i] = roomRight[i]! + echoLeft[i]! * 0.2
    }
    reverb.add(roomLeft, roomRight, left, right, count)
    const share = (from + count) / total
    if (share - told >= 0.02) progress((told = share))
  }
  const whole = channels.map((channel) => {
    if (!score.loops) return channel
    const loop = channel.slice(0, score.lengthSamples)
    const ring = channel.length - score.lengthSamples
    // A room that rings longer than what was rendered is closed, not cut.
    for (let i = 0; i < ring; i++)
      loop[i % loop.length] =
        loop[i % loop.length]! + channel[score.lengthSamples + i]! * Math.min(1, (ring - i) / (ring / 3))
    return loop
  })
  if (score.dust > 0) scatterDust(score, whole[0]!, whole[1]!, dice.branch("dust"))
  return [whole[0]!, whole[1]!]
}

/** Plays a score. `progress` hears how far it is, at least every twentieth. The same score gives the same samples. */
export const render = (
  score: Score,
  progress: (share: number) => void
): readonly [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>] => {
  const channels = mix(score, progress)
  finish(score, channels)
  return channels
}
