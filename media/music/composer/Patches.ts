import { AnalogVoice } from "./Analog.ts"
import type { AnalogPatch } from "./Analog.ts"
import { PluckedVoice } from "./Plucked.ts"
import type { PluckedPatch } from "./Plucked.ts"
import { StruckVoice } from "./Struck.ts"
import type { StruckPatch } from "./Struck.ts"
import type { Note, Voice } from "./Voice.ts"

type Patch = AnalogPatch | StruckPatch | PluckedPatch

const analog = (patch: Partial<AnalogPatch>): AnalogPatch => ({
  kind: "analog",
  wave: "saw",
  detuneCents: 0,
  sub: 0,
  noise: 0,
  cutoffHz: 2000,
  tracking: 0.3,
  sweepOctaves: 0,
  sweepSec: 0.2,
  resonance: 0.1,
  attackSec: 0.005,
  decaySec: 0.3,
  sustain: 0.7,
  releaseSec: 0.2,
  vibratoHz: 5,
  vibratoCents: 0,
  level: 0.2,
  ...patch
})

const struckPatch = (patch: Partial<StruckPatch> & Pick<StruckPatch, "partials">): StruckPatch => ({
  kind: "struck",
  stiffness: 0,
  attackSec: 0.002,
  releaseSec: 0.25,
  spreadCents: 2,
  tremoloHz: 0,
  tremoloDepth: 0,
  level: 0.2,
  ...patch
})

const pluckedPatch = (patch: Partial<PluckedPatch>): PluckedPatch => ({
  kind: "plucked",
  fadeSec: 3,
  edge: 0.6,
  at: 0.18,
  releaseSec: 0.15,
  body: 0.8,
  level: 0.3,
  ...patch
})

/** Every instrument of the house. */
const patches = {
  glassPad: analog({
    detuneCents: 14,
    cutoffHz: 900,
    attackSec: 1.6,
    decaySec: 2,
    sustain: 0.8,
    releaseSec: 4,
    resonance: 0.15,
    level: 0.13
  }),
  warmPad: analog({
    detuneCents: 11,
    cutoffHz: 700,
    attackSec: 0.5,
    decaySec: 1,
    sustain: 0.8,
    releaseSec: 1.5,
    level: 0.18
  }),
  brightPad: analog({
    detuneCents: 18,
    cutoffHz: 1800,
    attackSec: 0.15,
    decaySec: 1,
    sustain: 0.75,
    releaseSec: 0.9,
    resonance: 0.2,
    level: 0.13
  }),
  strings: analog({
    detuneCents: 13,
    cutoffHz: 1500,
    attackSec: 0.35,
    decaySec: 1,
    sustain: 0.9,
    releaseSec: 0.9,
    vibratoHz: 5.2,
    vibratoCents: 7,
    level: 0.13
  }),
  solo: analog({
    detuneCents: 5,
    cutoffHz: 2000,
    attackSec: 0.12,
    decaySec: 0.6,
    sustain: 0.85,
    releaseSec: 0.5,
    vibratoHz: 5.4,
    vibratoCents: 14,
    level: 0.22
  }),
  horn: analog({
    detuneCents: 4,
    cutoffHz: 700,
    sweepOctaves: 0.7,
    sweepSec: 0.25,
    attackSec: 0.08,
    decaySec: 0.5,
    sustain: 0.85,
    releaseSec: 0.4,
    vibratoCents: 4,
    level: 0.3
  }),
  muted: analog({
    cutoffHz: 1500,
    resonance: 0.45,
    attackSec: 0.03,
    decaySec: 0.3,
    sustain: 0.8,
    releaseSec: 0.15,
    vibratoHz: 5.6,
    vibratoCents: 12,
    noise: 0.02,
    level: 0.22
  }),
  flute: analog({
    wave: "triangle",
    noise: 0.09,
    cutoffHz: 2200,
    attackSec: 0.07,
    decaySec: 0.3,
    sustain: 0.85,
    releaseSec: 0.2,
    vibratoHz: 5,
    vibratoCents: 11,
    level: 0.26
  }),
  air: analog({
    wave: "sine",
    noise: 0.05,
    cutoffHz: 2600,
    attackSec: 0.25,
    decaySec: 1,
    sustain: 0.8,
    releaseSec: 2.5,
    vibratoHz: 4,
    vibratoCents: 8,
    level: 0.22
  }),
  stab: analog({
    detuneCents: 16,
    cutoffHz: 1100,
    sweepOctaves: 2,
    sweepSec: 0.09,
    resonance: 0.25,
    decaySec: 0.22,
    sustain: 0.15,
    releaseSec: 0.18,
    level: 0.34
  }),
  skank: analog({
    wave: "square",
    cutoffHz: 1500,
    sweepOctaves: 1,
    sweepSec: 0.05,
    decaySec: 0.12,
    sustain: 0.2,
    releaseSec: 0.08,
    detuneCents: 6,
    level: 0.25
  }),
  neon: analog({
    wave: "square",
    detuneCents: 9,
    cutoffHz: 1700,
    sweepOctaves: 1.5,
    sweepSec: 0.3,
    resonance: 0.2,
    attackSec: 0.01,
    decaySec: 0.5,
    sustain: 0.6,
    releaseSec: 0.35,
    vibratoHz: 5.5,
    vibratoCents: 9,
    level: 0.2
  }),
  pulse: analog({
    detuneCents: 8,
    cutoffHz: 900,
    sweepOctaves: 2.2,
    sweepSec: 0.1,
    resonance: 0.3,
    decaySec: 0.16,
    sustain: 0.1,
    releaseSec: 0.12,
    level: 0.3
  }),
  acid: analog({
    cutoffHz: 420,
    sweepOctaves: 3,
    sweepSec: 0.12,
    resonance: 0.72,
    decaySec: 0.2,
    sustain: 0.3,
    releaseSec: 0.08,
    level: 0.32
  }),
  reed: analog({
    wave: "square",
    cutoffHz: 1800,
    attackSec: 0.03,
    decaySec: 0.3,
    sustain: 0.8,
    releaseSec: 0.15,
    vibratoHz: 5,
    vibratoCents: 6,
    level: 0.18
  }),
  crunch: analog({
    detuneCents: 12,
    cutoffHz: 2600,
    sub: 0.3,
    resonance: 0.1,
    attackSec: 0.004,
    decaySec: 0.4,
    sustain: 0.75,
    releaseSec: 0.1,
    level: 0.14
  }),
  subBass: analog({
    wave: "sine",
    cutoffHz: 900,
    attackSec: 0.006,
    decaySec: 0.4,
    sustain: 0.9,
    releaseSec: 0.1,
    level: 0.42
  }),
  reeseBass: analog({
    detuneCents: 22,
    sub: 0.8,
    cutoffHz: 380,
    resonance: 0.2,
    decaySec: 0.5,
    sustain: 0.85,
    releaseSec: 0.09,
    level: 0.22
  }),
  roundBass: analog({
    wave: "triangle",
    cutoffHz: 700,
    sub: 0.25,
    sweepOctaves: 1,
    sweepSec: 0.08,
    decaySec: 0.35,
    sustain: 0.6,
    releaseSec: 0.08,
    level: 0.34
  }),
  sawBass: analog({
    cutoffHz: 420,
    sweepOctaves: 1.8,
    sweepSec: 0.1,
    resonance: 0.25,
    sub: 0.35,
    decaySec: 0.25,
    sustain: 0.5,
    releaseSec: 0.07,
    level: 0.24
  }),
  dubBass: analog({
    wave: "sine",
    cutoffHz: 400,
    sub: 0.15,
    decaySec: 0.6,
    sustain: 0.75,
    releaseSec: 0.09,
    level: 0.34
  }),
  cello: analog({
    detuneCents: 6,
    cutoffHz: 800,
    attackSec: 0.18,
    decaySec: 1,
    sustain: 0.9,
    releaseSec: 0.6,
    vibratoHz: 4.8,
    vibratoCents: 8,
    level: 0.19
  }),
  drone: analog({
    detuneCents: 9,
    cutoffHz: 240,
    sub: 0.5,
    attackSec: 3,
    decaySec: 2,
    sustain: 0.9,
    releaseSec: 5,
    level: 0.16
  }),
  piano: struckPatch({
    partials: [
      [1, 1, 7],
      [2, 0.55, 5],
      [3, 0.32, 3.6],
      [4, 0.2, 2.6],
      [5, 0.12, 1.9],
      [6, 0.09, 1.4],
      [7, 0.05, 1],
      [8, 0.04, 0.7]
    ],
    stiffness: 0.0003,
    releaseSec: 0.3,
    level: 0.19
  }),
  felt: struckPatch({
    partials: [
      [1, 1, 5],
      [2, 0.3, 3],
      [3, 0.12, 1.8],
      [4, 0.05, 1]
    ],
    stiffness: 0.0003,
    attackSec: 0.006,
    releaseSec: 0.35,
    level: 0.31
  }),
  tines: struckPatch({
    partials: [
      [1, 1, 4.5],
      [2, 0.28, 2.4],
      [4.02, 0.16, 0.5],
      [7.1, 0.09, 0.16]
    ],
    spreadCents: 3,
    tremoloHz: 4.6,
    tremoloDepth: 0.18,
    releaseSec: 0.22,
    level: 0.24
  }),
  bell: struckPatch({
    partials: [
      [1, 0.8, 5],
      [2.76, 0.4, 2.5],
      [5.4, 0.2, 1.2],
      [0.5, 0.25, 4]
    ],
    spreadCents: 5,
    releaseSec: 2.5,
    level: 0.31
  }),
  vibes: struckPatch({
    partials: [
      [1, 1, 5],
      [4, 0.3, 1.2],
      [10, 0.08, 0.25]
    ],
    tremoloHz: 5.5,
    tremoloDepth: 0.22,
    releaseSec: 0.6,
    level: 0.26
  }),
  organ: struckPatch({
    partials: [
      [0.5, 0.5, 60],
      [1, 0.9, 60],
      [1.5, 0.35, 60],
      [2, 0.5, 60],
      [3, 0.25, 60],
      [4, 0.2, 60]
    ],
    spreadCents: 4,
    attackSec: 0.012,
    releaseSec: 0.09,
    tremoloHz: 6.3,
    tremoloDepth: 0.14,
    level: 0.19
  }),
  guitar: pluckedPatch({ fadeSec: 3.2, edge: 0.65, level: 0.71 }),
  nylon: pluckedPatch({ fadeSec: 2.4, edge: 0.4, at: 0.3, level: 0.88 }),
  harp: pluckedPatch({ fadeSec: 4, edge: 0.5, at: 0.4, releaseSec: 1, level: 0.95 }),
  upright: pluckedPatch({ fadeSec: 1.6, edge: 0.34, at: 0.3, body: 2.2, releaseSec: 0.1, level: 0.44 }),
  banjo: pluckedPatch({ fadeSec: 1.1, edge: 0.95, at: 0.1, body: 0.3, level: 0.96 })
} satisfies Record<string, Patch>

export type PatchName = keyof typeof patches

/** A voice that plays one note on an instrument; `dice` decides phases and noise. */
export const voiceOf = (name: PatchName, note: Note, dice: number): Voice => {
  const patch: Patch = patches[name]
  switch (patch.kind) {
    case "analog":
      return new AnalogVoice(patch, note, dice)
    case "struck":
      return new StruckVoice(patch, note, dice)
    case "plucked":
      return new PluckedVoice(patch, note, dice)
  }
}
