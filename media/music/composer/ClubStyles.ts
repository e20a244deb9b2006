import { forms } from "./Style.ts"
import type { Style } from "./Style.ts"

/** House: four on the floor, stabs off the beat, everything breathing with the kick. */
export const house: Style = {
  bpm: [119, 126],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0.12 },
  looseMs: 3,
  minorChance: 0.75,
  scale: { major: "mixolydian", minor: "dorian" },
  turns: {
    minor: ["Im9 IVm7 Im9 bVII7sus4", "Im7 bVImaj7 bVIImaj7 Vm7", "Im9 Im9 bVImaj7 Vm7", "IVm9 Vm7 Im9 bIIImaj7"],
    major: ["Imaj9 VIm7 IIm9 V7sus4", "IVmaj9 IIIm7 IIm9 Imaj7", "Imaj7 bVIImaj7 IVmaj7 Imaj7"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "stab",
      manner: "hold",
      steps: ["..7..7...7..7...", "...7..7....7..7.", "7..7..7...7..7.."],
      lastsSteps: 1.5,
      compass: [55, 76],
      voices: 4,
      from: 3,
      level: 0.85,
      reverb: 0.18,
      echo: 0.22,
      duck: 0.5
    },
    {
      patch: "warmPad",
      manner: "hold",
      steps: ["7..............."],
      lastsSteps: 16,
      compass: [50, 70],
      voices: 4,
      from: 1,
      level: 0.75,
      reverb: 0.3,
      duck: 0.85
    },
    {
      patch: "tines",
      manner: "arp",
      steps: ["..5...5..5....5.", "5..5..5..5..5..5"],
      lastsSteps: 2,
      compass: [67, 86],
      voices: 4,
      from: 4,
      level: 0.5,
      pan: 0.35,
      reverb: 0.25,
      echo: 0.35,
      duck: 0.4
    }
  ],
  bass: {
    patch: "roundBass",
    steps: ["..R...R...R.5.R.", "R..R..8.R..R..5.", "..RR..8...RR..a."],
    floor: 33,
    from: 2,
    duck: 0.7
  },
  lead: {
    patches: ["neon", "flute", "vibes"],
    rhythms: ["x--x--x---......", "..x-x--x--x-....", "x-x-..x---..x---", "x-----..x-x-x---"],
    compass: [67, 86],
    leap: 0.35,
    reverb: 0.2,
    echo: 0.35,
    duck: 0.25,
    level: 0.85
  },
  kit: "club",
  drumSeat: { level: 1, reverb: 0.05 },
  grooves: {
    soft: [
      { kick: "9...9...9...9...", hat: "..6...6...6...6." },
      { kick: "9...9...9...9...", shaker: "4.5.4.5.4.5.4.56" }
    ],
    full: [
      {
        kick: "9...9...9...9...",
        clap: "....8.......8...",
        open: "..7...7...7...7.",
        hat: "53.453.453.453.4",
        shaker: "3.4.3.4.3.4.3.45"
      },
      {
        kick: "9...9...9...9..3",
        clap: "....8.......8..3",
        open: "..7...7...7...7.",
        rim: "...5..5...5..5..",
        hat: "4.3.4.3.4.3.4.35"
      }
    ]
  },
  fills: true,
  form: forms.club,
  duckRecoverySec: 0.26,
  room: { decaySec: 1.8, damping: 0.45 },
  echo: { steps: 3, feedback: 0.42 },
  dust: 0,
  swellDb: 4,
  tilt: { hz: 110, lowDb: 2, highDb: 0 }
}

/** Techno: one idea, a machine that turns it. */
export const techno: Style = {
  bpm: [128, 136],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0.02 },
  looseMs: 1,
  minorChance: 1,
  scale: { major: "mixolydian", minor: "phrygian" },
  turns: { minor: ["Im Im Im bIImaj7", "Im7 Im7 bVIImaj7 Im7", "Im Im IVm Im"], major: ["I7 I7 bVII I7"] },
  barsPerChord: 2,
  comps: [
    {
      patch: "acid",
      manner: "arp",
      steps: ["7.47.4.7.47.4747", "747.47.4747.4.74"],
      lastsSteps: 0.8,
      compass: [45, 58],
      voices: 3,
      from: 3,
      level: 0.8,
      echo: 0.2,
      reverb: 0.08,
      duck: 0.35
    },
    {
      patch: "stab",
      manner: "hold",
      steps: ["...7......7.....", "......7.........", "..7.......7....."],
      lastsSteps: 1,
      compass: [58, 72],
      voices: 3,
      from: 2,
      level: 0.7,
      reverb: 0.3,
      echo: 0.5,
      duck: 0.4
    },
    {
      patch: "drone",
      manner: "hold",
      steps: ["6..............."],
      lastsSteps: 16,
      compass: [40, 56],
      voices: 2,
      from: 1,
      level: 0.7,
      reverb: 0.35,
      duck: 0.8
    }
  ],
  bass: {
    patch: "subBass",
    steps: ["..RR..RR..RR..RR", "..R...R...R..RR."],
    floor: 28,
    from: 2,
    duck: 0.8,
    level: 0.9
  },
  lead: {
    patches: ["pulse", "bell"],
    rhythms: ["x..x..x..x..x...", "....x-....x-....", "x-....x-..x-...."],
    compass: [62, 79],
    leap: 0.2,
    reverb: 0.3,
    echo: 0.5,
    duck: 0.3,
    level: 0.75
  },
  kit: "club",
  drumSeat: { level: 1.1, reverb: 0.04 },
  grooves: {
    soft: [{ kick: "9...9...9...9...", hat: "..5...5...5...5." }],
    full: [
      {
        kick: "9...9...9...9...",
        hat: "4464446444644464",
        open: "..6...6...6...6.",
        rim: "...6..6....6..6.",
        clap: "....6.......6..."
      },
      {
        kick: "9...9...9...9.3.",
        ride: "..5...5...5...5.",
        hat: "3363336333633363",
        tom: "......4....4..4.",
        clap: "............7..."
      }
    ]
  },
  fills: false,
  form: forms.club,
  duckRecoverySec: 0.22,
  room: { decaySec: 2.4, damping: 0.55 },
  echo: { steps: 3, feedback: 0.55 },
  dust: 0,
  swellDb: 4,
  tilt: { hz: 130, lowDb: 5, highDb: 0 }
}

/** Drum and bass: broken drums at full speed over harmony at half of it. */
export const drumAndBass: Style = {
  bpm: [170, 176],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0.06 },
  looseMs: 2,
  minorChance: 0.85,
  scale: { major: "lydian", minor: "aeolian" },
  turns: {
    minor: ["Im9 bVImaj7 bIIImaj7 bVII", "Im7 IVm9 bVImaj7 Vm7", "bVImaj9 bVII Im7 Im7"],
    major: ["Imaj9 IIm9 VIm7 IVmaj9", "IVmaj9 Imaj7 V VIm7"]
  },
  barsPerChord: 2,
  comps: [
    {
      patch: "brightPad",
      manner: "hold",
      steps: ["7..............."],
      lastsSteps: 16,
      compass: [55, 76],
      voices: 4,
      from: 1,
      level: 0.7,
      reverb: 0.4,
      duck: 0.3
    },
    {
      patch: "tines",
      manner: "hold",
      steps: ["7.....6.........", "...6......7.....", "7........6......"],
      lastsSteps: 3,
      compass: [60, 79],
      voices: 4,
      from: 3,
      level: 0.55,
      reverb: 0.3,
      echo: 0.4
    }
  ],
  bass: {
    patch: "reeseBass",
    steps: ["R-----..R---..R-", "R---..R-----8-a-", "R-------..5---a-"],
    floor: 29,
    from: 2,
    duck: 0.35,
    level: 0.95
  },
  lead: {
    patches: ["air", "neon", "bell"],
    rhythms: ["x-------x---x---", "....x-----x-x---", "x---x---x-------", "x-x-x-----------"],
    compass: [69, 88],
    leap: 0.4,
    reverb: 0.4,
    echo: 0.4,
    level: 0.85
  },
  kit: "breaks",
  drumSeat: { level: 1.05, reverb: 0.06 },
  grooves: {
    soft: [{ hat: "6.5.6.5.6.5.6.54", ride: "6...5...6...5...", rim: "....6......5...." }],
    full: [
      { kick: "9.........9.....", snare: "....9..3.3..9..3", hat: "7.5.7.5.7.5.7.54", ride: "6...6...6...6..." },
      { kick: "9.9.......9.....", snare: "....9..3....9.43", hat: "7.547.547.547.54" },
      { kick: "9.....4...98....", snare: "....9..2.2..9...", hat: "6465646564656465", open: "..............6." }
    ]
  },
  fills: true,
  form: forms.club,
  duckRecoverySec: 0.12,
  room: { decaySec: 2.6, damping: 0.35 },
  echo: { steps: 6, feedback: 0.4 },
  dust: 0,
  swellDb: 4
}

/** Synthwave: running eighths, gated snares, a horizon. */
export const synthwave: Style = {
  bpm: [88, 112],
  beatsPerBar: 4,
  swing: { unit: 2, amount: 0 },
  looseMs: 2,
  minorChance: 0.7,
  scale: { major: "major", minor: "aeolian" },
  turns: {
    minor: ["Im bVI bIII bVII", "Im bVII bVI V", "bVI bVII Im Im", "Im bIII bVII IVm"],
    major: ["I V VIm IV", "IV V IIIm VIm", "I IIIm IV V"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "brightPad",
      manner: "hold",
      steps: ["7..............."],
      lastsSteps: 16,
      compass: [52, 72],
      voices: 3,
      from: 1,
      level: 0.85,
      reverb: 0.35,
      duck: 0.45
    },
    {
      patch: "pulse",
      manner: "arp",
      steps: ["7575757575757575", "7.577.577.577.57"],
      lastsSteps: 1,
      compass: [60, 84],
      voices: 3,
      from: 2,
      level: 0.7,
      pan: -0.3,
      reverb: 0.2,
      echo: 0.4,
      duck: 0.2
    }
  ],
  bass: {
    patch: "sawBass",
    steps: ["R.R.R.R.R.R.R.R.", "R.R.8.R.R.R.8.R.", "R.RRR.RRR.RRR.a."],
    floor: 33,
    from: 2,
    duck: 0.4
  },
  lead: {
    patches: ["neon", "solo"],
    rhythms: ["x-----x-x---x---", "x---x---x-x-x---", "x-------x-------", "..x-x-x-x---x-x-"],
    compass: [65, 84],
    leap: 0.5,
    reverb: 0.3,
    echo: 0.35
  },
  kit: "machine",
  drumSeat: { level: 1, reverb: 0.14 },
  grooves: {
    soft: [{ kick: "9.......9.......", hat: "6.4.6.4.6.4.6.4." }],
    full: [
      { kick: "9.......9.......", snare: "....9.......9...", hat: "6.4.6.4.6.4.6.44", tom: "..............5." },
      { kick: "9...9...9...9...", snare: "....9.......9...", hat: "..6...6...6...6.", clap: "....5.......5..." }
    ]
  },
  fills: true,
  form: forms.song,
  duckRecoverySec: 0.2,
  room: { decaySec: 2.2, damping: 0.3 },
  echo: { steps: 3, feedback: 0.38 },
  dust: 0
}

/** Dub: the bass leads, the chords answer into the echo. */
export const dub: Style = {
  bpm: [68, 78],
  beatsPerBar: 4,
  swing: { unit: 1, amount: 0.14 },
  looseMs: 6,
  minorChance: 0.85,
  scale: { major: "mixolydian", minor: "dorian" },
  turns: {
    minor: ["Im7 Im7 IVm7 IVm7", "Im7 bVII Im7 bVII", "Im7 IVm7 bVII bIII"],
    major: ["I IV I IV", "I IIm IV I"]
  },
  barsPerChord: 1,
  comps: [
    {
      patch: "skank",
      manner: "hold",
      steps: ["..7...7...7...7.", "..7...7...7..57."],
      lastsSteps: 0.7,
      compass: [60, 76],
      voices: 3,
      from: 2,
      level: 0.9,
      pan: 0.25,
      reverb: 0.25,
      echo: 0.3
    },
    {
      patch: "organ",
      manner: "hold",
      steps: [".5.5.5.5.5.5.5.5", "..4...4...4...4."],
      lastsSteps: 0.8,
      compass: [55, 70],
      voices: 3,
      from: 2,
      level: 0.55,
      pan: -0.35,
      reverb: 0.15
    },
    {
      patch: "skank",
      manner: "hold",
      steps: ["..............8.", "......8........."],
      lastsSteps: 0.6,
      compass: [64, 80],
      voices: 3,
      from: 1,
      level: 0.8,
      reverb: 0.5,
      echo: 0.95
    }
  ],
  bass: {
    patch: "dubBass",
    steps: ["R--.R-5-..8---a-", "R-R-..5-R--.3-5-", "....R-R-5---R---"],
    floor: 29,
    from: 1,
    level: 1.1
  },
  lead: {
    patches: ["reed", "horn", "flute"],
    rhythms: ["x--x--x-........", "......x-x-x---..", "x---..x-........", "....x-x-x-x-...."],
    compass: [65, 81],
    leap: 0.3,
    reverb: 0.35,
    echo: 0.65,
    level: 0.9
  },
  kit: "dub",
  drumSeat: { level: 1, reverb: 0.12, echo: 0.06 },
  grooves: {
    soft: [{ kick: "........9.......", rim: "........8.......", hat: "6.3.6.3.6.3.6.3." }],
    full: [
      { kick: "........9.......", snare: "........6.......", rim: "...5..5......5..", hat: "7.4.7.427.4.7.4." },
      { kick: "9.......9.......", rim: "....5...8....5..", hat: "6.436.436.436.43", shaker: "..4...4...4...4." }
    ]
  },
  fills: true,
  form: forms.song,
  duckRecoverySec: 0.2,
  room: { decaySec: 3, damping: 0.6 },
  echo: { steps: 3, feedback: 0.68 },
  dust: 0.15,
  tilt: { hz: 140, lowDb: 6, highDb: 1 }
}
