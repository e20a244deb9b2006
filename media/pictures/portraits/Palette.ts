import { seededRandom } from "./SeededRandom.ts"

/** The colours of one picture, from the sky to the lines. */
export interface Palette {
  readonly sky: readonly [string, string]
  readonly glow: string
  readonly lands: readonly [string, string, string]
  readonly cloth: string
  readonly clothShade: string
  readonly accent: string
  readonly ink: string
  readonly light: string
}

const palette = (
  sky: readonly [string, string],
  glow: string,
  lands: readonly [string, string, string],
  cloth: string,
  clothShade: string,
  accent: string,
  ink: string,
  light: string
): Palette => ({ sky, glow, lands, cloth, clothShade, accent, ink, light })

const night = [
  palette(
    ["#0b1437", "#3a3f86"],
    "#f6d98b",
    ["#252c66", "#1a2150", "#101638"],
    "#2f4b8f",
    "#203569",
    "#ff8f6b",
    "#0a0f26",
    "#fff3d6"
  ),
  palette(
    ["#140b2e", "#5a2a6e"],
    "#ff9ecf",
    ["#3b1d57", "#2a1445", "#190b2e"],
    "#46317a",
    "#30205a",
    "#5ce1d8",
    "#10071f",
    "#ffe9f6"
  ),
  palette(
    ["#041f2b", "#0f5d6b"],
    "#bff0d4",
    ["#0b4250", "#07313d", "#04212b"],
    "#17566a",
    "#0e3d4d",
    "#ffb347",
    "#03141c",
    "#effff6"
  ),
  palette(
    ["#111111", "#3c3a4b"],
    "#e94f37",
    ["#2a2934", "#1e1d26", "#131218"],
    "#4a4860",
    "#343245",
    "#f7c548",
    "#0b0b0f",
    "#f6f1e7"
  )
]
const warm = [
  palette(
    ["#ffb88c", "#de6262"],
    "#fff0c9",
    ["#b8485a", "#913650", "#6b2645"],
    "#34425a",
    "#243044",
    "#ffd166",
    "#33172b",
    "#fff7e8"
  ),
  palette(
    ["#f9d29d", "#f08a5d"],
    "#fff6df",
    ["#b83b5e", "#8f2f58", "#6a2c70"],
    "#2d4059",
    "#1f2e43",
    "#2ec4b6",
    "#2b1030",
    "#fffaf0"
  ),
  palette(
    ["#ffe3b3", "#f2a65a"],
    "#ffffff",
    ["#c8693f", "#97462f", "#6b2f26"],
    "#20545c",
    "#153e45",
    "#e63946",
    "#2f1712",
    "#fffdf5"
  )
]
const cool = [
  palette(
    ["#cfe8ef", "#6fa8c7"],
    "#fffbe6",
    ["#3f7fa0", "#2a6080", "#1b4560"],
    "#e76f51",
    "#b9533a",
    "#f4d35e",
    "#0f2c3f",
    "#ffffff"
  ),
  palette(
    ["#d8f3dc", "#74b49b"],
    "#fff9d6",
    ["#40916c", "#2d6a4f", "#1b4332"],
    "#8d4b6b",
    "#6c3551",
    "#ffb703",
    "#0f291f",
    "#fdfff7"
  ),
  palette(
    ["#e2d9f3", "#9b8ec4"],
    "#ffeadb",
    ["#7462a8", "#574687", "#3c2f63"],
    "#f08a7e",
    "#c9665c",
    "#43d9ad",
    "#231a3f",
    "#fffaff"
  ),
  palette(
    ["#f1ede4", "#c9b79c"],
    "#ffffff",
    ["#8a9a86", "#637a6c", "#415a52"],
    "#274c5e",
    "#1a3747",
    "#e4572e",
    "#1c2a28",
    "#ffffff"
  )
]

const moods: ReadonlyArray<readonly [RegExp, ReadonlyArray<Palette>]> = [
  [/night|dark|midnight|moon|space|star|neon|cosmic|void|shadow|noir/i, night],
  [/dawn|dusk|sunset|desert|warm|fire|autumn|harvest|amber|ember|summer/i, warm],
  [/sea|coast|marsh|forest|snow|ice|rain|winter|spring|garden|cool|morning|meadow|mountain/i, cool]
]

/** The notes on the world choose the light; the identity chooses among the fitting colours. */
export const paletteOf = (said: string, identity: string): Palette =>
  seededRandom("palette", identity).pickOne(
    moods.find(([words]) => words.test(said))?.[1] ?? [...night, ...warm, ...cool]
  )

/** Skins of people, and of those who are none. */
export const skins = {
  human: [
    ["#f6d2b8", "#dfae90"],
    ["#e3b08a", "#c48c66"],
    ["#c98d62", "#a66d46"],
    ["#9a6242", "#78472d"],
    ["#6e4530", "#523120"],
    ["#4d3025", "#38211a"]
  ],
  synthetic: [
    ["#e9edf2", "#c3ccd8"],
    ["#f2e9e4", "#d3c3ba"],
    ["#dfeae6", "#b5c9c2"]
  ],
  machine: [
    ["#8fa3b5", "#6b8093"],
    ["#c98f5a", "#a06b3c"],
    ["#7d8f7a", "#5d705b"],
    ["#b7b0a4", "#918a7e"]
  ],
  alien: [
    ["#8fd9a8", "#5fae80"],
    ["#9fb8f2", "#6f88cc"],
    ["#d79be0", "#ab6cb8"],
    ["#f0b46b", "#c98a41"],
    ["#7fd6d6", "#4fa6aa"]
  ],
  abstract: [
    ["#f4efe6", "#d9d0c0"],
    ["#dfe7f5", "#b6c3dc"],
    ["#f6dccf", "#d9b3a0"]
  ]
} as const
